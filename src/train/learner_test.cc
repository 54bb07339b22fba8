// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/learner.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <mhe/error.h>
#include <mhe/model.h>
#include <mhe/predict.h>

#include "scratch_dir.h"
#include "toy_training.h"

namespace mhe::train {
namespace {

using namespace std::chrono_literals;
using testing::toy_data;
using testing::toy_rows;

constexpr std::uint32_t kLabels = 30;

class LearnerTest : public ::testing::Test {
 protected:
  static TrainOptions quick(const std::string& encoder) {
    TrainOptions options;
    options.encoder = encoder;
    options.head = "onehot";
    options.held_out = 0.1;
    if (encoder.find("linear:") == std::string::npos && encoder != "linear") {
      options.dim = 24;
      options.epochs = 4;
      options.batch = 32;
    }
    return options;
  }
  TrainReport train(const TrainOptions& options, TrainRun run = {}, ContextOptions how = {}) {
    if (how.threads == 0) how.threads = 2;
    if (run.out.empty()) run.out = path_;
    const Context context(std::move(how));
    return train_model(context, data_, options, run);
  }
  // [row][label]
  std::vector<std::vector<float>> scores() {
    Session session(Model::open(path_));
    const TrainingSet set = testing::toy_set(toy_rows(50, kLabels, 2), kLabels);
    std::vector<std::vector<float>> all;
    for (std::size_t row = 0; row < set.examples.rows(); ++row) {
      std::vector<float>& of_row = all.emplace_back(kLabels);
      for (const auto& found : session.predict(set.examples.features[row], {.k = kLabels})) {
        of_row[index_of(found.label)] = found.score;
      }
    }
    return all;
  }

