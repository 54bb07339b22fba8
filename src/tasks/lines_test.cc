// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/lines.h"

#include <string>

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "memory_source.h"

namespace mhe::tasks {
namespace {

TEST(LineReader, GivesLinesWithTheirPlaces) {
  LineReader lines(data::make_memory_source("x", "one\r\n\nlast"));
  std::string line;
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "one");
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "");
  EXPECT_EQ(lines.place(), "x:2");
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "last");
  EXPECT_FALSE(lines.next(line));
}

TEST(LineReader, JoinsLinesAcrossItsBuffer) {
  const std::string text = std::string(100'000, 'a') + "\n" + std::string(70'000, 'b') + "\n";
  LineReader lines(data::make_memory_source("x", text));
  std::string line;
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line.size(), 100'000U);
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, std::string(70'000, 'b'));
  EXPECT_FALSE(lines.next(line));
}

TEST(LineReader, RefusesEndlessLines) {
  const std::string text(17U << 20U, 'a');
  LineReader lines(data::make_memory_source("x", text));
  std::string line;
  EXPECT_THROW(static_cast<void>(lines.next(line)), Error);
}

TEST(ReadAll, KeepsItsLimit) {
  const std::string text(200'000, 'a');
  EXPECT_EQ(read_all(*data::make_memory_source("x", text), text.size()), text);
  EXPECT_THROW(read_all(*data::make_memory_source("x", text), text.size() - 1), Error);
}

TEST(SqueezeBlanks, LeavesSingleOnesInside) {
  EXPECT_EQ(squeeze_blanks(" \ta\n\n b  "), "a b");
  EXPECT_EQ(squeeze_blanks(" \n"), "");
}

}  // namespace
}  // namespace mhe::tasks
