// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "predict/head_accuracy.h"

#include <utility>

#include "model/learned_model.h"

namespace mhe::predict {

std::optional<HeadAccuracy> HeadAccuracy::make(const model::Model& model) {
  const auto* const learned = dynamic_cast<const model::LearnedModel*>(&model);
  if (learned == nullptr) return std::nullopt;
  const model::LearnedMember& member = learned->members().front();
  if (member.head.kind != HeadKind::kProduct) return std::nullopt;
  return HeadAccuracy(heads::ProductTargets(member.head, member.find_tensor()),
                      member.head.lengths.size(), model.num_labels());
}

void HeadAccuracy::begin(const Ragged<LabelId>& truth) {
  truth_ = &truth;
  row_right_.assign(truth.rows() * right_.size(), 0);
  is_labeled_.assign(truth.rows(), 0);
  row_phantom_mass_.assign(truth.rows(), 0);
}

void HeadAccuracy::see(std::size_t row, const heads::DenseSearch& head) {
  row_phantom_mass_[row] = head.phantom_mass();
  std::vector<LabelId> known;
  for (const LabelId label : (*truth_)[row]) {
    if (index_of(label) < num_labels_) known.push_back(label);
  }
  if (known.empty()) return;
  is_labeled_[row] = 1;
  std::vector<std::uint32_t> digits;
  targets_.append(known, digits);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::size_t h = i % right_.size();
    if (head.best_digits()[h] == digits[i]) row_right_[row * right_.size() + h] = 1;
  }
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

double HeadAccuracy::phantom_mass() const {
  return rows_ == 0 ? 0 : phantom_mass_ / static_cast<double>(rows_);
}

}  // namespace mhe::predict
