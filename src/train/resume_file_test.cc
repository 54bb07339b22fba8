// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/resume_file.h"

#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <mhe/error.h>

#include "base/checksum.h"
#include "scratch_dir.h"
#include "toy_model.h"

namespace mhe::train {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr std::uint64_t kFingerprint = 0x1234'5678'9ABC'DEF0;
constexpr std::size_t kHeadBytes = 48;
constexpr std::size_t kBlocks = 3;
constexpr const char* kName = "m.mhe.resume";

// Block i of the tests; the first has no weights at all.
heads::NodeWeights block(std::size_t i) {
  if (i == 0) return {};
  RandomStream random(1, "resume_file_test", i);
  return testing::random_node(2 + i, 3, random);
}

// What a checkpoint has, after `step` steps.
struct Arrays {
  std::vector<float> table = {1, -2.5F, 1e-40F};
  std::vector<float> none = {};
  std::vector<float> large = std::vector<float>(1'500'001);  // in parts, of an odd number
  std::vector<std::uint32_t> codes = {7, 0, 4'000'000'000};

  explicit Arrays(float step = 0) {
    table[1] = step;
    for (std::size_t i = 0; i < large.size(); ++i) large[i] = step + static_cast<float>(i % 1000);
  }
  std::vector<NamedArray> numbers() {
    return {{"member1.table", table}, {"none", none}, {"large", large}};
  }
  CheckpointArrays all() { return {numbers(), {{"member1.codes", codes}}}; }
};

TrainingState state_at(std::uint64_t step) {
  return {.member = 1,
          .step = step,
          .loss_sum = 0.1,
          .first_loss = 1.0 / 3,
          .best_quality = -1,
          .epochs_since_best = 2,
          .copy_count = 3,
          .epochs = {{{0.5, 71.25}, {0.25, std::nullopt}}, {}},
          .lengths = {5, 6, 7},
          .inner_dim = 24};
}

class ResumeFileTest : public ::testing::Test {
 protected:
  ResumeFile open(bool resume, std::chrono::milliseconds flush_after = 0ms,
                  std::uint64_t fingerprint = kFingerprint) {
    return ResumeFile(
        {.path = path_, .fingerprint = fingerprint, .resume = resume, .flush_after = flush_after});
  }
  static void save(ResumeFile& file, std::size_t i) {
    file.save_block(i, 10 + i, 20 + i, block(i));
  }
  // Writes three blocks and gives where each of them ends.
  std::vector<std::size_t> write_blocks() {
    ResumeFile file = open(false);
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i < kBlocks; ++i) {
      save(file, i);
      ends.push_back(std::filesystem::file_size(path_));
    }
    return ends;
  }
  // Whether exactly the first `count` blocks are there, as they were written.
  static void expect_blocks(const ResumeFile& file, std::size_t count) {
    EXPECT_EQ(file.num_found_blocks(), count);
    for (std::size_t i = 0; i < kBlocks; ++i) {
      const auto found = file.load_block(i, 10 + i, 20 + i);
      ASSERT_EQ(found.has_value(), i < count) << i;
      if (!found) continue;
      const heads::NodeWeights saved = block(i);
      EXPECT_TRUE(found->present == saved.present && found->bias == saved.bias &&
                  found->features == saved.features && found->masks == saved.masks &&
                  found->values == saved.values)
          << i;
    }
  }
  static void expect_checkpoint(const ResumeFile& file, std::uint64_t step) {
    ASSERT_TRUE(file.state());
    EXPECT_TRUE(file.has_checkpoint());
    const TrainingState expected = state_at(step);
    const TrainingState& state = *file.state();
    EXPECT_EQ(
        std::tie(state.member, state.step, state.loss_sum, state.first_loss, state.best_quality,
                 state.epochs_since_best, state.copy_count, state.lengths, state.inner_dim),
        std::tie(expected.member, expected.step, expected.loss_sum, expected.first_loss,
                 expected.best_quality, expected.epochs_since_best, expected.copy_count,
                 expected.lengths, expected.inner_dim));
    ASSERT_EQ(state.epochs.size(), 2U);
    ASSERT_EQ(state.epochs[0].size(), 2U);
    EXPECT_EQ(state.epochs[0][0].quality, std::optional(71.25));
    EXPECT_EQ(state.epochs[0][1].loss, 0.25);
    EXPECT_EQ(state.epochs[0][1].quality, std::nullopt);
    EXPECT_TRUE(state.epochs[1].empty());
    Arrays loaded(99);
    const Arrays saved(static_cast<float>(step));
    file.load(loaded.numbers());
    EXPECT_EQ(loaded.table, saved.table);
    EXPECT_TRUE(loaded.large == saved.large);
    const auto codes = file.codes("member1.codes", 3);
    EXPECT_TRUE(std::equal(codes.begin(), codes.end(), saved.codes.begin(), saved.codes.end()));
  }
  std::string message_of(const std::function<void()>& act,
                         ErrorCode code = ErrorCode::kInvalidData) {
    try {
      act();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      return error.what();
    }
    return "";
  }
  std::string message_of_resuming() {
    return message_of([&] { (void)open(true); });
  }

