// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/measure_history.h"

#include <string>

#include <gtest/gtest.h>

#include <mhe/train.h>

#include "scratch_dir.h"
#include "toy_training.h"

namespace mhe::train {
namespace {

using testing::toy_data;
using testing::toy_rows;

const Chart& chart_called(const TrainingHistory& history, const std::string& title) {
  for (const Chart& chart : history.charts) {
    if (chart.title == title) return chart;
  }
  ADD_FAILURE() << "no chart " << title;
  return history.charts.front();
}

class MeasureHistory : public ::testing::Test {
 protected:
  static TrainOptions quick() {
    TrainOptions options;
    options.lengths = {4, 5};
    options.held_out = 0.3;
    return options;
  }
  TrainingHistory train(const TrainOptions& options, std::size_t threads = 2) {
    const Context context({.threads = threads});
    report_ = train_model(context, toy_data(toy_rows(600, 20), 20), options,
                          {.out = dir_.file("m.mhe"), .measure = true});
    return report_.history;
  }

  testing::ScratchDir dir_;
  TrainReport report_;
};

TEST_F(MeasureHistory, LeavesTheModelAsItIs) {
  (void)train(quick());
  const std::string with = dir_.read("m.mhe");
  const Context context({.threads = 2});
  (void)train_model(context, toy_data(toy_rows(600, 20), 20), quick(), {.out = dir_.file("m.mhe")});
  EXPECT_TRUE(dir_.read("m.mhe") == with);
}

TEST_F(MeasureHistory, DescribesTheData) {
  const DataSummary data = train(quick()).data;
  EXPECT_EQ(data.rows, 600U);
  EXPECT_EQ(data.labels, 20U);
  EXPECT_EQ(data.features, 60U);
  EXPECT_GT(data.labels_per_row, 1);
  EXPECT_LT(data.labels_per_row, 2);
  std::uint64_t labels = 0;
  for (const DataSummary::Bin& bin : data.label_bins) labels += bin.labels;
  EXPECT_EQ(labels, 20U);
}

TEST_F(MeasureHistory, MetricsAreThoseThatTrainingPrints) {
  const TrainingHistory history = train(quick());
  ASSERT_TRUE(history.metrics.has_value());
  EXPECT_EQ(history.validation_rows, report_.validation_rows);
  EXPECT_NEAR(100 * history.metrics->value("P@1"), report_.precision->at_1, 1e-9);
  EXPECT_NEAR(100 * history.metrics->value("P@5"), report_.precision->at_5, 1e-9);
  EXPECT_EQ(history.reliability.count, history.validation_rows * 10);
  const Chart& cutoffs = chart_called(history, "How many labels to ask for");
  EXPECT_NEAR(cutoffs.curves[0].points[4].y, report_.precision->at_5, 1e-9);
}

TEST_F(MeasureHistory, SolverCurvesFall) {
  const TrainingHistory history = train(quick());
  const Chart& loss = chart_called(history, "Training loss");
  ASSERT_EQ(loss.curves.size(), 2U) << "one a head";
  for (const Curve& curve : loss.curves) {
    ASSERT_GT(curve.points.size(), 3U);
    EXPECT_EQ(curve.points[0].y, 100);
    for (std::size_t i = 1; i < curve.points.size(); ++i) {
      EXPECT_LE(curve.points[i].y, curve.points[i - 1].y) << curve.name << " sweep " << i;
    }
    EXPECT_LT(curve.points.back().y, 5);
  }
}

TEST_F(MeasureHistory, IsTheSameForAnyThreads) {
  const TrainingHistory one = train(quick(), 1);
  const TrainingHistory four = train(quick(), 4);
  EXPECT_EQ(one.settings_json, four.settings_json);
  ASSERT_EQ(one.charts.size(), four.charts.size());
  for (std::size_t c = 0; c < one.charts.size(); ++c) {
    for (std::size_t i = 0; i < one.charts[c].curves.size(); ++i) {
      const auto& a = one.charts[c].curves[i].points;
      const auto& b = four.charts[c].curves[i].points;
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t p = 0; p < a.size(); ++p) EXPECT_EQ(a[p].y, b[p].y) << one.charts[c].title;
    }
  }
  EXPECT_EQ(one.confusion.taken, four.confusion.taken);
}

TEST_F(MeasureHistory, WithoutJudgesThereIsNoQuality) {
  TrainOptions options = quick();
  options.held_out = 0;
  const TrainingHistory history = train(options);
  EXPECT_FALSE(history.metrics.has_value());
  EXPECT_TRUE(history.heads.empty());
  ASSERT_EQ(history.charts.size(), 1U);
  EXPECT_EQ(history.charts[0].title, "Training loss");
}

TEST_F(MeasureHistory, AnEnsembleIsTracedByItsFirst) {
  TrainOptions options = quick();
  options.ensemble = 2;
  const TrainingHistory history = train(options);
  EXPECT_EQ(chart_called(history, "Training loss").curves.size(), 2U);
  EXPECT_EQ(history.heads.size(), 2U);
}

TEST(TrialsChart, FollowsTheBest) {
  const std::vector<Trial> trials = {
      {"as given", 50, 1, true}, {"leaf 100", 49, 1, false}, {"leaf 20", 52, 1, true}};
  const Chart chart = trials_chart(trials);
  EXPECT_EQ(chart.curves[0].points[1].y, 49);
  EXPECT_EQ(chart.curves[1].points[1].y, 50);
  EXPECT_EQ(chart.curves[1].points[2].y, 52);
}

}  // namespace
}  // namespace mhe::train
