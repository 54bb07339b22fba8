// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/label_order.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <span>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "encoders/input_scaling.h"
#include "labels/centroids.h"
#include "train/member_trainer.h"

namespace mhe::train {
namespace {

constexpr std::array<std::string_view, 7> kOrderRules = {
    "auto", "random", "clustered", "frequency", "identity", "product", "trained"};

// Centroids may take as much as the rows of the head, which are not there yet when they are, or
// this.
constexpr std::size_t kFreeCentroidBytes = std::size_t{16} << 20U;

std::size_t max_centroid_terms(const heads::HeadSpec& head) {
  constexpr std::size_t kTermBytes = sizeof(std::uint32_t) + sizeof(float);
  return std::max(head.dim / 2, kFreeCentroidBytes / (kTermBytes * head.num_labels));
}

LabelOrder order_by_frequency(const Examples& examples, std::size_t num_labels,
                              const std::vector<std::uint32_t>& lengths, Placement placement) {
  const std::vector<std::uint32_t> counts = count_labels(examples.labels, num_labels);
  return frequency_order(std::vector<std::uint64_t>(counts.begin(), counts.end()), lengths,
                         placement);
}

}  // namespace

bool is_order_file(std::string_view order) noexcept {
  return std::find(kOrderRules.begin(), kOrderRules.end(), order) == kOrderRules.end();
}

void check_order(const std::string& order) {
  std::error_code ignored;  // it does not exist
  require(!is_order_file(order) || std::filesystem::exists(order, ignored),
          "order \"{}\"; expected one of {}, or a file, and there is none of this name", order,
          fmt::join(kOrderRules, ", "));
}

void take_order_file(const TrainOptions& options, TrainingSet& set) {
  if (!is_order_file(options.order)) return;
  set.order_file = labels::read_order_file(options.order, set.names);
}

std::string describe_order(const std::string& rule, const labels::OrderFile* file,
                           const std::vector<std::uint32_t>& lengths, Placement placement) {
  if (file == nullptr) return rule;
  return fmt::format(
      "{}, its {}{}", file->path,
      placement == Placement::kSpread && file->is_for(lengths) ? "positions" : "sequence",
      file->others > 0 ? fmt::format(" without {} labels that the data does not have", file->others)
                       : "");
}

OrderedLabels ordered_labels(const TrainingSet& set) {
  return {set.names.size(), set.order_file ? &*set.order_file : nullptr};
}

LabelOrder order_labels(const Context& context, const Examples& examples,
                        const OrderedLabels& labels, const std::string& rule,
                        const std::vector<std::uint32_t>& lengths) {
  context.report({"ordering labels", 0, 0, "groups"});
  if (lengths.size() == 1 || rule == "identity") return identity_order(labels.count, lengths);
  if (labels.file != nullptr) return labels.file->place(lengths, Placement::kSpread);
  if (rule == "random") return random_order(labels.count, lengths, context.seed());
  if (rule == "frequency") {
    return order_by_frequency(examples, labels.count, lengths, Placement::kSpread);
  }
  // The many small entries of frequent labels take memory and tell little: centroids are at most
  // twice as large as the features. EURLEX57K loses 0.1 of P@5 where they are cut to 1,000 entries,
  // nothing at 5,000; Debian dependencies nothing at 1,000.
  constexpr std::size_t kFewestTerms = 1000;
  const std::size_t terms = std::max(
      kFewestTerms, 2 * examples.features.nonzeros() / std::max<std::size_t>(1, labels.count));
  return clustered_order(context,
                         label_centroids(context, examples.features, examples.labels,
                                         {.num_labels = labels.count, .max_terms = terms}),
                         lengths);
}

// Only groups that are chosen among are better off when they are alike; product heads decode labels
// 0 .. C-1, so nothing may lie between them.
Placement placement_of(HeadKind head) noexcept {
  return head == HeadKind::kCascade ? Placement::kSpread : Placement::kCompact;
}

std::optional<LabelOrder> make_label_order(const Context& context, const Examples& examples,
                                           const GradientPlan& plan, const TrainOptions& options) {
  const heads::HeadSpec& head = plan.head;
  const std::string& rule = options.order;
  if (head.has_code(heads::ProductCode::kTable)) return std::nullopt;  // see label_codes.h
  if (rule == "identity") return std::nullopt;
  context.report({"ordering labels", 0, 0, "groups"});
  const Placement placement = placement_of(head.kind());
  if (plan.order_file != nullptr) return plan.order_file->place(head.lengths, placement);
  if (rule == "random") {
    return random_order(head.num_labels, head.lengths, context.seed(), placement);
  }
  if (rule == "frequency") {
    return order_by_frequency(examples, head.num_labels, head.lengths, placement);
  }
  return clustered_order(context, centroids_of(context, examples, head), head.lengths,
                         {.placement = placement});
}

SparseMatrix centroids_of(const Context& context, const Examples& examples,
                          const heads::HeadSpec& head) {
  const CentroidOptions options = {.num_labels = head.num_labels,
                                   .max_terms = max_centroid_terms(head)};
  if (!examples.are_dense()) {
    return label_centroids(context, examples.features, examples.labels, options);
  }
  const DenseMatrix& dense = examples.dense;
  ExampleBatches batches(examples);
  const encoders::InputScaling scaling =
      encoders::measure_scaling(context, batches, dense.num_columns);
  const auto fill = [&](std::size_t row, std::span<float> values) {
    double squares = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = (dense[row][i] - scaling.mean[i]) * scaling.scale[i];
      squares += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    }
    if (squares == 0) return;
    const auto factor = static_cast<float>(1 / std::sqrt(squares));
    for (float& value : values) value *= factor;
  };
  return labels::label_centroids(context, {dense.rows(), dense.num_columns, fill}, examples.labels,
                                 options);
}

std::uint64_t clustering_bytes(const Examples& examples, const heads::HeadSpec& head) {
  std::uint64_t terms = 0;  // before those of the same column are added up
  for (std::size_t row = 0; row < examples.rows(); ++row) {
    terms += examples.labels[row].size() *
             (examples.are_dense() ? examples.dense.num_columns : examples.features[row].size());
  }
  constexpr std::uint64_t kTermBytes = sizeof(std::uint32_t) + sizeof(float);
  // While they are put together an eighth is there twice; then a label's score and place.
  constexpr std::uint64_t kLabelBytes = 40;
  const std::uint64_t most = max_centroid_terms(head) * std::uint64_t{head.num_labels};
  return kTermBytes * std::min(terms, most) * 9 / 8 + kLabelBytes * head.num_labels;
}

}  // namespace mhe::train
