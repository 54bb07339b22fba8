// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mhe/error.h>
#include <mhe/predict.h>
#include <mhe/train.h>

#include "gradient_training.h"
#include "model/model.h"

namespace mhe::train {
namespace {

using testing::GradientSetup;
using testing::toy_data;
using testing::toy_rows;
using testing::toy_set;

constexpr std::uint32_t kLabels = testing::kGradientLabels;

class GradientFitterTest : public ::testing::Test, protected testing::GradientTraining {
 protected:
  static GradientSetup with_threads(std::size_t threads) {
    GradientSetup setup;
    setup.threads = threads;
    return setup;
  }
  static GradientSetup with_run(TrainRun run) {
    GradientSetup setup;
    setup.run = std::move(run);
    return setup;
  }
};

constexpr const char* kEncoders[] = {"bag", "dense"};
constexpr const char* kHeads[] = {"onehot", "product", "cascade", "sampling"};

TEST_F(GradientFitterTest, LearnsWithEveryEncoderAndHead) {
  for (const char* encoder : kEncoders) {
    for (const char* head : kHeads) {
      TrainOptions options = quick(encoder, head);
      options.epochs = 20;
      const TrainReport report = train(options);
      ASSERT_TRUE(report.precision);
      // Labels show in features of their own, so nearly all first labels are found; at random one
      // in 30 would be.
      EXPECT_GT(report.precision->at_1, 70) << encoder << " " << head;
      EXPECT_LT(report.encoders[0].epochs[0].back().loss,
                report.encoders[0].epochs[0].front().loss);
      const auto model = model::Model::open(dir.file("m.mhe"));
      EXPECT_EQ(model->num_labels(), kLabels);
      EXPECT_EQ(model->input_kind(),
                std::string(encoder) == "bag" ? InputKind::kSparse : InputKind::kDense);
    }
  }
}

TEST_F(GradientFitterTest, TwoLabelsAreLearntWithoutLevels) {
  TrainOptions options = quick("bag", "auto");
  const auto train_two = [&] {
    return train_model(Context({.threads = 1}), toy_data(toy_rows(100, 2), 2), options,
                       {.out = dir.file("m.mhe")});
  };
  const TrainReport report = train_two();
  EXPECT_EQ(report.encoders[0].head, "onehot");
  EXPECT_NE(dir.read("m.mhe").find(R"(\"head\":\"onehot\")"), std::string::npos);
  options.head = "cascade";
  EXPECT_EQ(code_of([&] { (void)train_two(); }), ErrorCode::kInvalidArgument);
}

TEST_F(GradientFitterTest, PredictsSetsOfLabels) {
  TrainOptions options = quick("bag", "product");
  options.powerset = true;
  options.candidates = -1;
  options.epochs = 40;
  options.lengths = {32, 32, 32, 32, 32, 32};
  const TrainReport report = train(options);
  EXPECT_GT(report.precision->at_1, 70);
  EXPECT_EQ(report.labels, kLabels);
  options.lengths.clear();  // 5 bits a head by rule
  options.epochs = 1;
  EXPECT_EQ(train(options).encoders[0].lengths, std::vector<std::uint32_t>(6, 32));
  options.lengths = {32, 32};
  EXPECT_EQ(code_of([&] { (void)train(options); }), ErrorCode::kInvalidArgument);
  options = quick("bag", "cascade");
  options.powerset = true;
  EXPECT_EQ(code_of([&] { (void)train(options); }), ErrorCode::kInvalidArgument);
}

TEST_F(GradientFitterTest, SetsAreCalibratedOnValidationRows) {
  TrainOptions options = quick("bag", "product");
  options.powerset = true;
  options.epochs = 4;
  options.lengths.assign(6, 32);
  const auto has_calibration = [&] {
    const auto model = model::Model::open(dir.file("m.mhe"));
    EXPECT_TRUE(model->calibration().curve().scores().empty());
    return dir.read("m.mhe").find("head.set_scales") != std::string::npos;
  };
  for (const char* loss : {"softmax", "sigmoid"}) {
    options.loss = loss;
    EXPECT_TRUE(train(options).sets.has_value());
    EXPECT_TRUE(has_calibration()) << loss;
  }
  options.loss = "auto";
  options.held_out = 0;
  EXPECT_FALSE(train(options).sets.has_value());
  EXPECT_FALSE(has_calibration());
  for (const double few : {0.0025, 0.01}) {  // 1 and 4 of 400 rows
    options.held_out = few;
    EXPECT_TRUE(train(options).sets.has_value());
    EXPECT_TRUE(has_calibration());
  }
  options.held_out = 0.1;
  options.refit = "yes";
  EXPECT_TRUE(train(options).refitted);
  EXPECT_TRUE(has_calibration());
  options.refit = "auto";
  for (const std::size_t ensemble : {1U, 2U}) {
    options.ensemble = ensemble;
    EXPECT_TRUE(trained(options, with_threads(1)) == trained(options, with_threads(3)));
  }
}

// The figure of training is not of rows that shaped the calibration; looking at it changes nothing.
TEST_F(GradientFitterTest, AReportOfSetsLeavesTheModelAsItIs) {
  TrainOptions options = quick("bag", "product");
  options.powerset = true;
  options.lengths.assign(6, 32);
  const std::string plain = trained(options);
  const TrainReport report = train(options, with_run({.out = {}, .measure = true}));
  EXPECT_TRUE(dir.read("m.mhe") == plain);
  ASSERT_TRUE(report.history.sets.has_value());
  EXPECT_EQ(report.history.sets->accuracy, report.sets->accuracy);
  EXPECT_EQ(report.sets->rows, report.validation_rows);
  EXPECT_EQ(report.history.metrics->rows, report.validation_rows);
}

TEST_F(GradientFitterTest, WarnsOfProductHeadsOverRowsWithSeveralLabels) {
  const auto warnings_of = [&](const TrainOptions& options, const Dataset& data) {
    std::vector<std::string> warnings;
    const Context context({.threads = 1, .on_warning = [&](std::string_view message) {
                             warnings.emplace_back(message);
                           }});
    (void)train_model(context, data, options, {.out = dir.file("m.mhe")});
    return warnings;
  };
  TrainOptions options = quick("bag", "product");
  options.epochs = 1;
  const Dataset several = toy_data(toy_rows(200, kLabels), kLabels);
  const std::vector<std::string> warnings = warnings_of(options, several);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings.front(), ::testing::HasSubstr("cascade"));
  options.powerset = true;
  options.lengths.assign(6, 32);
  EXPECT_TRUE(warnings_of(options, several).empty());
  EXPECT_TRUE(warnings_of(quick("bag", "cascade"), several).empty());
  auto one = DatasetBuilder::of_vectors(30);
  for (std::uint32_t row = 0; row < 200; ++row) {
    const std::vector<std::uint32_t> columns = {row % 30};
    const std::vector<float> values = {1.0F};
    const std::vector<LabelId> labels = {LabelId{row % 30}};
    one.add(SparseRow{columns, values}, labels);
  }
  options = quick("bag", "product");
  EXPECT_TRUE(warnings_of(options, std::move(one).build()).empty());
}

TEST_F(GradientFitterTest, GivesTheSameFileForAnyThreads) {
  for (const char* encoder : kEncoders) {
    for (const char* head : kHeads) {
      TrainOptions options = quick(encoder, head);
      options.epochs = 2;
      options.hidden_layers = 2;
      EXPECT_TRUE(trained(options, with_threads(1)) == trained(options, with_threads(3)))
          << encoder << " " << head;
    }
  }
}

TEST_F(GradientFitterTest, PredictsFromTheFileWhatItFoundBefore) {
  const TrainOptions options = quick("bag", "cascade");
  const TrainReport report = train(options);
  const Context context({.threads = 1});
  TrainingSet set = toy_set(toy_rows(400, kLabels), kLabels);
  const Examples held_out = hold_out(set.examples, report.validation_rows, context.seed());
  Session session(Model::open(dir.file("m.mhe")));
  std::size_t hits = 0;
  for (std::size_t row = 0; row < held_out.rows(); ++row) {
    const auto found = session.predict(held_out.features[row], {.k = 1});
    const auto truth = held_out.labels[row];
    hits += std::find(truth.begin(), truth.end(), found[0].label) != truth.end() ? 1 : 0;
  }
  EXPECT_DOUBLE_EQ(100.0 * static_cast<double>(hits) / static_cast<double>(held_out.rows()),
                   report.precision->at_1);
}

TEST_F(GradientFitterTest, SaysThatTheLossDiverged) {
  TrainOptions options = quick("dense", "onehot");
  options.table_rule = "sgd";
  options.layer_rule = "sgd";
  options.learning_rate = 1e6F;
  options.layer_rate = 1e6F;
  EXPECT_EQ(code_of([&] { (void)train(options); }), ErrorCode::kDiverged);
}

// Rates rise until the loss runs away; a training that went through good epochs before keeps the
// last of them.
TEST_F(GradientFitterTest, GoesOnFromTheLastGoodEpochWithASmallerRate) {
  TrainOptions options = quick("bag", "onehot");
  options.table_rule = "sgd";
  options.layer_rule = "sgd";
  options.schedule = "constant";
  options.warmup = 1;
  options.epochs = 20;
  options.learning_rate = 1000;
  options.init = "random";  // better starts do not run away
  TrainRun run;
  run.checkpoint_every = 1;
  EXPECT_EQ(code_of([&] { (void)train(options, with_run(run)); }), ErrorCode::kDiverged);
  ASSERT_TRUE(std::filesystem::exists(dir.file("m.mhe.resume")));
  options.learning_rate = 0.1F;
  run.resume = true;
  const TrainReport report = train(options, with_run(run));
  EXPECT_GE(report.encoders[0].resumed_epochs, 1U);
  EXPECT_EQ(report.encoders[0].epochs[0].size(), options.epochs);
}

TEST_F(GradientFitterTest, SaysThatTheCodeEpochsDiverged) {
  TrainOptions options = quick("bag", "product");
  options.candidates = -1;
  options.redundant_heads = 4;
  options.code_epochs = 2;
  options.loss = "softmax";
  options.table_rule = "sgd";
  options.learning_rate = 1e9F;
  EXPECT_EQ(code_of([&] { (void)train(options); }), ErrorCode::kDiverged);
}

TEST_F(GradientFitterTest, PlansTheSizeOfTheFileForEveryRank) {
  for (const std::size_t rank : {1U, 8U}) {
    TrainOptions options = quick("bag", "product");
    options.candidates = -1;
    options.rank = rank;
    options.loss = "softmax";
    options.dim = 256;  // so that the header is little against the rows
    options.epochs = 1;
    const TrainReport report = train(options);
    const auto bytes = static_cast<double>(std::filesystem::file_size(dir.file("m.mhe")));
    EXPECT_NEAR(static_cast<double>(report.encoders[0].planned_model_bytes), bytes, 0.15 * bytes)
        << rank;
  }
}

// Steps do not depend on how many follow, so that fewer epochs give the weights of an earlier one.
TrainOptions with_steady_rates(TrainOptions options) {
  options.schedule = "constant";
  options.warmup = 0;
  return options;
}

TEST_F(GradientFitterTest, KeepsTheBestEpoch) {
  TrainOptions options = with_steady_rates(quick("bag", "onehot"));
  options.epochs = 30;
  options.patience = 2;
  const TrainReport report = train(options);
  const std::vector<EpochReport>& epochs = report.encoders[0].epochs[0];
  std::size_t best = 0;
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    ASSERT_TRUE(epochs[i].quality);
    if (*epochs[i].quality > *epochs[best].quality) best = i;
  }
  ASSERT_EQ(epochs.size(), best + 3) << "it has to stop early for this test";
  const std::vector<float> kept = read_tensor("member0.head.table");
  options.patience = 0;
  options.epochs = epochs.size();
  EXPECT_NE(tensor_of("member0.head.table", options), kept);
  options.epochs = best + 1;
  EXPECT_EQ(tensor_of("member0.head.table", options), kept);
}

