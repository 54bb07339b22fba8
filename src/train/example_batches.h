// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "encoders/batch_source.h"
#include "train/examples.h"

namespace mhe::train {

/// Batches of examples in memory, which must outlive it.
class ExampleBatches final : public encoders::BatchSource {
 public:
  explicit ExampleBatches(const Examples& examples) : examples_(examples) {}

  [[nodiscard]] std::size_t rows() const noexcept override { return examples_.rows(); }
  [[nodiscard]] encoders::LabelledBatch gather(std::span<const std::uint32_t> rows) override;

 private:
  const Examples& examples_;
  std::vector<SparseRow> sparse_;
  std::vector<DenseRow> dense_;
  std::vector<std::span<const LabelId>> labels_;
};

}  // namespace mhe::train
