// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "predict/head_accuracy.h"

#include "model/learned_model.h"
#include "model/linear_model.h"

namespace mhe::predict {
namespace {

// Of a single level the only head is the whole model, which other figures judge.
std::optional<HeadTargets> linear_targets(const model::LinearMember& member,
                                          std::size_t num_labels) {
  if (member.levels.size() < 2) return std::nullopt;
  std::vector<std::uint32_t> lengths;
  for (const heads::SparseLevelView& level : member.levels) {
    lengths.push_back(static_cast<std::uint32_t>(level.shape.children_per_parent));
  }
  return HeadTargets(lengths, member.label_at, num_labels);
}

std::optional<HeadTargets> targets_of(const model::Model& model) {
  if (const auto* const learned = dynamic_cast<const model::LearnedModel*>(&model)) {
    return HeadTargets::of(learned->members().front(), model.num_labels());
  }
  if (const auto* const linear = dynamic_cast<const model::LinearModel*>(&model)) {
    return linear_targets(linear->members().front(), model.num_labels());
  }
  return std::nullopt;
}

}  // namespace

std::optional<HeadAccuracy> HeadAccuracy::make(const model::Model& model) {
  std::optional<HeadTargets> targets = targets_of(model);
  if (!targets) return std::nullopt;
  return HeadAccuracy(*std::move(targets));
}

void HeadAccuracy::begin(const Ragged<LabelId>& truth) {
  truth_ = &truth;
  row_right_.assign(truth.rows() * right_.size(), 0);
  is_labeled_.assign(truth.rows(), 0);
  row_phantom_mass_.assign(truth.rows(), 0);
}

void HeadAccuracy::see(std::size_t row, std::span<const std::uint32_t> chosen,
                       double phantom_mass) {
  row_phantom_mass_[row] = phantom_mass;
  const std::size_t heads = right_.size();
  const auto right = std::span(row_right_).subspan(row * heads, heads);
  is_labeled_[row] = targets_.judge((*truth_)[row], chosen, right) ? 1 : 0;
}

void HeadAccuracy::end() {
  for (std::size_t i = 0; i < row_right_.size(); ++i) right_[i % right_.size()] += row_right_[i];
  for (const std::uint8_t labeled : is_labeled_) labeled_rows_ += labeled;
  for (const double mass : row_phantom_mass_) phantom_mass_ += mass;
  rows_ += row_phantom_mass_.size();
  truth_ = nullptr;
}

std::vector<double> HeadAccuracy::shares() const {
  std::vector<double> shares;
  for (const std::uint64_t right : right_) {
    shares.push_back(
        labeled_rows_ == 0 ? 0 : static_cast<double>(right) / static_cast<double>(labeled_rows_));
  }
  return shares;
}

std::optional<double> HeadAccuracy::phantom_mass() const {
  if (!targets_.are_digits()) return std::nullopt;
  return rows_ == 0 ? 0 : phantom_mass_ / static_cast<double>(rows_);
}

}  // namespace mhe::predict