TEST_F(GradientFitterTest, AveragesTheWeightsOfTheLastEpochs) {
  TrainOptions options = with_steady_rates(quick("bag", "cascade"));
  for (const std::string name : {"member0.head.level1.table", "member0.head.level2.bias",
                                 "member0.encoder.layer0.weights"}) {
    std::vector<double> mean;
    for (options.epochs = 2; options.epochs <= 4; ++options.epochs) {
      const std::vector<float> values = tensor_of(name, options);
      mean.resize(values.size());
      for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += static_cast<double>(values[i]) / 3;
    }
    options.epochs = 4;
    options.swa = 0.6;  // of 4 epochs, rounded up: 3
    const std::vector<float> averaged = tensor_of(name, options);
    options.swa = 0;
    ASSERT_EQ(averaged.size(), mean.size());
    // Three floats of size 1 or so are added up.
    for (std::size_t i = 0; i < mean.size(); ++i) ASSERT_NEAR(averaged[i], mean[i], 1e-6) << name;
  }
}

TEST_F(GradientFitterTest, EnsemblesScoreTheMeanOfTheirMembers) {
  TrainOptions options = quick("bag", "onehot");
  options.held_out = 0;  // scores stay what the heads say
  const TrainingSet set = toy_set(toy_rows(400, kLabels), kLabels);
  const auto scores_of = [&](std::uint64_t seed) {
    GradientSetup setup;
    setup.seed = seed;
    (void)train(options, setup);
    Session session(Model::open(this->model()));
    std::vector<double> scores(kLabels);
    for (const auto& found : session.predict(set.examples.features[0], {.k = kLabels})) {
      scores[index_of(found.label)] = found.score;
    }
    return scores;
  };
  const std::vector<double> first = scores_of(5);
  const std::vector<double> second = scores_of(5 + 0x10001);
  options.ensemble = 2;
  const std::vector<double> both = scores_of(5);
  for (std::size_t label = 0; label < kLabels; ++label) {
    EXPECT_NE(first[label], second[label]);
    EXPECT_NEAR(both[label], (first[label] + second[label]) / 2, 1e-6);
  }
}

