// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of a test as a source of batches, without labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "encoders/batch_source.h"

namespace mhe::testing {

class RowSource final : public encoders::BatchSource {
 public:
  explicit RowSource(const InputBatch& all) : all_(all) {}

  [[nodiscard]] std::size_t rows() const noexcept override { return size_of(all_); }
  [[nodiscard]] encoders::LabelledBatch gather(std::span<const std::uint32_t> rows) override {
    sparse_.clear();
    dense_.clear();
    for (const std::uint32_t row : rows) {
      if (const auto* sparse = std::get_if<SparseRows>(&all_)) {
        sparse_.push_back(sparse->rows[row]);
      } else {
        dense_.push_back(std::get<DenseRows>(all_).rows[row]);
      }
    }
    if (std::holds_alternative<SparseRows>(all_)) return {SparseRows{sparse_}, {}};
    return {DenseRows{dense_}, {}};
  }

 private:
  InputBatch all_;
  std::vector<SparseRow> sparse_;
  std::vector<DenseRow> dense_;
};

}  // namespace mhe::testing
