// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/error.h>
#include <mhe/train.h>

#include "model/linear_member.h"
#include "predict/predictor.h"
#include "scratch_dir.h"
#include "toy_model.h"
#include "toy_training.h"

namespace mhe::train {
namespace {

using namespace std::chrono_literals;
using testing::toy_rows;

class LinearFitterTest : public ::testing::Test {
 protected:
  // Few sweeps and lengths that have two levels of blocks: quick, and nothing is special.
  static TrainOptions quick() {
    TrainOptions options;
    options.lengths = {5, 6};
    options.sweeps = 3;
    options.held_out = 0.1;
    return options;
  }
  TrainReport train(const TrainOptions& options, std::size_t threads = 2, TrainRun run = {}) {
    const Context context({.threads = threads});
    if (run.out.empty()) run.out = dir_.file("m.mhe");
    return train_model(context, testing::read_from(data_), options, run);
  }
  std::string trained(const TrainOptions& options, std::size_t threads = 2, TrainRun run = {}) {
    (void)train(options, threads, std::move(run));
    return dir_.read("m.mhe");
  }
  // The message of a training that fails; nothing may be left of it.
  std::string complaint(const std::function<void()>& act) {
    const std::size_t before = dir_.num_entries();
    try {
      act();
    } catch (const Error& error) {
      EXPECT_EQ(dir_.num_entries(), before);
      return error.what();
    }
    return "";
  }

  testing::ScratchDir dir_;
  const std::string data_ = dir_.write("train.txt", svmlight(toy_rows(400, 30)));
};

TEST_F(LinearFitterTest, GivesTheSameFileForAnyThreads) {
  for (const char* head : {"cascade", "onehot"}) {
    TrainOptions options = quick();
    options.head = head;
    if (options.head == "onehot") options.lengths.clear();
    options.ensemble = options.head == "onehot" ? 1 : 2;
    const std::string one = trained(options, 1);
    EXPECT_TRUE(trained(options, 2) == one) << head;
    EXPECT_TRUE(trained(options, 4) == one) << head;
  }
}

TEST_F(LinearFitterTest, GivesTheSameFileForTextAndAnyThreads) {
  std::string texts;
  for (int i = 0; i < 300; ++i) {
    texts += fmt::format("__label__l{} word{} and word{} of {}\n", i % 9, i % 9, i % 7, i % 50);
  }
  const std::string path = dir_.write("texts.txt", texts);
  const auto train_with = [&](std::size_t threads) {
    const Context context({.threads = threads});
    (void)train_model(context, testing::read_from(path), TrainOptions(),
                      {.out = dir_.file("m.mhe")});
    return dir_.read("m.mhe");
  };
  EXPECT_TRUE(train_with(1) == train_with(4));
}

TEST_F(LinearFitterTest, TheSeedMatters) {
  const auto with_seed = [&](std::uint64_t seed) {
    const Context context({.threads = 2, .seed = seed});
    (void)train_model(context, testing::read_from(data_), quick(), {.out = dir_.file("m.mhe")});
    return dir_.read("m.mhe");
  };
  EXPECT_FALSE(with_seed(1) == with_seed(2));
}

// Runs that end at some byte of the resume file are imitated by a copy of it, taken when it is
// longest, and cut.
TEST_F(LinearFitterTest, ResumesToTheSameFile) {
  TrainOptions options = quick();
  options.ensemble = 2;
  const std::string whole = trained(options);
  EXPECT_EQ(dir_.num_entries(), 2U);  // the resume file is gone

  const std::string out = dir_.file("sub/m.mhe");
  const std::string resume_file = out + ".resume";
  std::filesystem::create_directory(dir_.file("sub"));
  const auto resume = [&](std::size_t threads) {
    return train(options, threads, {.out = out, .resume = true, .flush_after = 0ms});
  };
  std::string blocks;
  {
    const Context context({.threads = 1, .on_progress = [&](const Progress&) {
                             const std::string now = dir_.read("sub/m.mhe.resume");
                             if (now.size() > blocks.size()) blocks = now;
                           }});
    (void)train_model(context, testing::read_from(data_), options,
                      {.out = out, .flush_after = 0ms});
  }
  ASSERT_GT(blocks.size(), 1000U);
  EXPECT_FALSE(std::filesystem::exists(resume_file));
  EXPECT_TRUE(dir_.read("sub/m.mhe") == whole);
  std::size_t most = 0;
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, std::size_t{16}, std::size_t{700},
                                 blocks.size() / 2, blocks.size() - 1, blocks.size()}) {
    for (const std::size_t threads : {1U, 4U}) {
      std::filesystem::remove(out);
      dir_.write("sub/m.mhe.resume", blocks.substr(0, size));
      const TrainReport report = resume(threads);
      EXPECT_TRUE(dir_.read("sub/m.mhe") == whole) << size;
      EXPECT_GE(report.encoders[0].resumed_blocks, most);
      most = report.encoders[0].resumed_blocks;
      EXPECT_FALSE(std::filesystem::exists(resume_file));
    }
  }
  EXPECT_GT(most, 3U);

  // What belongs to other options is refused, and stays.
  dir_.write("sub/m.mhe.resume", blocks);
  options.sweeps = 2;
  EXPECT_THROW((void)resume(1), Error);
  EXPECT_TRUE(dir_.read("sub/m.mhe.resume") == blocks);
}

