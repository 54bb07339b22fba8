// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/command.h"

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "tasks/lines.h"

namespace mhe::tasks {
namespace {

TEST(Command, GivesWhatIsPrinted) {
  const auto source = open_command({"printf", "%s;", "a b", "$x"});
  EXPECT_EQ(read_all(*source, 100), "a b;$x;");
}

TEST(Command, SaysThatItFailed) {
  const auto source = open_command({"sh", "-c", "echo a; exit 3"});
  EXPECT_THROW(read_all(*source, 100), Error);
  EXPECT_EQ(run_command({"sh", "-c", "exit 3"}), 3);
  EXPECT_EQ(run_command({"sh", "-c", "kill -9 $$"}), 128 + 9);
}

TEST(Command, SaysThatItCannotBeStarted) {
  EXPECT_THROW(open_command({"/no/such/program"}), Error);
  EXPECT_EQ(run_command({"/no/such/program"}), 127);
}

TEST(Command, CanBeLeftBeforeItsEnd) {
  const auto source = open_command({"yes"});
  std::array<char, 4> bytes = {};
  EXPECT_GT(source->read(bytes), 0U);
}

}  // namespace
}  // namespace mhe::tasks
