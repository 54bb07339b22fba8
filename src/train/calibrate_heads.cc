// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/calibrate_heads.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "encoders/registry.h"
#include "heads/find_tensor.h"
#include "heads/product_outputs.h"
#include "heads/product_targets.h"
#include "train/validation.h"

namespace mhe::train {
namespace {

constexpr std::size_t kFewRows = 30;  // say too little

bool has_digit_maps(const heads::HeadSpec& head) {
  return head.has_code(heads::ProductCode::kPowerset) || head.has_code(heads::ProductCode::kDigits);
}

// Of the outputs of a product head for each row, and its digits.
heads::DigitMaps fit_maps(const Examples& rows, const model::DenseParts& parts) {
  const model::DenseMember member(parts);
  const heads::FindTensor find = member.find_tensor();
  const heads::ProductLayout layout(parts.head);
  const heads::SearchTable table =
      heads::find_table(find, "", layout.num_outputs(), parts.head.dim);
  const heads::ProductTargets targets(parts.head, find);
  const auto encoder = encoders::open_encoder(parts.encoder);
  std::vector<float> outputs;
  std::vector<std::uint32_t> digits;
  std::vector<LabelId> known;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    known.clear();
    for (const LabelId label : rows.labels[row]) {
      if (index_of(label) < parts.head.num_labels) known.push_back(label);
    }
    if (known.empty() && !parts.head.has_code(heads::ProductCode::kPowerset)) continue;
    targets.append(known, digits);
    const SparseRow sparse = rows.are_dense() ? SparseRow() : rows.features[row];
    const DenseRow dense = rows.are_dense() ? rows.dense[row] : DenseRow();
    const MatrixView features =
        encoder->encode(rows.are_dense() ? InputBatch(DenseRows{{&dense, 1}})
                                         : InputBatch(SparseRows{{&sparse, 1}}));
    outputs.resize(outputs.size() + layout.num_outputs());
    table.score(features[0].data(), 0, layout.num_outputs(),
                outputs.data() + outputs.size() - layout.num_outputs());
  }
  return heads::fit_digit_maps(parts.head, outputs, digits);
}

// How likely a scale makes the true labels.
struct ScaleTrial {
  double loss = 0;      // mean of -log p of those that were scored
  double coverage = 0;  // the share of rows whose label was
};

ScaleTrial try_scale(const Context& context, const Examples& rows, const model::DenseParts& parts,
                     double scale) {
  model::DenseParts trial = parts;
  trial.head.scale = static_cast<float>(scale);
  const bool is_cascade = trial.head.kind() == HeadKind::kCascade;
  if (is_cascade) trial.head.coverage = 1;
  // All that a cascade scores; of the others, what labels beyond have is shared out evenly.
  const std::size_t looked_at = is_cascade ? trial.head.num_labels : 100;
  const model::DenseMember member(trial);
  const Ragged<ScoredLabel> ranked = rank_labels(context, ranking_of(member, rows), looked_at);
  ScaleTrial result;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    double rest = 1;
    double found = 0;
    for (const ScoredLabel& label : ranked[row]) {
      rest -= static_cast<double>(label.score);
      if (label.label == rows.labels[row].front()) found = static_cast<double>(label.score);
    }
    if (found == 0 && is_cascade) continue;
    const auto others = static_cast<double>(parts.head.num_labels - ranked[row].size() + 1);
    if (found == 0) found = std::max(rest, 0.0) / others;
    result.loss -= std::log(std::max(found, 1e-12));
    result.coverage += 1;
  }
  result.loss /= std::max(1.0, result.coverage);
  result.coverage /= static_cast<double>(rows.rows());
  return result;
}

// What outputs are multiplied by: golden-section search on its logarithm.
double fit_scale(const Context& context, const Examples& rows, const model::DenseParts& parts) {
  constexpr double kMost = 5;  // and its inverse is the least
  constexpr int kSteps = 16;   // to 0.2 %
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  const auto loss = [&](double log_scale) {
    return try_scale(context, rows, parts, std::exp(log_scale)).loss;
  };
  double low = -std::log(kMost);
  double high = std::log(kMost);
  double left = high - ratio * (high - low);
  double right = low + ratio * (high - low);
  double left_loss = loss(left);
  double right_loss = loss(right);
  for (int step = 0; step < kSteps; ++step) {
    if (left_loss <= right_loss) {
      high = right;
      right = left;
      right_loss = left_loss;
      left = high - ratio * (high - low);
      left_loss = loss(left);
    } else {
      low = left;
      left = right;
      left_loss = right_loss;
      right = low + ratio * (high - low);
      right_loss = loss(right);
    }
  }
  return std::exp((low + high) / 2);
}

// As many rows as a search over all labels, again and again, can be done for in seconds.
Examples rows_for_search(const Examples& rows, const heads::HeadSpec& head) {
  constexpr double kProducts = 1e10;
  constexpr std::size_t kLeast = 50;
  const double each = static_cast<double>(head.num_labels) * static_cast<double>(head.dim);
  const std::size_t count = std::max(kLeast, static_cast<std::size_t>(kProducts / each));
  if (head.kind() == HeadKind::kCascade || count >= rows.rows()) return rows;
  std::vector<std::uint32_t> first(count);
  std::iota(first.begin(), first.end(), 0U);
  return copy_rows(rows, first);
}

}  // namespace

bool has_own_calibration(const heads::HeadSpec& head, const Examples& validation) {
  if (validation.rows() < kFewRows || head.loss != heads::Loss::kSoftmax) return false;
  if (head.has_code(heads::ProductCode::kPowerset)) return true;
  for (std::size_t row = 0; row < validation.rows(); ++row) {
    if (validation.labels[row].size() != 1) return false;
  }
  return true;
}

void calibrate_head(const Context& context, const Examples& validation, model::DenseParts& parts,
                    heads::DigitMaps& maps) {
  if (!has_digit_maps(parts.head)) {
    const Examples rows = rows_for_search(validation, parts.head);
    const double scale = fit_scale(context, rows, parts);
    parts.head.scale = static_cast<float>(scale);
    if (parts.head.kind() == HeadKind::kCascade) {
      const double found = try_scale(context, rows, parts, scale).coverage;
      const auto count = static_cast<double>(rows.rows());
      parts.head.coverage = static_cast<float>((found * count + 1) / (count + 2));
    }
    return;
  }
  maps = fit_maps(validation, parts);
  if (maps.scales.empty()) return;
  for (heads::HeadTensor& tensor : maps.tensors()) parts.tensors.push_back(std::move(tensor));
}

}  // namespace mhe::train
