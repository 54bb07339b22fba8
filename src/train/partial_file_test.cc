// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/partial_file.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "scratch_dir.h"
#include "toy_model.h"

namespace mhe::train {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kFingerprint = 0x1234'5678'9ABC'DEF0;

bool same(const heads::NodeWeights& a, const heads::NodeWeights& b) {
  return a.present == b.present && a.bias == b.bias && a.features == b.features &&
         a.masks == b.masks && a.values == b.values;
}

// Block i of the tests; the first has no weights at all.
heads::NodeWeights block(std::size_t i) {
  if (i == 0) return {};
  RandomStream random(1, "partial_file_test", i);
  return testing::random_node(2 + i, 3, random);
}

class PartialFileTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kBlocks = 3;

  PartialFile open(bool resume, std::chrono::milliseconds flush_after = 0ms) {
    return PartialFile(
        {.path = path_, .fingerprint = kFingerprint, .resume = resume, .flush_after = flush_after});
  }
  // Writes three blocks and gives where each of them ends.
  std::vector<std::size_t> write_blocks() {
    PartialFile file = open(false);
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i < kBlocks; ++i) {
      file.save(i, 10 + i, 20 + i, block(i));
      ends.push_back(std::filesystem::file_size(path_));
    }
    return ends;
  }
  // Whether exactly the first `count` blocks are there, as they were written.
  void expect_blocks(const PartialFile& file, std::size_t count) {
    EXPECT_EQ(file.num_found(), count);
    for (std::size_t i = 0; i < kBlocks; ++i) {
      const auto found = file.load(i, 10 + i, 20 + i);
      ASSERT_EQ(found.has_value(), i < count) << i;
      EXPECT_TRUE(!found || same(*found, block(i))) << i;
    }
  }
  std::string message_of_resuming() {
    try {
      (void)open(true);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidData);
      return error.what();
    }
    return "";
  }

  testing::ScratchDir dir_;
  const std::string path_ = dir_.file("m.mhe.partial");
};

TEST_F(PartialFileTest, GivesBackWhatWasSaved) {
  write_blocks();
  const PartialFile file = open(true);
  expect_blocks(file, kBlocks);
  EXPECT_FALSE(file.load(0, 10, 21).has_value());
}

TEST_F(PartialFileTest, StartsOverUnlessAskedToResume) {
  write_blocks();
  {
    PartialFile file = open(false);
    expect_blocks(file, 0);
    file.save(0, 10, 20, block(0));
  }
  expect_blocks(open(true), 1);
}

TEST_F(PartialFileTest, ResumesAfterTheEndAtAnyByte) {
  const std::vector<std::size_t> ends = write_blocks();
  const std::string whole = dir_.read("m.mhe.partial");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    dir_.write("m.mhe.partial", whole.substr(0, size));
    std::size_t count = 0;
    while (count < kBlocks && ends[count] <= size) ++count;
    {
      PartialFile file = open(true);
      expect_blocks(file, count);
      for (std::size_t i = count; i < kBlocks; ++i) file.save(i, 10 + i, 20 + i, block(i));
    }
    EXPECT_EQ(dir_.read("m.mhe.partial"), whole) << "cut at " << size;
  }
}

TEST_F(PartialFileTest, UsesNothingFromADamagedByteOn) {
  const std::vector<std::size_t> ends = write_blocks();
  const std::string whole = dir_.read("m.mhe.partial");
  for (std::size_t at = 16; at < whole.size(); ++at) {  // behind magic and fingerprint
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    dir_.write("m.mhe.partial", damaged);
    std::size_t count = 0;
    while (ends[count] <= at) ++count;
    expect_blocks(open(true), count);
  }
}

TEST_F(PartialFileTest, RefusesWhatAnotherTrainingLeft) {
  write_blocks();
  std::string other = dir_.read("m.mhe.partial");
  other[9] = static_cast<char>(other[9] ^ 1);
  dir_.write("m.mhe.partial", other);
  EXPECT_EQ(message_of_resuming(),
            path_ +
                ": left by a training with other data, options or seed; train without resuming "
                "to start over");
}

TEST_F(PartialFileTest, RefusesOtherFiles) {
  dir_.write("m.mhe.partial", "some text that is long enough");
  EXPECT_EQ(message_of_resuming(), path_ + ": not the rest of an interrupted training");
}

TEST_F(PartialFileTest, ResumesWithoutAFileFromTheStart) {
  PartialFile file = open(true);
  expect_blocks(file, 0);
  EXPECT_EQ(dir_.num_entries(), 0U);
}

TEST_F(PartialFileTest, WritesNothingBeforeItIsDue) {
  PartialFile file = open(false, 1h);
  file.save(0, 10, 20, block(0));
  EXPECT_EQ(dir_.num_entries(), 0U);
}

TEST_F(PartialFileTest, GoesWithTheEndOfTraining) {
  PartialFile file = open(false);
  file.save(0, 10, 20, block(0));
  EXPECT_EQ(dir_.num_entries(), 1U);
  file.remove();
  EXPECT_EQ(dir_.num_entries(), 0U);
}

TEST_F(PartialFileTest, SaysWhyItCannotWrite) {
  PartialFile file({.path = dir_.file("missing/m.mhe.partial"), .flush_after = 0ms});
  EXPECT_THROW(file.save(0, 0, 0, block(1)), Error);
}

}  // namespace
}  // namespace mhe::train
