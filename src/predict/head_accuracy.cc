// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "predict/head_accuracy.h"

#include <memory>
#include <utility>

#include <mhe/predict.h>

#include "model/model.h"

namespace mhe::predict {

void HeadAccuracy::add(std::span<const LabelId> truth, std::span<const std::uint32_t> chosen,
                       double phantom_mass) {
  ++rows_;
  phantom_mass_ += phantom_mass;
  row_right_.assign(right_.size(), 0);
  if (!targets_.compare(truth, chosen, row_right_)) return;
  ++labeled_rows_;
  for (std::size_t h = 0; h < right_.size(); ++h) right_[h] += row_right_[h];
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
  if (!targets_.are_digits() || targets_.are_sets()) return std::nullopt;
  return rows_ == 0 ? 0 : phantom_mass_ / static_cast<double>(rows_);
}

}  // namespace mhe::predict

namespace mhe {

struct HeadAccuracy::Impl {
  predict::HeadAccuracy heads;
};

HeadAccuracy::HeadAccuracy(const Model& model) {
  const model::Model& opened = model.internals();
  auto targets = opened.members().front()->head_targets(opened.num_labels());
  if (targets) impl_ = std::make_unique<Impl>(Impl{predict::HeadAccuracy(*std::move(targets))});
}
HeadAccuracy::~HeadAccuracy() = default;
HeadAccuracy::HeadAccuracy(HeadAccuracy&& other) noexcept = default;
HeadAccuracy& HeadAccuracy::operator=(HeadAccuracy&& other) noexcept = default;

void HeadAccuracy::add(std::span<const LabelId> truth, std::span<const std::uint32_t> choices,
                       double phantom_mass) {
  if (impl_) impl_->heads.add(truth, choices, phantom_mass);
}

std::vector<double> HeadAccuracy::shares() const {
  return impl_ ? impl_->heads.shares() : std::vector<double>();
}

std::optional<double> HeadAccuracy::phantom_mass() const {
  return impl_ ? impl_->heads.phantom_mass() : std::nullopt;
}

}  // namespace mhe