  testing::ScratchDir dir_;
  const std::string path_ = dir_.file("m.mhe");
  const Dataset data_ = toy_data(toy_rows(400, kLabels), kLabels);
};

TEST_F(LearnerTest, MembersOfSeveralEncodersAreAveraged) {
  const auto options_for = [&](const std::string& encoder) {
    TrainOptions options = quick(encoder);
    options.held_out = 0;  // scores stay what the members say
    options.neighbours = encoder == "bag" ? -1 : 0;
    return options;
  };
  (void)train(options_for("linear"));
  const auto linear = scores();
  (void)train(options_for("bag"));
  const auto bag = scores();
  const TrainReport report = train(options_for("linear,bag"));
  ASSERT_EQ(report.encoders.size(), 2U);
  EXPECT_EQ(report.encoders[0].encoder, "linear");
  EXPECT_EQ(report.encoders[1].encoder, "bag");
  const auto both = scores();
  std::size_t different = 0;
  for (std::size_t row = 0; row < both.size(); ++row) {
    for (std::size_t label = 0; label < kLabels; ++label) {
      EXPECT_NEAR(both[row][label], (linear[row][label] + bag[row][label]) / 2, 1e-5);
      different += linear[row][label] != bag[row][label] ? 1 : 0;
    }
  }
  EXPECT_GT(different, both.size() * kLabels / 2);
}

TEST_F(LearnerTest, MembersOfOneEncoderDifferInTheirOptions) {
  TrainOptions options =
      quick("linear:head=cascade:lengths=5x6,linear,bag:head=cascade:dim=8:lengths=6x5");
  options.parent_weight = 0.5F;  // one-hot heads have none
  const TrainReport report = train(options);
  ASSERT_EQ(report.encoders.size(), 3U);
  EXPECT_EQ(report.encoders[0].lengths, (std::vector<std::uint32_t>{5, 6}));
  EXPECT_EQ(report.encoders[1].head, "onehot");
  EXPECT_EQ(report.encoders[2].encoder, "bag");
  EXPECT_EQ(report.encoders[2].lengths, (std::vector<std::uint32_t>{6, 5}));
}

TEST_F(LearnerTest, RecordsTheSettingsThatWereUsed) {
  TrainOptions options = quick("linear");
  options.head = "cascade";
  const TrainReport linear = train(options, {.out = {}, .measure = true});
  const auto card = [&] { return read_card(path_).metadata.at("options"); };
  EXPECT_EQ(linear.history.settings_json, card());
  const auto said = nlohmann::json::parse(card());
  EXPECT_EQ(said.at("lengths"), linear.encoders[0].lengths);
  EXPECT_EQ(said.at("leaf"), linear.encoders[0].lengths.back());
  EXPECT_EQ(said.at("parent_weight").get<float>(), linear.encoders[0].parent_weight);
  EXPECT_EQ(said.at("neighbours").get<float>(), linear.encoders[0].neighbours);
  EXPECT_EQ(said.at("refit"), linear.refitted ? "yes" : "no");
  EXPECT_EQ(said.at("label_text"), "no");
  EXPECT_GE(said.at("prune").get<float>(), 0);

  options = quick("bag");
  options.head = "cascade";
  const TrainReport bag = train(options);
  const auto learned = nlohmann::json::parse(card());
  EXPECT_EQ(learned.at("lengths"), bag.encoders[0].lengths);
  EXPECT_EQ(learned.at("heads"), bag.encoders[0].lengths.size());
  EXPECT_EQ(learned.at("inner_dim"), bag.encoders[0].inner_dim);
  EXPECT_EQ(learned.at("parent_weight").get<float>(), bag.encoders[0].parent_weight);
  EXPECT_EQ(learned.at("loss"), "sigmoid");
  EXPECT_EQ(learned.at("hidden_layers"), 0);
  options.hidden_layers = 2;
  (void)train(options);
  EXPECT_EQ(nlohmann::json::parse(card()).at("hidden_layers"), 2);
  EXPECT_GT(learned.at("candidates").get<int>(), 0);
}

TEST_F(LearnerTest, TellsWhatWasReadBeforeLongWork) {
  std::vector<std::string> order;
  std::uint64_t held_out = 0;
  const TrainReport report = train(quick("linear"),
                                   {.out = {},
                                    .on_read =
                                        [&](const TrainReport& so_far) {
                                          order.emplace_back("read");
                                          held_out = so_far.validation_rows;
                                          EXPECT_EQ(so_far.rows, 400U);
                                          EXPECT_EQ(so_far.read.rows, 400U);
                                        }},
                                   {.on_progress = [&](const Progress& progress) {
                                     if (progress.stage == "calibrating")
                                       order.emplace_back("fitted");
                                   }});
  ASSERT_GE(order.size(), 2U);
  EXPECT_EQ(order.front(), "read");
  EXPECT_EQ(held_out, report.validation_rows);
}

TEST_F(LearnerTest, RowsInMemoryHaveNoCommand) {
  (void)train(quick("linear"));
  EXPECT_EQ(read_card(path_).metadata.count("command"), 0U);
  EXPECT_EQ(read_card(path_).metadata.count("data"), 0U);
}

TEST_F(LearnerTest, RefitsABagWithAllRowsIfAsked) {
  TrainOptions options = quick("bag");
  EXPECT_FALSE(train(options).refitted);
  EXPECT_EQ(Model::open(path_).training_rows(), 360U);
  const std::string once = dir_.read("m.mhe");
  options.refit = "yes";
  const TrainReport report = train(options);
  EXPECT_TRUE(report.refitted);
  EXPECT_EQ(report.validation_rows, 40U);
  EXPECT_EQ(Model::open(path_).training_rows(), 400U);
  EXPECT_FALSE(dir_.read("m.mhe") == once);
  options = quick("linear");
  options.refit = "no";
  EXPECT_FALSE(train(options).refitted);
  EXPECT_EQ(Model::open(path_).training_rows(), 360U);
}

// Stopped at every report in turn, from anywhere: what is there later is the same model.
TEST_F(LearnerTest, GoesOnToTheSameFileWhereverItIsStopped) {
  for (const std::string encoder :
       {"linear", "bag", "linear,bag",
        "linear:head=cascade:lengths=5x6,linear:head=cascade:lengths=2x3x5"}) {
    const TrainOptions options = quick(encoder);
    std::size_t reports = 0;
    (void)train(options, {.out = {}, .flush_after = 0ms},
                {.on_progress = [&](const Progress&) { ++reports; }});
    const std::string whole = dir_.read("m.mhe");
    std::filesystem::remove(path_);
    bool was_kept = false;
    for (std::size_t at = 1; at < reports; at += std::max<std::size_t>(1, reports / 7)) {
      std::size_t seen = 0;
      try {
        (void)train(options, {.out = {}, .resume = was_kept, .flush_after = 0ms},
                    {.on_progress = [&](const Progress&) { ++seen; },
                     .should_stop = [&] { return seen >= at; }});
        break;  // less was left to do
      } catch (const Error& error) {
        ASSERT_EQ(error.code(), ErrorCode::kInterrupted) << error.what();
      }
      EXPECT_FALSE(std::filesystem::exists(path_));
      was_kept = std::filesystem::exists(path_ + ".resume");
    }
    if (!std::filesystem::exists(path_)) {
      EXPECT_TRUE(was_kept) << encoder;
      const TrainReport report = train(options, {.out = {}, .resume = true, .flush_after = 0ms});
      std::size_t resumed = 0;
      for (const MemberReport& member : report.encoders) {
        resumed += member.resumed_blocks + member.resumed_epochs;
      }
      EXPECT_GT(resumed, 0U) << encoder;
    }
    EXPECT_TRUE(dir_.read("m.mhe") == whole) << encoder;
    EXPECT_EQ(dir_.num_entries(), 1U) << encoder;
    std::filesystem::remove(path_);
  }
}

TEST_F(LearnerTest, AStopAfterTheLastStepKeepsWhatIsTrained) {
  for (const std::string encoder : {"bag", "linear,bag"}) {
    const TrainOptions options = quick(encoder);
    (void)train(options);
    const std::string whole = dir_.read("m.mhe");
    std::filesystem::remove(path_);
    bool is_late = false;
    try {
      (void)train(options, {},
                  {.on_progress =
                       [&](const Progress& progress) {
                         is_late = is_late || progress.stage == "calibrating";
                       },
                   .should_stop = [&] { return is_late; }});
      ADD_FAILURE() << "not stopped";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInterrupted) << error.what();
    }
    ASSERT_TRUE(std::filesystem::exists(path_ + ".resume")) << encoder;
    std::size_t steps = 0;
    (void)train(options, {.out = {}, .resume = true},
                {.on_progress = [&](const Progress& progress) {
                  steps += progress.stage == "training" ? 1 : 0;
                }});
    EXPECT_EQ(steps, 0U);
    EXPECT_TRUE(dir_.read("m.mhe") == whole);
    std::filesystem::remove(path_);
  }
}

TEST_F(LearnerTest, AStopWhileRefittingKeepsTheFirstTraining) {
  TrainOptions options = quick("bag");
  options.refit = "yes";
  options.ensemble = 2;
  (void)train(options);
  const std::string whole = dir_.read("m.mhe");
  std::filesystem::remove(path_);
  std::size_t steps = 0;
  const std::size_t in_refit = std::size_t{2} * 4 * 12 + 5;  // 12 steps an epoch of 360 rows
  try {
    (void)train(
        options, {},
        {.on_progress = [&](const Progress& progress) { steps += progress.stage == "training"; },
         .should_stop = [&] { return steps >= in_refit; }});
    ADD_FAILURE() << "not stopped";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInterrupted) << error.what();
  }
  const TrainReport report = train(options, {.out = {}, .resume = true});
  EXPECT_EQ(report.encoders[0].resumed_epochs, 8U);
  EXPECT_TRUE(dir_.read("m.mhe") == whole);
  EXPECT_EQ(dir_.num_entries(), 1U);
}

}  // namespace
}  // namespace mhe::train
