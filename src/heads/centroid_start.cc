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

// Narrower levels see projections of the features, which are random: no directions to start from.
bool CentroidStart::moves_rows(const RowTable& table) const noexcept {
  return rows_ == StartRows::kCentroids && table.dim() == sum_.size();
}

void CentroidStart::add(const Context& context, const HeadBatch& batch) {
  head_.visit_positives(batch, [&](const DenseHead::TruePlaces& places) {
    RowTable& table = *places.table;
    if (std::none_of(tables_.begin(), tables_.end(),
                     [&](const Met& met) { return met.table == &table; })) {
      if (moves_rows(table)) table.clear_rows(context);
      tables_.push_back({&table, places.trained, places.parts});
    }
    const std::span<float> counts = table.mutable_biases();
    for (const Positive& positive : places.positives) count_one(counts[positive.row]);
    if (moves_rows(table)) add_features(context, places, batch.features);
  });
  if (rows_ == StartRows::kCentroids) add_to_common(batch.features);
  count_ += batch.labels.size();
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
    if (moves_rows(*met.table)) direct_rows(context, common, met);
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

void CentroidStart::direct_rows(const Context& context, const Common& common, const Met& met) {
  RowTable& table = *met.table;
  parallel_blocks(context, table.num_rows(), kStartRowsPerBlock, [&](const Block& rows) {
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
      point_across(table.mutable_row(row), common.direction, common.length / met.parts);
    }
  });
}

}  // namespace mhe::heads
