// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/report.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace mhe::lab {

double Measured::mean() const noexcept {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double Measured::least() const noexcept {
  return *std::min_element(values.begin(), values.end());
}

double Measured::most() const noexcept {
  return *std::max_element(values.begin(), values.end());
}

const Measured& Report::at(std::size_t row, std::string_view key) const {
  require(row < rows.size(), "the report has {} rows, not {}", rows.size(), row + 1);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].key != key) continue;
    const auto* measured = std::get_if<Measured>(&rows[row][i]);
    require(measured != nullptr, "column \"{}\" holds words", key);
    return *measured;
  }
  fail(ErrorCode::kInvalidArgument, "the report has no column \"{}\"", key);
}

}  // namespace mhe::lab
