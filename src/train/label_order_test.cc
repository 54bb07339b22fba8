// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Orders of labels, from the option to the model.
#include "train/label_order.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gradient_training.h"
#include "model/model.h"
#include "toy_model.h"
#include "train/gradient_rules.h"
#include "train/trained_order.h"

namespace mhe::train {
namespace {

using testing::GradientTraining;
using ::testing::HasSubstr;
using testing::kGradientLabels;

// Labels of toy_rows() in another order, with the digits of these lengths.
LabelOrder some_order(std::vector<std::uint32_t> lengths, std::uint64_t seed = 9) {
  return random_order(kGradientLabels, std::move(lengths), seed);
}

class LabelOrderTest : public ::testing::Test {
 protected:
  std::string write(const LabelOrder& order, const std::string& name = "o.tsv") const {
    write_order(order, LabelNames::numbered(kGradientLabels), training_.dir.file(name));
    return training_.dir.file(name);
  }
  // [position] of the first cascade of a linear model.
  std::vector<std::uint32_t> linear_labels(const TrainOptions& options) const {
    report_ = training_.train(options);
    const auto model = model::Model::open(training_.model());
    const auto label_at = testing::linear_member(*model).cascades()[0].label_at;
    return {label_at.begin(), label_at.end()};
  }
  static TrainOptions linear() {
    TrainOptions options;
    options.lengths = {6, 8};
    options.held_out = 0.1;
    return options;
  }
  nlohmann::json card_options() const {
    return nlohmann::json::parse(read_card(training_.model()).metadata.at("options"));
  }

  GradientTraining training_;
  mutable TrainReport report_;
};

TEST_F(LabelOrderTest, RulesPlaceTheLabelsOfALinearCascade) {
  TrainOptions options = linear();
  const std::vector<std::uint32_t> by_default = linear_labels(options);
  EXPECT_EQ(report_.encoders[0].order, "clustered");
  EXPECT_EQ(card_options().at("order"), "clustered");
  const auto counts = std::vector<std::uint64_t>(kGradientLabels, 1);
  for (const char* rule : {"clustered", "random", "frequency", "identity"}) {
    options.order = rule;
    const std::vector<std::uint32_t> labels = linear_labels(options);
    EXPECT_EQ(labels == by_default, options.order == "clustered") << rule;
    EXPECT_EQ(report_.encoders[0].order, rule);
    EXPECT_EQ(card_options().at("order"), rule);
    EXPECT_GT(report_.precision->at_1, 70) << rule;
  }
  EXPECT_EQ(linear_labels(options)[7], 7U) << "identity";
  options.order = "random";
  EXPECT_EQ(linear_labels(options),
            model::labels_by_position(random_order(kGradientLabels, options.lengths, 1)));
  options.order = "trained";
  EXPECT_THROW((void)training_.train(options), Error);
}

TEST_F(LabelOrderTest, AnOrderIsATreesWish) {
  TrainOptions options;
  options.order = "random";
  (void)training_.train(options);  // so few labels would get one-hot heads
  EXPECT_EQ(report_.encoders.size(), 0U);
  EXPECT_EQ(training_.train(options).encoders[0].head, "cascade");
  options.head = "onehot";
  EXPECT_EQ(GradientTraining::code_of([&] { (void)training_.train(options); }),
            ErrorCode::kInvalidArgument);
  options.encoder = "bag";
  EXPECT_EQ(GradientTraining::code_of([&] { (void)training_.train(options); }),
            ErrorCode::kInvalidArgument);
}

TEST_F(LabelOrderTest, AFileGivesPositionsToALinearCascade) {
  TrainOptions options = linear();
  // With a group that is empty and one that is full.
  std::vector<std::uint64_t> positions;
  for (std::uint64_t label = 0; label < kGradientLabels; ++label) positions.push_back(47 - label);
  const LabelOrder order(options.lengths, positions);
  options.order = write(order);
  EXPECT_EQ(linear_labels(options), model::labels_by_position(order));
  EXPECT_EQ(report_.encoders[0].order, options.order + ", its positions");
  EXPECT_GT(report_.precision->at_1, 70);
  options.lengths = {5, 6};
  const std::vector<std::uint32_t> sequence = linear_labels(options);
  EXPECT_EQ(report_.encoders[0].order, options.order + ", its sequence");
  for (std::uint32_t i = 0; i < 30; ++i) EXPECT_EQ(sequence[i], 29 - i);
}

TEST_F(LabelOrderTest, AFileGivesPositionsToACascade) {
  TrainOptions options = GradientTraining::quick("bag", "cascade");
  options.lengths = {6, 8};
  options.epochs = 20;
  std::vector<std::uint64_t> positions;
  for (std::uint64_t label = 0; label < kGradientLabels; ++label) positions.push_back(47 - label);
  const LabelOrder order(options.lengths, positions);
  options.order = write(order);
  EXPECT_EQ(training_.tensor_of<std::uint32_t>("member0.head.label_at", options),
            model::labels_by_position(order));
  const TrainReport report = training_.train(options);
  EXPECT_EQ(report.encoders[0].order, options.order + ", its positions");
  EXPECT_GT(report.precision->at_1, 70);
}

TEST_F(LabelOrderTest, AFileGivesItsSequenceToHeadsWithoutGaps) {
  for (const char* head : {"product", "sampling"}) {
    TrainOptions options = GradientTraining::quick("bag", head);
    if (options.head == "product") options.lengths = {6, 6};
    const LabelOrder order = some_order(options.lengths);
    options.order = write(order);
    std::vector<std::uint32_t> labels;
    for (const LabelId label : order.labels()) {
      labels.push_back(static_cast<std::uint32_t>(index_of(label)));
    }
    EXPECT_EQ(training_.tensor_of<std::uint32_t>("member0.head.label_at", options), labels) << head;
  }
}

TEST_F(LabelOrderTest, TheCardSaysWhichFile) {
  TrainOptions options = linear();
  options.order = write(some_order(options.lengths));
  (void)training_.train(options);
  const nlohmann::json first = card_options();
  EXPECT_EQ(first.at("order"), options.order);
  (void)write(some_order(options.lengths, 10));
  (void)training_.train(options);
  EXPECT_NE(card_options().at("order_checksum"), first.at("order_checksum"));
  options.order = write(some_order(options.lengths), "same.tsv");
  (void)training_.train(options);
  EXPECT_EQ(card_options().at("order_checksum"), first.at("order_checksum"));
  options.order = "random";
  (void)training_.train(options);
  EXPECT_FALSE(card_options().contains("order_checksum"));
}

TEST_F(LabelOrderTest, OfTrimmedLabelsTheOthersStay) {
  TrainOptions options = linear();
  options.order = write(some_order(options.lengths));
  options.trim_labels = "5";
  (void)training_.train(options);
  EXPECT_EQ(training_.train(options).encoders[0].order,
            options.order + ", its positions without 5 labels that the data does not have");
}

TEST_F(LabelOrderTest, OfAnotherFileIsNotResumed) {
  for (const char* encoder : {"linear", "bag"}) {
    TrainOptions options = options_of(encoder).contains("sweeps")
                               ? linear()
                               : GradientTraining::quick(encoder, "cascade");
    options.order = write(some_order(options.lengths));
    testing::GradientSetup stopped;
    stopped.run.flush_after = std::chrono::milliseconds(0);
    bool stop = false;
    stopped.on_progress = [&](const Progress& progress) {
      stop = stop || progress.stage.starts_with("training");
    };
    stopped.should_stop = [&] { return stop; };
    stopped.threads = 1;
    EXPECT_EQ(GradientTraining::code_of([&] { (void)training_.train(options, stopped); }),
              ErrorCode::kInterrupted);
    testing::GradientSetup resumed;
    resumed.run.resume = true;
    (void)write(some_order(options.lengths, 10));
    EXPECT_THAT(GradientTraining::error_of([&] { (void)training_.train(options, resumed); }).what(),
                HasSubstr("other data, options or seed"))
        << encoder;
    (void)write(some_order(options.lengths));
    EXPECT_NO_THROW((void)training_.train(options, resumed)) << encoder;
  }
}

TEST_F(LabelOrderTest, SaysWhatIsNoOrder) {
  TrainOptions options = linear();
  options.order = "clusterd";
  EXPECT_STREQ(GradientTraining::error_of([&] { (void)training_.train(options); }).what(),
               "order \"clusterd\"; expected one of auto, random, clustered, frequency, identity, "
               "product, trained, or a file, and there is none of this name");
  options.order = training_.dir.write("o.tsv", "0\t0\n1\t1\n");
  EXPECT_THAT(GradientTraining::error_of([&] { (void)training_.train(options); }).what(),
              HasSubstr("o.tsv: no line for the label \"2\" and 27 others"));
  testing::GradientSetup over;
  over.run.out = options.order;
  EXPECT_THAT(GradientTraining::error_of([&] { (void)training_.train(options, over); }).what(),
              HasSubstr("is the order of the labels, which the model would replace"));
}

// Pairs of labels whose inputs have nothing in common, though the same features find them.
class TrainedOrderTest : public ::testing::Test {
 protected:
  const Context context_ = Context({.threads = 2});
  const TrainingSet set_ = testing::toy_set(testing::toy_rows(600, 24), 24);

