// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/label_codes.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include <mhe/input.h>

#include "base/check.h"
#include "base/parallel.h"
#include "base/random.h"
#include "heads/registry.h"
#include "labels/digit_vectors.h"
#include "labels/product_codes.h"
#include "train/label_order.h"
#include "train/member_trainer.h"
#include "train/trained_order.h"

namespace mhe::train {
namespace {

// Sparse centroids in few dimensions: each feature is a vector of random signs.
DenseMatrix project(const Context& context, const SparseMatrix& centroids) {
  DenseMatrix points;
  points.num_columns = kCentroidWidth;
  points.values.resize(centroids.rows() * kCentroidWidth);
  parallel_blocks(context, centroids.rows(), 64, [&](const Block& block) {
    for (std::size_t row = block.begin; row < block.end; ++row) {
      float* const point = points.values.data() + row * kCentroidWidth;
      const SparseRow entries = centroids[row];
      for (std::size_t i = 0; i < entries.size(); ++i) {
        RandomStream random(context.seed(), "codes.feature", entries.columns[i]);
        for (std::size_t j = 0; j < kCentroidWidth; j += 64) {
          const std::uint64_t signs = random();
          for (std::size_t bit = 0; bit < 64; ++bit) {
            point[j + bit] += (signs >> bit & 1U) != 0 ? entries.values[i] : -entries.values[i];
          }
        }
      }
    }
  });
  return points;
}

// The one-hot head over the same labels.
heads::HeadSpec one_hot_of(heads::HeadSpec spec) {
  spec.lengths = {static_cast<std::uint32_t>(spec.num_labels)};
  spec.own = heads::OneHotSpec();
  return spec;
}

// Rows of a one-hot head, briefly trained, and its encoder.
DenseMatrix train_rows(const Context& context, const Examples& examples, GradientPlan plan,
                       TrainOptions options, std::vector<std::vector<float>>& encoder) {
  plan.head = one_hot_of(plan.head);
  options.order = "identity";
  options.epochs = options.code_epochs;
  MemberTrainer trainer(context, examples, plan, options, {.seed = context.seed()});
  train_beforehand(context, trainer, options, "code epochs", "learning what labels are alike");
  trainer.end_training();
  DenseMatrix rows;
  rows.num_columns = plan.head.dim;
  for (const NamedArray& array : trainer.arrays()) {
    if (array.name == "head.table") rows.values.assign(array.values.begin(), array.values.end());
  }
  encoder = encoder_parameters_of(trainer);
  return rows;
}

}  // namespace

std::vector<std::uint32_t> redundant_lengths(std::size_t num_labels, std::size_t num_heads) {
  constexpr double kRoots = 12;  // outputs in all, in square roots of the labels' number
  const double outputs = kRoots * std::sqrt(static_cast<double>(num_labels));
  auto length = static_cast<std::uint32_t>(
      std::max(2.0, std::floor(outputs / static_cast<double>(num_heads))));
  const auto covers = [&] {
    return std::pow(static_cast<double>(length), static_cast<double>(num_heads)) >=
           static_cast<double>(num_labels);
  };
  while (!covers()) ++length;
  return std::vector<std::uint32_t>(num_heads, length);
}

LabelCodes make_label_codes(const Context& context, const Examples& examples,
                            const GradientPlan& plan, const TrainOptions& options) {
  LabelCodes result;
  if (!plan.head.has_code(heads::ProductCode::kTable)) return result;
  DenseMatrix embeddings;
  if (options.code_epochs > 0) {
    embeddings = train_rows(context, examples, plan, options, result.encoder);
  } else if (options.order != "random") {
    embeddings = project(context, centroids_of(context, examples, plan.head));
  }
  const MatrixView view = {embeddings.values.data(), embeddings.rows(), embeddings.num_columns};
  result.codes = labels::product_codes(context, plan.head.num_labels, view, plan.head.lengths);
  if (options.code_epochs > 0 && std::get<heads::ProductSpec>(plan.head.own).rank == 1) {
    result.rows = labels::digit_vectors(view, result.codes, plan.head.lengths);
  }
  return result;
}

std::uint64_t code_work_bytes(const Examples& examples, const GradientPlan& plan,
                              const TrainOptions& options, std::uint64_t encoder_parameters) {
  const heads::HeadSpec& spec = plan.head;
  if (!spec.has_code(heads::ProductCode::kTable)) return 0;
  constexpr std::uint64_t kPlaceOfCodes = 64;  // a label's place, leaning, and code in a hash table
  const std::uint64_t codes = sizeof(std::uint32_t) * spec.num_labels * spec.lengths.size();
  const std::uint64_t digits = spec.num_labels * kPlaceOfCodes + codes;
  if (options.code_epochs == 0 && options.order == "random") return digits;
  const std::size_t width = options.code_epochs > 0 ? spec.dim : kCentroidWidth;
  const std::uint64_t row = sizeof(float) * width;
  const std::uint64_t left =
      sizeof(float) * std::min(width, labels::ProductCodeOptions().max_width);
  const std::uint64_t coding = spec.num_labels * (row + left) + digits;
  if (options.code_epochs == 0) {
    return std::max(coding, clustering_bytes(examples, spec) + spec.num_labels * row);
  }
  const std::uint64_t one_hot = heads::training_bytes(
      one_hot_of(spec), {examples.labels, options.batch, table_optimizer(options).rule});
  return std::max({plan.encoder_bytes + one_hot,
                   2 * (encoder_parameters + spec.num_labels * row) + codes,
                   encoder_parameters + coding});
}

}  // namespace mhe::train
