// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/output_directory.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "scratch_dir.h"

namespace mhe::tasks {
namespace {

namespace fs = std::filesystem;

void write(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

TEST(OutputDirectory, AppearsWithItsFilesOnlyWhenCommitted) {
  const testing::ScratchDir scratch;
  OutputDirectory directory(scratch.file("task"), Existing::kRefuse);
  write(directory.file("train.txt"), "rows");
  EXPECT_FALSE(fs::exists(scratch.file("task")));
  directory.commit();
  EXPECT_EQ(scratch.read("task/train.txt"), "rows");
  EXPECT_EQ(scratch.num_entries(), 1U);
}

TEST(OutputDirectory, LeavesNothingIfNotCommitted) {
  const testing::ScratchDir scratch;
  {
    const OutputDirectory directory(scratch.file("task/"), Existing::kRefuse);
    write(directory.file("train.txt"), "rows");
  }
  EXPECT_EQ(scratch.num_entries(), 0U);
}

TEST(OutputDirectory, ClearsAwayWhatAKilledRunHasLeft) {
  const testing::ScratchDir scratch;
  fs::create_directories(scratch.file("task.partial/deep"));
  write(scratch.file("task.partial/old.txt"), "old");
  OutputDirectory directory(scratch.file("task"), Existing::kRefuse);
  directory.commit();
  EXPECT_TRUE(fs::is_empty(scratch.file("task")));
}

TEST(OutputDirectory, FillsAnEmptyDirectory) {
  const testing::ScratchDir scratch;
  fs::create_directory(scratch.file("task"));
  OutputDirectory directory(scratch.file("task"), Existing::kRefuse);
  write(directory.file("a"), "a");
  directory.commit();
  EXPECT_EQ(scratch.read("task/a"), "a");
}

TEST(OutputDirectory, RefusesWhatIsThereUnlessToldToReplaceIt) {
  const testing::ScratchDir scratch;
  fs::create_directory(scratch.file("task"));
  write(scratch.file("task/task.json"), "{}");
  EXPECT_THROW(OutputDirectory(scratch.file("task"), Existing::kRefuse), Error);
  OutputDirectory directory(scratch.file("task"), Existing::kReplace);
  write(directory.file("new"), "new");
  EXPECT_TRUE(fs::exists(scratch.file("task/task.json"))) << "the old one stays until the end";
  directory.commit();
  EXPECT_FALSE(fs::exists(scratch.file("task/task.json")));
  EXPECT_EQ(scratch.read("task/new"), "new");
  EXPECT_EQ(scratch.num_entries(), 1U);
}

TEST(OutputDirectory, NeverReplacesADirectoryThatIsNotOurs) {
  const testing::ScratchDir scratch;
  fs::create_directory(scratch.file("home"));
  write(scratch.file("home/letter.txt"), "dear");
  EXPECT_THROW(OutputDirectory(scratch.file("home"), Existing::kReplace), Error);
  write(scratch.file("file"), "text");
  EXPECT_THROW(OutputDirectory(scratch.file("file"), Existing::kReplace), Error);
  EXPECT_EQ(scratch.read("home/letter.txt"), "dear");
}

TEST(OutputDirectory, KeepsTwoRunsApart) {
  const testing::ScratchDir scratch;
  OutputDirectory first(scratch.file("task"), Existing::kRefuse);
  write(first.file("a"), "a");
  EXPECT_THROW(OutputDirectory(scratch.file("task"), Existing::kRefuse), Error);
  first.commit();
  EXPECT_EQ(scratch.read("task/a"), "a");
}

}  // namespace
}  // namespace mhe::tasks
