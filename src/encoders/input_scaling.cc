// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "encoders/input_scaling.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <variant>

#include "base/parallel.h"

namespace mhe::encoders {

InputScaling measure_scaling(const Context& context, BatchSource& source, std::size_t num_columns) {
  constexpr std::size_t kBatch = 4096;      // rows: enough work for all threads
  constexpr std::size_t kColumnGrain = 64;  // columns a block, so that a line is read whole
  std::vector<double> sums(num_columns, 0.0);
  std::vector<double> squares(num_columns, 0.0);
  std::vector<std::uint32_t> numbers;
  for (std::size_t begin = 0; begin < source.rows(); begin += kBatch) {
    numbers.resize(std::min(kBatch, source.rows() - begin));
    std::iota(numbers.begin(), numbers.end(), static_cast<std::uint32_t>(begin));
    const LabelledBatch batch = source.gather(numbers);
    const std::span<const DenseRow> rows = std::get<DenseRows>(batch.inputs).rows;
    parallel_blocks(context, num_columns, kColumnGrain, [&](const Block& block) {
      for (const DenseRow row : rows) {
        for (std::size_t i = block.begin; i < block.end; ++i) {
          const double value = row[i];
          sums[i] += value;
          squares[i] += value * value;
        }
      }
    });
  }
  InputScaling scaling = {std::vector<float>(num_columns), std::vector<float>(num_columns)};
  const auto count = static_cast<double>(source.rows());
  for (std::size_t i = 0; i < num_columns; ++i) {
    const double mean = sums[i] / count;
    const double variance = std::max(0.0, squares[i] / count - mean * mean);
    // What is left of a constant column is rounding.
    const bool varies = variance > 1e-12 * mean * mean;
    scaling.mean[i] = static_cast<float>(mean);
    scaling.scale[i] = varies ? static_cast<float>(1 / std::sqrt(variance)) : 0.0F;
  }
  return scaling;
}

}  // namespace mhe::encoders
