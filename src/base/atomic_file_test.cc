// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <mhe/error.h>

#include "scratch_dir.h"

namespace mhe {
namespace {

TEST(AtomicFile, AppearsOnCommitOnly) {
  const testing::ScratchDir dir;
  AtomicFile file(dir.file("out"));
  file.write("hello ");
  file.write("world");
  EXPECT_FALSE(std::filesystem::exists(dir.file("out")));
  file.commit();
  EXPECT_EQ(dir.read("out"), "hello world");
  EXPECT_EQ(dir.num_entries(), 1U);
}

TEST(AtomicFile, LeavesTheOldFileIfNotCommitted) {
  const testing::ScratchDir dir;
  dir.write("out", "old");
  {
    AtomicFile file(dir.file("out"));
    file.write("new");
  }
  EXPECT_EQ(dir.read("out"), "old");
  EXPECT_EQ(dir.num_entries(), 1U);
}

TEST(AtomicFile, ReplacesTheOldFile) {
  const testing::ScratchDir dir;
  dir.write("out", "old and longer");
  AtomicFile file(dir.file("out"));
  file.write("new");
  file.commit();
  EXPECT_EQ(dir.read("out"), "new");
  EXPECT_EQ(dir.num_entries(), 1U);
}

TEST(AtomicFile, RefusesADirectoryAndAMissingParent) {
  const testing::ScratchDir dir;
  EXPECT_THROW(AtomicFile(dir.file("")), Error);
  EXPECT_THROW(AtomicFile(dir.file("missing/out")), Error);
}

TEST(AtomicFile, SaysWhenADeviceIsFull) {
  AtomicFile file("/dev/full");
  EXPECT_THROW(file.write("x"), Error);
}

}  // namespace
}  // namespace mhe
