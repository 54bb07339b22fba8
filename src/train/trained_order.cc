// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/trained_order.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"
#include "kernels/rows.h"
#include "train/label_order.h"

namespace mhe::train {
namespace {

constexpr std::size_t kSumColumns = 64;  // a thread adds to columns of its own

// Sums of the features of the examples of each label, and of all examples.
struct FeatureSums {
  std::size_t dim = 0;
  std::vector<float> labels;   // [label][dim]
  std::vector<double> common;  // [dim]
};

FeatureSums sum_features(const Context& context, MemberTrainer& trainer,
                         const heads::HeadSpec& head) {
  FeatureSums sums = {.dim = head.dim,
                      .labels = std::vector<float>(head.num_labels * head.dim),
                      .common = std::vector<double>(head.dim)};
  trainer.visit_features([&](const heads::HeadBatch& batch) {
    parallel_blocks(context, sums.dim, kSumColumns, [&](const Block& columns) {
      const std::size_t width = columns.end - columns.begin;
      for (std::size_t example = 0; example < batch.labels.size(); ++example) {
        const float* features = batch.features[example].data() + columns.begin;
        for (const LabelId label : batch.labels[example]) {
          float* sum = sums.labels.data() + index_of(label) * sums.dim + columns.begin;
          kernels::add_row(sum, features, width);
        }
        for (std::size_t i = 0; i < width; ++i) {
          sums.common[columns.begin + i] += static_cast<double>(features[i]);
        }
      }
    });
  });
  return sums;
}

// The part of each label's sum across the common direction, which tells no label from another, of
// unit length.
SparseMatrix directions_of(const FeatureSums& sums) {
  double squares = 0;
  for (const double value : sums.common) squares += value * value;
  const double scale = squares > 0 ? 1 / squares : 0.0;
  SparseMatrix directions;
  directions.num_columns = sums.dim;
  const std::size_t num_labels = sums.labels.size() / sums.dim;
  directions.columns.reserve(sums.labels.size());
  directions.values.reserve(sums.labels.size());
  std::vector<double> across(sums.dim);
  for (std::size_t label = 0; label < num_labels; ++label) {
    const std::span<const float> sum = std::span(sums.labels).subspan(label * sums.dim, sums.dim);
    double along = 0;
    for (std::size_t i = 0; i < sums.dim; ++i) {
      along += static_cast<double>(sum[i]) * sums.common[i];
    }
    double length = 0;
    for (std::size_t i = 0; i < sums.dim; ++i) {
      across[i] = static_cast<double>(sum[i]) - along * scale * sums.common[i];
      length += across[i] * across[i];
    }
    const double factor = length > 0 ? 1 / std::sqrt(length) : 0.0;
    for (std::size_t i = 0; i < sums.dim; ++i) {
      const auto value = static_cast<float>(factor * across[i]);
      if (value == 0) continue;
      directions.columns.push_back(static_cast<std::uint32_t>(i));
      directions.values.push_back(value);
    }
    directions.end_row();
  }
  return directions;
}

}  // namespace

void train_beforehand(const Context& context, MemberTrainer& trainer, const TrainOptions& options,
                      const std::string& name, const std::string& progress) {
  double first_loss = 0;
  for (std::uint64_t step = 0; step < trainer.total_steps(); ++step) {
    const double loss = trainer.train_step(step);
    if (step == 0) first_loss = loss;
    if (has_diverged(loss, first_loss)) {
      fail(ErrorCode::kDiverged,
           "the loss became {:.4g} at step {} of the {}; a smaller learning rate helps", loss,
           step + 1, name);
    }
    context.report(
        {progress, (step + 1) * options.batch, trainer.total_steps() * options.batch, "rows"});
  }
}

std::vector<std::vector<float>> encoder_parameters_of(MemberTrainer& trainer) {
  std::vector<std::vector<float>> parameters;
  for (const NamedArray& array : trainer.arrays()) {
    if (!array.is_parameter || !array.name.starts_with("encoder.")) continue;
    parameters.emplace_back(array.values.begin(), array.values.end());
  }
  return parameters;
}

TrainedOrder train_order(const Context& context, const Examples& examples, const GradientPlan& plan,
                         const TrainOptions& options) {
  TrainOptions before = options;
  before.order = "random";
  before.epochs = options.order_epochs;
  std::vector<std::vector<float>> encoder;
  SparseMatrix directions;
  {
    FeatureSums sums;
    {
      MemberTrainer trainer(context, examples, plan, before, {.seed = context.seed()});
      train_beforehand(context, trainer, before, "order epochs", "learning what labels are alike");
      sums = sum_features(context, trainer, plan.head);
      encoder = encoder_parameters_of(trainer);
    }
    directions = directions_of(sums);
  }
  context.report({"ordering labels", 0, 0, "groups"});
  return {clustered_order(context, directions, plan.head.lengths,
                          {.placement = placement_of(plan.head.kind())}),
          std::move(encoder)};
}

std::uint64_t trained_order_bytes(const GradientPlan& plan, std::uint64_t head_bytes,
                                  std::uint64_t encoder_parameters) {
  const std::uint64_t numbers = std::uint64_t{plan.head.num_labels} * plan.head.dim;
  constexpr std::uint64_t kEntryBytes = sizeof(std::uint32_t) + sizeof(float);
  constexpr std::uint64_t kLabelBytes = 40;  // a label's score and place
  const std::uint64_t training =
      plan.encoder_bytes + head_bytes + sizeof(float) * numbers + encoder_parameters;
  const std::uint64_t clustering = encoder_parameters + (sizeof(float) + kEntryBytes) * numbers +
                                   kLabelBytes * plan.head.num_labels;
  return std::max(training, clustering);
}

}  // namespace mhe::train