TEST_F(LinearFitterTest, LearnsWhatTheDataShows) {
  for (const char* head : {"cascade", "onehot"}) {
    TrainOptions options = quick();
    options.head = head;
    if (options.head == "onehot") options.lengths.clear();
    const TrainReport report = train(options);
    EXPECT_EQ(report.rows, 400U);
    EXPECT_EQ(report.labels, 30U);
    EXPECT_EQ(report.features, 90U);
    EXPECT_EQ(report.validation_rows, 40U);
    ASSERT_TRUE(report.precision.has_value());
    EXPECT_GT(report.precision->at_1, 80) << head;
    const auto model = model::Model::open(dir_.file("m.mhe"));
    EXPECT_EQ(testing::linear_member(*model).cascades().size(), 1U);
    EXPECT_EQ(testing::linear_member(*model).cascades()[0].levels.size(),
              options.head == "onehot" ? 1U : 2U);
    EXPECT_EQ(model->training_rows(), 400U);  // little data: trained again with those held out
    EXPECT_FALSE(model->calibration().curve().scores().empty());
  }
}

TEST_F(LinearFitterTest, MembersOfAnEnsembleDiffer) {
  TrainOptions options = quick();
  options.ensemble = 2;
  EXPECT_EQ(train(options).encoders[0].members, 2U);
  const auto model = model::Model::open(dir_.file("m.mhe"));
  ASSERT_EQ(testing::linear_member(*model).cascades().size(), 2U);
  const auto first = testing::linear_member(*model).cascades()[0].label_at;
  const auto second = testing::linear_member(*model).cascades()[1].label_at;
  EXPECT_FALSE(std::equal(first.begin(), first.end(), second.begin(), second.end()));
}

TEST_F(LinearFitterTest, LeavesRareLabelsOut) {
  TrainOptions options = quick();
  options.min_label_count = 10;
  const TrainReport report = train(options);
  EXPECT_GT(report.trimmed_labels, 0U);
  EXPECT_EQ(report.labels + report.trimmed_labels, 30U);
  const auto model = model::Model::open(dir_.file("m.mhe"));
  EXPECT_EQ(model->num_labels(), report.labels);
  EXPECT_EQ(model->label_counts().size(), report.labels);
}

TEST_F(LinearFitterTest, JudgesByValidationRows) {
  const std::string valid = dir_.write("valid.txt", svmlight(toy_rows(150, 33, 2)));
  const TrainReport report =
      train(quick(), 2, {.out = dir_.file("m.mhe"), .valid = testing::read_from(valid)});
  EXPECT_EQ(report.validation_rows, 150U);
  EXPECT_EQ(report.labels, 30U);  // those of the validation rows alone are not in the model
  EXPECT_EQ(model::Model::open(dir_.file("m.mhe"))->training_rows(), 400U);
}

TEST_F(LinearFitterTest, CalibratesNothingWithoutHeldOutRows) {
  TrainOptions options = quick();
  options.held_out = 0;
  const TrainReport report = train(options);
  EXPECT_EQ(report.validation_rows, 0U);
  EXPECT_FALSE(report.precision.has_value());
  EXPECT_TRUE(model::Model::open(dir_.file("m.mhe"))->calibration().curve().scores().empty());
}

TEST_F(LinearFitterTest, AWiderBeamThanThereAreNodesIsAllOfThem) {
  TrainOptions options = quick();
  options.beam = 1000;
  EXPECT_GT(train(options).precision->at_1, 80);
}

TEST_F(LinearFitterTest, MoreCandidatesThanGroupsAreRefusedIfAskedFor) {
  TrainOptions options = quick();  // by rule 10 of 5 groups
  options.candidates = 5;
  EXPECT_GT(train(options).precision->at_1, 80);
  options.candidates = 6;
  EXPECT_THROW((void)train(options), Error);
}

TEST_F(LinearFitterTest, SaysWhatItCannotDo) {
  std::filesystem::create_directory(dir_.file("d"));
  const std::string directory = dir_.file("d");
  EXPECT_EQ(complaint([&] { (void)train(quick(), 1, {.out = directory}); }),
            directory + " is a directory; expected a file to write");
  TrainOptions options = quick();
  options.lengths = {5, 5};
  EXPECT_EQ(complaint([&] { (void)train(options); }),
            "lengths 5,5 cover 25 labels; the data has 30");
  const std::string missing = dir_.file("missing/m.mhe");
  EXPECT_EQ(complaint([&] { (void)train(quick(), 1, {.out = missing}); }),
            "cannot create " + missing + ": there is no directory " + dir_.file("missing"));
  const Context context({.threads = 1});
  const auto train_on = [&](const std::string& path) {
    (void)train_model(context, testing::read_from(path), TrainOptions(),
                      {.out = dir_.file("m.mhe")});
  };
  const std::string one = dir_.write("one.txt", "__label__a some words\n__label__a more words\n");
  EXPECT_EQ(complaint([&] { train_on(one); }),
            one + ": \"a\" is the only label of all rows; learning needs at least 2");
  const std::string empty = dir_.write("empty.csv", "text,labels\n");
  EXPECT_EQ(complaint([&] { train_on(empty); }), empty + ": no rows to learn from");
  const std::string nothing = dir_.write("nothing.txt", "");
  EXPECT_NE(complaint([&] { train_on(nothing); }), "");
}

}  // namespace
}  // namespace mhe::train
