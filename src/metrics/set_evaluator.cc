// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <limits>

#include <mhe/metrics.h>

#include "base/check.h"

namespace mhe {
namespace {

double ratio(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? std::numeric_limits<double>::quiet_NaN()
                  : static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

void SetEvaluator::add(std::span<const LabelId> truth, std::span<const LabelId> predicted) {
  const auto ascends = [](std::span<const LabelId> labels) {
    return std::adjacent_find(labels.begin(), labels.end(), std::greater_equal<>()) == labels.end();
  };
  require(ascends(truth), "the true labels of row {} do not ascend", rows_);
  sorted_.assign(predicted.begin(), predicted.end());
  std::sort(sorted_.begin(), sorted_.end());
  require(ascends(sorted_), "a label occurs twice in the predicted set of row {}", rows_);
  ++rows_;
  exact_ += std::equal(truth.begin(), truth.end(), sorted_.begin(), sorted_.end()) ? 1 : 0;
  true_labels_ += truth.size();
  predicted_labels_ += predicted.size();
  hits_ +=
      static_cast<std::uint64_t>(std::count_if(sorted_.begin(), sorted_.end(), [&](LabelId label) {
        return std::binary_search(truth.begin(), truth.end(), label);
      }));
}

SetReport SetEvaluator::report() const {
  return {.rows = rows_,
          .accuracy = ratio(exact_, rows_),
          .precision = ratio(hits_, predicted_labels_),
          .recall = ratio(hits_, true_labels_),
          .f1 = ratio(2 * hits_, predicted_labels_ + true_labels_)};
}

}  // namespace mhe