  testing::ScratchDir dir_;
  const std::string path_ = dir_.file(kName);
};

TEST_F(ResumeFileTest, GivesBackTheBlocksThatWereSaved) {
  write_blocks();
  const ResumeFile file = open(true);
  EXPECT_TRUE(file.has_found());
  EXPECT_FALSE(file.has_checkpoint());
  expect_blocks(file, kBlocks);
  EXPECT_FALSE(file.load_block(0, 10, 21).has_value());
}

TEST_F(ResumeFileTest, GivesBackTheCheckpointThatWasSaved) {
  Arrays arrays(7);
  open(false).save_checkpoint(state_at(7), arrays.all());
  const ResumeFile file = open(true);
  EXPECT_TRUE(file.has_found());
  expect_blocks(file, 0);
  expect_checkpoint(file, 7);
}

TEST_F(ResumeFileTest, StartsOverUnlessAskedToResume) {
  write_blocks();
  {
    ResumeFile file = open(false);
    expect_blocks(file, 0);
    save(file, 0);
  }
  expect_blocks(open(true), 1);
  Arrays arrays;
  open(false).save_checkpoint(state_at(1), arrays.all());
  expect_blocks(open(true), 0);
}

// Blocks from before a checkpoint, found or saved, and those that wait; then some after it.
TEST_F(ResumeFileTest, KeepsBlocksWhileCheckpointsAreReplaced) {
  Arrays arrays(4);
  {
    ResumeFile file = open(false);
    save(file, 0);
    file.save_checkpoint(state_at(3), arrays.all());
    EXPECT_TRUE(file.has_checkpoint());
  }
  {
    ResumeFile file = open(true);
    expect_blocks(file, 1);
    save(file, 1);
    arrays.none.resize(5);  // another size, so that blocks move
    file.save_checkpoint(state_at(4), arrays.all());
    EXPECT_FALSE(file.state());
    expect_blocks(file, 1);
    save(file, 2);
  }
  {
    ResumeFile file = open(true);
    expect_blocks(file, kBlocks);
    arrays = Arrays(5);
    file.save_checkpoint(state_at(5), arrays.all());
  }
  const ResumeFile file = open(true);
  expect_blocks(file, kBlocks);
  expect_checkpoint(file, 5);
  EXPECT_EQ(dir_.num_entries(), 1U);
}

TEST_F(ResumeFileTest, ResumesAfterTheEndAtAnyByte) {
  const std::vector<std::size_t> ends = write_blocks();
  const std::string whole = dir_.read(kName);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    dir_.write(kName, whole.substr(0, size));
    std::size_t count = 0;
    while (count < kBlocks && ends[count] <= size) ++count;
    {
      ResumeFile file = open(true);
      expect_blocks(file, count);
      for (std::size_t i = count; i < kBlocks; ++i) save(file, i);
    }
    EXPECT_EQ(dir_.read(kName), whole) << "cut at " << size;
  }
}

TEST_F(ResumeFileTest, UsesNoBlockFromADamagedByteOn) {
  const std::vector<std::size_t> ends = write_blocks();
  const std::string whole = dir_.read(kName);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    dir_.write(kName, damaged);
    if (at < kHeadBytes) {
      EXPECT_THAT(message_of_resuming(), HasSubstr(": damaged, or not a file")) << at;
      continue;
    }
    std::size_t count = 0;
    while (ends[count] <= at) ++count;
    expect_blocks(open(true), count);
  }
}

TEST_F(ResumeFileTest, RefusesADamagedOrTruncatedCheckpoint) {
  Arrays arrays;
  arrays.large.resize(2);
  open(false).save_checkpoint(state_at(1), arrays.all());
  const std::string whole = dir_.read(kName);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    dir_.write(kName, damaged);
    EXPECT_THAT(message_of_resuming(), HasSubstr("damaged")) << at;
  }
  for (std::size_t size = 17; size < whole.size(); ++size) {  // before, it has none
    dir_.write(kName, whole.substr(0, size));
    EXPECT_THAT(message_of_resuming(), HasSubstr("damaged")) << size;
  }
}

TEST_F(ResumeFileTest, KeepsACheckpointWhenABlockIsTorn) {
  Arrays arrays(2);
  {
    ResumeFile file = open(false);
    file.save_checkpoint(state_at(2), arrays.all());
    save(file, 0);
    save(file, 1);
  }
  const std::string whole = dir_.read(kName);
  dir_.write(kName, whole.substr(0, whole.size() - 1));
  {
    ResumeFile file = open(true);
    expect_blocks(file, 1);
    expect_checkpoint(file, 2);
    save(file, 1);
  }
  EXPECT_TRUE(dir_.read(kName) == whole);
}