  TrainedOrder train(const std::string& head, std::size_t threads) const {
    TrainOptions options = GradientTraining::quick("bag", head);
    options.lengths = {4, 6};
    options.order = "trained";
    options.order_epochs = 2;
    options = resolve_gradient(options, set_.examples.rows(), 24);
    const Context context({.threads = threads});
    return train_order(context, set_.examples, plan_gradient(set_, options, 0), options);
  }
};

TEST_F(TrainedOrderTest, IsTheSameForAnyThreads) {
  for (const char* head : {"cascade", "sampling"}) {
    const TrainedOrder one = train(head, 1);
    const TrainedOrder three = train(head, 3);
    EXPECT_EQ(one.order, three.order) << head;
    EXPECT_EQ(one.encoder, three.encoder) << head;
    EXPECT_EQ(one.order.num_labels(), 24U);
  }
}

TEST_F(TrainedOrderTest, GivesTheMemberItsEncoder) {
  TrainOptions options = GradientTraining::quick("bag", "cascade");
  options.lengths = {4, 6};
  options.order = "trained";
  options = resolve_gradient(options, set_.examples.rows(), 24);
  const GradientPlan plan = plan_gradient(set_, options, 0);
  MemberTrainer trainer(context_, set_.examples, plan, options, {.seed = 1});
  const TrainedOrder found = train_order(context_, set_.examples, plan, options);
  EXPECT_EQ(encoder_parameters_of(trainer), found.encoder);
  const std::span<const std::uint32_t> positions = trainer.places().positions;
  EXPECT_TRUE(std::equal(positions.begin(), positions.end(), found.order.positions().begin()));
}

}  // namespace
}  // namespace mhe::train
