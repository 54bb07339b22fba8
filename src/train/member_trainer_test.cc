// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/member_trainer.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gradient_training.h"
#include "toy_training.h"

namespace mhe::train {
namespace {

constexpr std::uint32_t kLabels = 30;

// Holds one batch at a time, as if the rows came from a disk.
class StreamedRows final : public encoders::BatchSource {
 public:
  explicit StreamedRows(const Examples& examples) : examples_(examples) {}

  [[nodiscard]] std::size_t rows() const noexcept override { return examples_.rows(); }
  [[nodiscard]] encoders::LabelledBatch gather(std::span<const std::uint32_t> rows) override {
    most_ = std::max(most_, rows.size());
    batch_ = copy_rows(examples_, rows);
    view_.emplace(batch_);
    std::vector<std::uint32_t> all(rows.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(i);
    return view_->gather(all);
  }
  [[nodiscard]] std::size_t most() const noexcept { return most_; }

 private:
  const Examples& examples_;
  Examples batch_;
  std::optional<ExampleBatches> view_;
  std::size_t most_ = 0;
};

std::vector<float> trained(const TrainingSet& set, TrainOptions options,
                           encoders::BatchSource* batches) {
  options = resolve_gradient(options, set.examples.rows(), set.names.size());
  const Context context({.threads = 2});
  const GradientPlan plan = plan_gradient(set, options, 0);
  MemberTrainer trainer(context, set.examples, plan, options, {.batches = batches});
  for (std::uint64_t step = 0; step < trainer.total_steps(); ++step) trainer.train_step(step);
  std::vector<float> values;
  for (const NamedArray& array : trainer.arrays()) {
    values.insert(values.end(), array.values.begin(), array.values.end());
  }
  return values;
}

TEST(MemberTrainer, TrainsOnStreamedRowsAsOnThoseInMemory) {
  const std::vector<testing::ToyRow> rows = testing::toy_rows(200, kLabels);
  for (const std::string encoder : {"bag", "dense"}) {
    const TrainingSet set =
        encoder == "dense" ? testing::dense_toy_set(rows) : testing::toy_set(rows, kLabels);
    TrainOptions options = testing::GradientTraining::quick(encoder, "cascade");
    options.init = "centroids";
    options.epochs = 2;
    StreamedRows streamed(set.examples);
    EXPECT_EQ(trained(set, options, &streamed), trained(set, options, nullptr));
    EXPECT_EQ(streamed.most(), encoder == "dense" ? set.examples.rows() : options.batch);
  }
}

}  // namespace
}  // namespace mhe::train
