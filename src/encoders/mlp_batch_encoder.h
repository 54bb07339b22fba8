// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "encoders/batch_encoder.h"

namespace mhe::encoders {

/// Runs a small network row by row.
class MlpBatchEncoder final : public BatchEncoder {
 public:
  explicit MlpBatchEncoder(const EncoderView& view);

 private:
  struct Layer {
    std::span<const float> weights;  // [input][dim]
    std::span<const float> bias;     // [dim]
  };
  MatrixView run(const InputBatch& batch) override;
  void add_first_layer(const SparseRow& row, std::span<float> features);
  void add_first_layer(DenseRow row, std::span<float> features);
  void add_layer(std::size_t layer, std::span<const std::uint32_t> rows,
                 std::span<const float> values, std::span<float> features);
  void finish(std::span<float> features);

  MlpSpec own_;
  std::span<const float> mean_;   // dense input: what is taken off
  std::span<const float> scale_;  // dense input: what it is then multiplied by
  std::vector<Layer> layers_;
  std::vector<std::uint32_t> every_input_;  // 0, 1, 2, ...
  std::vector<float> scaled_;
  std::vector<float> outputs_;
  std::vector<float> features_;
};

}  // namespace mhe::encoders
