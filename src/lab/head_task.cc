// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/head_task.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include <mhe/predict.h>
#include <mhe/train.h>

#include "base/check.h"
#include "base/random.h"
#include "lab/gaussian.h"

namespace mhe::lab {
namespace {

// Rows in an order without a pattern, `rows_per_label` of each label.
DenseMatrix draw_rows(const HeadTaskOptions& options, std::span<const float> centres,
                      RandomStream& random, std::vector<LabelId>& labels) {
  const std::size_t num_labels = centres.size() / options.dim;
  labels.clear();
  for (std::size_t i = 0; i < num_labels * options.rows_per_label; ++i) {
    labels.push_back(LabelId(static_cast<std::uint32_t>(i % num_labels)));
  }
  random.shuffle(std::span(labels));
  DenseMatrix rows;
  rows.num_columns = options.dim;
  for (const LabelId label : labels) {
    for (std::size_t i = 0; i < options.dim; ++i) {
      const double centre = centres[index_of(label) * options.dim + i];
      rows.values.push_back(static_cast<float>(centre + options.noise * gaussian(random)));
    }
  }
  return rows;
}

TrainOptions train_options(const HeadTaskOptions& options, const TrainedHeads& heads) {
  TrainOptions train;
  train.encoder = "dense";
  train.set("head", head_kind_name(heads.kind));
  train.set("held_out", "0");  // the test rows are not trained on, and nothing is chosen
  train.set("dim", std::to_string(options.hidden));
  train.set("hidden_layers", "1");
  train.set("epochs", std::to_string(options.epochs));
  train.set("batch", "64");  // enough steps for few rows
  if (heads.kind == HeadKind::kProduct || heads.kind == HeadKind::kCascade) {
    train.set("order", "identity");
  }
  train.lengths = heads.lengths;
  if (heads.kind == HeadKind::kCascade && heads.candidates > 0) {
    train.set("candidates", std::to_string(heads.candidates));
  }
  return train;
}

}  // namespace

HeadTask make_head_task(const HeadTaskOptions& options, std::size_t num_labels,
                        std::uint64_t seed) {
  RandomStream random(seed, "lab.head-task", num_labels);
  std::vector<float> centres(num_labels * options.dim);
  for (float& value : centres) value = static_cast<float>(gaussian(random));
  std::vector<LabelId> labels;
  const DenseMatrix rows = draw_rows(options, centres, random, labels);
  auto builder = DatasetBuilder::of_dense_vectors(options.dim);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::array label = {labels[i]};
    builder.add(rows[i], label);
  }
  HeadTask task = {std::move(builder).build(), {}, {}};
  task.test = draw_rows(options, centres, random, task.truth);
  return task;
}

HeadErrors train_heads(const Context& context, const HeadTask& task, const HeadTaskOptions& options,
                       const TrainedHeads& heads) {
  const Model model = train_in_memory(context, task.train, train_options(options, heads));
  Session session(model);
  HeadAccuracy head_accuracy(model);
  std::size_t wrong = 0;
  for (std::size_t row = 0; row < task.truth.size(); ++row) {
    const std::array rows = {DenseRow(task.test[row])};
    const Predictions& found = session.predict(DenseRows{rows}, {.k = 1, .choices = true});
    wrong += found[0].empty() || found[0][0].label != task.truth[row] ? 1 : 0;
    head_accuracy.add({&task.truth[row], 1}, found.choices(0), found.phantom_mass(0));
  }
  HeadErrors errors;
  errors.error = 100 * static_cast<double>(wrong) / static_cast<double>(task.truth.size());
  for (const double share : head_accuracy.shares()) errors.heads.push_back(100 * (1 - share));
  return errors;
}

void check(const HeadTaskOptions& options) {
  require(options.rows_per_label > 0, "rows per label must be above 0");
  require(options.dim > 0 && options.hidden > 0, "dim and hidden must be above 0");
  require(options.epochs > 0, "epochs must be above 0");
  require(options.noise >= 0, "noise must not be negative");
}

std::string describe_lengths(const std::vector<std::uint32_t>& lengths) {
  return fmt::format("{}", fmt::join(lengths, " x "));
}

}  // namespace mhe::lab
