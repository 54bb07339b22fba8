// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/split.h"

#include <algorithm>

namespace mhe::train {

std::size_t count_validation_rows(const TrainOptions& options, std::size_t rows, bool refits) {
  constexpr std::size_t kMost = 1000;  // ten labels of each make a smooth curve
  if (options.held_out == 0) return 0;
  const auto share = static_cast<std::size_t>(options.held_out * static_cast<double>(rows));
  const std::size_t least = refits ? std::min(kMost, rows / 10) : std::min(kMost / 5, rows / 20);
  return std::clamp(share, least, kMost);
}

}  // namespace mhe::train