TEST_F(GradientFitterTest, StaysWithinABudgetOrRefuses) {
  const TrainOptions options = quick("bag", "onehot");
  GradientSetup setup;
  setup.ram_bytes = 1000;
  EXPECT_EQ(code_of([&] { (void)train(options, setup); }), ErrorCode::kResourceLimit);
  EXPECT_EQ(dir.num_entries(), 0U);
}

TEST_F(GradientFitterTest, RefusesDataOfAnotherKindAndOptionsThatCannotBe) {
  const Context context({.threads = 1});
  TrainRun run;
  run.out = dir.file("m.mhe");
  const Dataset data = toy_data(toy_rows(100, kLabels), kLabels);
  EXPECT_EQ(code_of([&] { (void)train_model(context, data, quick("dense", "onehot"), run); }),
            ErrorCode::kInvalidData);
  const std::vector<std::function<void(TrainOptions&)>> wrong = {
      [](auto& options) { options.head = "tree"; },
      [](auto& options) {
        options.lengths = {2, 2};
      },
      [](auto& options) { options.dropout = 1; },
      [](auto& options) { options.schedule = "sine"; },
      [](auto& options) { options.rank = 2; },
      [](auto& options) { options.candidates = 6; },  // of 5 groups
      [](auto& options) { options.swa = 0.5, options.patience = 1; },
      [](auto& options) { options.held_out = 0, options.patience = 1; },
  };
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    TrainOptions options = quick("bag", "cascade");
    wrong[i](options);
    EXPECT_EQ(code_of([&] { (void)train_model(context, data, options, run); }),
              ErrorCode::kInvalidArgument)
        << i;
  }
}

}  // namespace
}  // namespace mhe::train
