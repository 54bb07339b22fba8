// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/epoch_accuracy.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mhe/predict.h>

#include "gradient_training.h"

namespace mhe::train {
namespace {

using ::testing::ElementsAre;
using testing::GradientTraining;

EpochReport epoch_of(double first, std::vector<double> heads) {
  EpochReport epoch;
  epoch.training = Accuracy{.first_label = first, .heads = heads};
  for (double& head : heads) head -= 5;
  epoch.validation = Accuracy{.first_label = first - 10, .heads = heads};
  return epoch;
}

std::vector<double> heights(const Curve& curve) {
  std::vector<double> heights;
  for (const Point& point : curve.points) heights.push_back(point.y);
  return heights;
}

TEST(AccuracyCharts, HaveACurveForTheWholeAndForEachHead) {
  const std::vector<EpochReport> epochs = {epoch_of(50, {60, 70}), epoch_of(80, {85, 90})};
  const std::vector<Chart> charts = accuracy_charts(epochs);
  ASSERT_EQ(charts.size(), 3U);
  EXPECT_EQ(charts[0].title, "Accuracy epoch by epoch");
  ASSERT_EQ(charts[0].curves.size(), 2U);
  EXPECT_EQ(charts[0].curves[0].name, "training rows");
  EXPECT_THAT(heights(charts[0].curves[0]), ElementsAre(50, 80));
  EXPECT_THAT(heights(charts[0].curves[1]), ElementsAre(40, 70));
  EXPECT_EQ(charts[1].title, "Head accuracy on training rows");
  EXPECT_THAT(heights(charts[1].curves[1]), ElementsAre(70, 90));
  EXPECT_EQ(charts[2].title, "Head accuracy on validation rows");
  EXPECT_THAT(heights(charts[2].curves[0]), ElementsAre(55, 80));
}

TEST(AccuracyCharts, SumUpManyHeads) {
  const std::vector<Chart> charts =
      accuracy_charts(std::vector{epoch_of(50, {10, 20, 30, 40, 50, 60, 70})});
  ASSERT_EQ(charts[1].curves.size(), 3U);
  EXPECT_EQ(charts[1].curves[0].name, "best of 7 heads");
  EXPECT_THAT(heights(charts[1].curves[0]), ElementsAre(70));
  EXPECT_THAT(heights(charts[1].curves[1]), ElementsAre(40));
  EXPECT_THAT(heights(charts[1].curves[2]), ElementsAre(10));
}

TEST(AccuracyCharts, AreOfSetsWhereSetsArePredicted) {
  EpochReport epoch = epoch_of(90, {});
  epoch.training->set_accuracy = 60;
  epoch.validation.reset();
  const std::vector<Chart> charts = accuracy_charts(std::vector{EpochReport(), epoch});
  ASSERT_EQ(charts.size(), 1U) << "one-hot heads choose nothing on the way";
  EXPECT_EQ(charts[0].title, "Set accuracy epoch by epoch");
  ASSERT_EQ(charts[0].curves.size(), 1U);
  ASSERT_EQ(charts[0].curves[0].points.size(), 1U);
  EXPECT_EQ(charts[0].curves[0].points[0].x, 2);
  EXPECT_EQ(charts[0].curves[0].points[0].y, 60);
  EXPECT_TRUE(accuracy_charts(std::vector{EpochReport()}).empty());
}

TEST(PackedAccuracies, ComeBack) {
  std::vector<EpochReport> epochs = {EpochReport(), epoch_of(100.0 / 3, {1, 2, 3})};
  epochs[1].training->set_accuracy = 200.0 / 3;
  const std::vector<std::uint32_t> words = pack_accuracies(epochs, 3);
  ASSERT_EQ(words.size(), packed_size(2, 3));
  std::vector<EpochReport> back(2);
  unpack_accuracies(words, 3, back);
  EXPECT_FALSE(back[0].training || back[0].validation);
  EXPECT_EQ(back[1].training->first_label, 100.0 / 3);
  EXPECT_EQ(back[1].training->set_accuracy, 200.0 / 3);
  EXPECT_FALSE(back[1].validation->set_accuracy);
  EXPECT_THAT(back[1].validation->heads, ElementsAre(-4, -3, -2));
  EXPECT_TRUE(pack_accuracies(std::vector<EpochReport>(4), 3).empty());
}

class EpochAccuracyTest : public ::testing::Test {
 protected:
  std::vector<EpochReport> train(const TrainOptions& options) const {
    testing::GradientSetup setup;
    setup.run.measure = true;
    report_ = training_.train(options, setup);
    return report_.encoders[0].epochs[0];
  }
  GradientTraining training_;
  mutable TrainReport report_;
};

TEST_F(EpochAccuracyTest, OfTheLastEpochIsThatOfTheModel) {
  for (const char* head : {"onehot", "sampling", "product", "cascade"}) {
    TrainOptions options = GradientTraining::quick("bag", head);
    if (options.head == "cascade") options.parent_weight = 0.3F;  // as while training
    const std::vector<EpochReport> epochs = train(options);
    ASSERT_TRUE(epochs.back().validation) << head;
    EXPECT_NEAR(epochs.back().validation->first_label, report_.precision->at_1, 1e-9) << head;
    EXPECT_EQ(epochs.back().validation->heads.size(), report_.history.heads.size());
    for (std::size_t h = 0; h < report_.history.heads.size(); ++h) {
      EXPECT_NEAR(epochs.back().validation->heads[h], 100 * report_.history.heads[h].best_right,
                  1e-9);
    }
    EXPECT_GT(epochs.back().training->first_label, epochs.front().training->first_label);
    EXPECT_GT(epochs.back().training->first_label, 80);
  }
}

// Sets as `predict --sets` has them, on all rows: those that are trained on are a sample of these.
TEST_F(EpochAccuracyTest, OfSetsCountsWholeSets) {
  TrainOptions options = GradientTraining::quick("bag", "product");
  options.powerset = true;
  options.held_out = 0;
  options.epochs = 12;
  const std::vector<EpochReport> epochs = train(options);
  ASSERT_TRUE(epochs.back().training->set_accuracy);
  Session session(Model::open(training_.model()));
  const std::vector<testing::ToyRow> rows = testing::toy_rows(400, testing::kGradientLabels);
  const TrainingSet set = testing::toy_set(rows, testing::kGradientLabels);
  const Examples& examples = set.examples;
  std::size_t right = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const SparseRow features = examples.features[row];
    const Predictions& found = session.predict(SparseRows{{&features, 1}}, {.sets = 1});
    const std::vector<LabelId>& best = found.sets(0)[0].labels;
    const std::span<const LabelId> truth = examples.labels[row];
    right +=
        static_cast<std::size_t>(std::equal(best.begin(), best.end(), truth.begin(), truth.end()));
  }
  EXPECT_NEAR(*epochs.back().training->set_accuracy, 100.0 * static_cast<double>(right) / 400,
              1e-9);
  EXPECT_LE(*epochs.back().training->set_accuracy, epochs.back().training->heads[0]);
}

TEST_F(EpochAccuracyTest, LeavesTheModelAsItIs) {
  for (const char* head : {"product", "cascade"}) {
    TrainOptions options = GradientTraining::quick("bag", head);
    options.ensemble = 2;
    const std::string plain = training_.trained(options);
    const std::vector<EpochReport> epochs = train(options);
    EXPECT_TRUE(training_.dir.read("m.mhe") == plain) << head;
    EXPECT_FALSE(report_.encoders[0].epochs[1].back().training) << "of the first member only";
  }
}

}  // namespace
}  // namespace mhe::train