// A payload in place of what was saved, with the checksum that belongs to it.
TEST_F(ResumeFileTest, BelievesNoCount) {
  const auto with_word = [&](std::string file, std::size_t record, std::size_t word,
                             std::uint64_t value) {
    std::memcpy(file.data() + record + kHeadBytes + 8 * word, &value, 8);
    Checksum64 sum;
    sum.add(std::as_bytes(std::span(file).subspan(record, 40)));
    std::uint64_t size = 0;
    std::memcpy(&size, file.data() + record + 32, 8);
    sum.add(std::as_bytes(std::span(file).subspan(record + kHeadBytes, size)));
    const std::uint64_t checksum = sum.value();
    std::memcpy(file.data() + record + 40, &checksum, 8);
    dir_.write(kName, file);
  };
  const std::vector<std::size_t> ends = write_blocks();
  std::string whole = dir_.read(kName);
  for (const std::uint64_t count : {std::uint64_t{1} << 20U, ~std::uint64_t{0} / 4}) {
    with_word(whole, ends[1], 1, count);  // of biases
    EXPECT_THAT(message_of([&] { (void)open(true).load_block(2, 12, 22); }), HasSubstr(" bytes"));
  }
  Arrays arrays;
  open(false).save_checkpoint(state_at(1), arrays.all());
  whole = dir_.read(kName);
  for (const std::uint64_t member : {std::uint64_t{2}, std::uint64_t{1} << 60U}) {
    with_word(whole, kHeadBytes, 0, member);
    EXPECT_THAT(message_of_resuming(), HasSubstr("damaged: ")) << member;
  }
}

TEST_F(ResumeFileTest, SaysWhatArraysAreMissingOrOfAnotherSize) {
  Arrays arrays;
  open(false).save_checkpoint(state_at(1), arrays.all());
  const ResumeFile file = open(true);
  EXPECT_THAT(message_of([&] { (void)file.codes("member2.codes", 3); }),
              HasSubstr("there is no array \"member2.codes\""));
  arrays.table.resize(4);
  EXPECT_THAT(message_of([&] { file.load(arrays.numbers()); }),
              HasSubstr("array \"member1.table\" has 3 values; expected 4"));
}

TEST_F(ResumeFileTest, RefusesWhatAnotherTrainingLeft) {
  write_blocks();
  EXPECT_EQ(message_of([&] { (void)open(true, 0ms, 7); }),
            path_ +
                ": left by a training with other data, options or seed; train without resuming "
                "to start over");
}

TEST_F(ResumeFileTest, RefusesOtherFiles) {
  dir_.write(kName, "some text, which is as long as the head of a record");
  EXPECT_THAT(message_of_resuming(), HasSubstr("not a file that this version of mhe resumes from"));
}

TEST_F(ResumeFileTest, ResumesWithoutAFileFromTheStart) {
  const ResumeFile file = open(true);
  EXPECT_FALSE(file.has_found());
  expect_blocks(file, 0);
  EXPECT_EQ(dir_.num_entries(), 0U);
}

TEST_F(ResumeFileTest, WritesNoBlockBeforeItIsDue) {
  ResumeFile file = open(false, 1h);
  save(file, 0);
  EXPECT_EQ(dir_.num_entries(), 0U);
}

TEST_F(ResumeFileTest, GoesWithTheEndOfTraining) {
  ResumeFile file = open(false);
  save(file, 0);
  EXPECT_EQ(dir_.num_entries(), 1U);
  file.remove();
  EXPECT_EQ(dir_.num_entries(), 0U);
}

TEST_F(ResumeFileTest, SaysWhyItCannotWrite) {
  ResumeFile file({.path = dir_.file("missing/m.mhe.resume"), .flush_after = 0ms});
  EXPECT_THAT(message_of([&] { file.save_block(0, 0, 0, block(1)); }, ErrorCode::kIo),
              HasSubstr("cannot write"));
  Arrays arrays;
  EXPECT_THAT(message_of([&] { file.save_checkpoint(state_at(1), arrays.all()); }, ErrorCode::kIo),
              HasSubstr("cannot create"));
}

// As on a full disk: files cannot grow beyond a limit.
class FileLimit {
 public:
  explicit FileLimit(std::size_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_ = {};
  void (*handler_)(int);
};

TEST_F(ResumeFileTest, StaysAsItWasWhenWritingFails) {
  Arrays arrays(6);
  {
    ResumeFile file = open(false);
    save(file, 0);
    file.save_checkpoint(state_at(6), arrays.all());
    const std::string whole = dir_.read(kName);
    const FileLimit limit(whole.size() + 20);
    EXPECT_NE(message_of([&] { save(file, 1); }, ErrorCode::kIo), "");
    EXPECT_EQ(dir_.read(kName).size(), whole.size() + 20);  // torn
    arrays.none.resize(100);
    EXPECT_NE(message_of([&] { file.save_checkpoint(state_at(8), arrays.all()); }, ErrorCode::kIo),
              "");
    EXPECT_TRUE(dir_.read(kName).starts_with(whole));
    EXPECT_EQ(dir_.num_entries(), 1U);
    expect_blocks(open(true), 1);
  }  // there is room again
  {
    ResumeFile file = open(true);
    expect_blocks(file, 2);
    expect_checkpoint(file, 6);
    save(file, 2);
  }
  expect_blocks(open(true), kBlocks);
}

}  // namespace
}  // namespace mhe::train
