// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/centroid_start.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>

#include "base/parallel.h"
#include "heads/level_work.h"
#include "kernels/losses.h"
#include "kernels/rows.h"
#include "matrix/gemm.h"

namespace mhe::heads {
namespace {

constexpr std::size_t kColumnsPerBlock = 64;  // a thread adds to columns of its own
constexpr std::size_t kStartRowsPerBlock = 64;
// Score of an example in the direction of its row: docs/decisions/0009 has other values.
constexpr double kStartScore = 2.3;

// Until they are settled biases hold counts, as the bits of integers: floats stop at 2^24.
static_assert(sizeof(float) == sizeof(std::uint32_t));

void count_one(float& place) noexcept {
  place = std::bit_cast<float>(std::bit_cast<std::uint32_t>(place) + 1);
}

// The part of a row across `direction`, of this length; 0 if there is none.
void point_across(std::span<float> row, std::span<const double> direction, double length) {
  const double along = std::inner_product(row.begin(), row.end(), direction.begin(), 0.0);
  double squares = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] -= static_cast<float>(along * direction[i]);
    squares += static_cast<double>(row[i]) * static_cast<double>(row[i]);
  }
  const auto factor = static_cast<float>(squares > 0 ? length / std::sqrt(squares) : 0.0);
  for (float& value : row) value *= factor;
}

}  // namespace

void CentroidStart::add(const Context& context, const HeadBatch& batch) {
  const bool moves_rows = rows_ == StartRows::kCentroids;
  head_.visit_positives(batch, [&](const DenseHead::TruePlaces& places) {
    RowTable& table = *places.table;
    if (std::none_of(tables_.begin(), tables_.end(),
                     [&](const Met& met) { return met.table == &table; })) {
      if (moves_rows) table.clear_rows(context);
      tables_.push_back({&table, places.trained, places.parts, places.projection});
    }
    const std::span<float> counts = table.mutable_biases();
    for (const Positive& positive : places.positives) count_one(counts[positive.row]);
    if (!moves_rows) return;
    const bool is_projected = places.projection.num_rows > 0;
    add_features(
        context, places,
        is_projected ? project(context, batch.features, places.projection) : batch.features);
  });
  if (moves_rows) add_to_common(batch.features);
  count_ += batch.labels.size();
}

MatrixView CentroidStart::project(const Context& context, const MatrixView& features,
                                  const MatrixView& projection) {
  projected_.resize(features.num_rows * projection.num_rows);
  const MatrixSpan projected = {projected_.data(), features.num_rows, projection.num_rows};
  multiply(context, rows_of(features), transpose_of(projection), features.num_columns, projected);
  return projected;
}

void CentroidStart::add_features(const Context& context, const DenseHead::TruePlaces& places,
                                 const MatrixView& features) {
  RowTable& table = *places.table;
  parallel_blocks(context, table.dim(), kColumnsPerBlock, [&](const Block& columns) {
    for (const Positive& positive : places.positives) {
      kernels::add_row(table.mutable_row(positive.row).data() + columns.begin,
                       features[positive.example].data() + columns.begin,
                       columns.end - columns.begin);
    }
  });
}

void CentroidStart::add_to_common(const MatrixView& features) {
  for (std::size_t example = 0; example < features.num_rows; ++example) {
    const std::span<const float> of_example = features[example];
    for (std::size_t i = 0; i < of_example.size(); ++i) {
      const auto value = static_cast<double>(of_example[i]);
      sum_[i] += value;
      sum_squares_ += value * value;
    }
  }
}

void CentroidStart::finish(const Context& context) {
  const Common common = find_common();
  for (const Met& met : tables_) {
    if (rows_ == StartRows::kCentroids) {
      const bool is_projected = met.projection.num_rows > 0;
      direct_rows(context, is_projected ? project(common, met.projection) : common, met);
    }
    settle_biases(met);
  }
}

void CentroidStart::settle_biases(const Met& met) const {
  constexpr float kUnseen = 0.5F;  // of a row without examples: less than one
  const auto trained = static_cast<float>(met.trained * static_cast<double>(count_));
  for (float& bias : met.table->mutable_biases()) {
    const float count = static_cast<float>(std::bit_cast<std::uint32_t>(bias)) + kUnseen;
    const double log_share = kernels::portable_log(static_cast<double>(count / trained));
    bias = std::min(0.0F, static_cast<float>(log_share / met.parts));
  }
}

CentroidStart::Common CentroidStart::find_common() const {
  const auto count = static_cast<double>(count_);
  const double mean_square = std::inner_product(sum_.begin(), sum_.end(), sum_.begin(), 0.0);
  Common common = {.direction = sum_};
  if (mean_square > 0) {
    for (double& value : common.direction) value /= std::sqrt(mean_square);
  }
  // How far examples lie from their mean, by which a row's length is measured.
  const double variance = sum_squares_ / count - mean_square / (count * count);
  common.length = variance > 0 ? kStartScore / std::sqrt(variance) : 0.0;
  return common;
}

// Orthonormal rows keep a share of the squared length of a vector that lies anywhere, as large as
// their share of all there could be. So projected rows become about as long as those of all
// features would be once they are projected: longer ones, which score as much as those, lose by
// the noise that narrow features add to each score (docs/decisions/0009).
CentroidStart::Common CentroidStart::project(const Common& common, const MatrixView& projection) {
  const auto share =
      static_cast<double>(projection.num_rows) / static_cast<double>(projection.num_columns);
  Common result = {.direction = {}, .length = common.length * std::sqrt(share)};
  double squares = 0;
  for (std::size_t i = 0; i < projection.num_rows; ++i) {
    const std::span<const float> row = projection[i];
    const double along = std::inner_product(row.begin(), row.end(), common.direction.begin(), 0.0);
    result.direction.push_back(along);
    squares += along * along;
  }
  if (squares > 0) {
    for (double& value : result.direction) value /= std::sqrt(squares);
  }
  return result;
}

void CentroidStart::direct_rows(const Context& context, const Common& common, const Met& met) {
  RowTable& table = *met.table;
  parallel_blocks(context, table.num_rows(), kStartRowsPerBlock, [&](const Block& rows) {
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
      point_across(table.mutable_row(row), common.direction, common.length / met.parts);
    }
  });
}

}  // namespace mhe::heads
