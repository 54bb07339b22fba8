// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mhe::metrics {

/// Cuts labels into head and tail by how often they occur in training.
class FrequencyBins {
 public:
  /// Bin i holds the counts above bounds[i-1] up to and including bounds[i]; one more bin holds all
  /// counts above the last bound. Throws kInvalidArgument unless the bounds ascend.
  explicit FrequencyBins(std::vector<std::uint64_t> bounds);

  [[nodiscard]] std::size_t size() const noexcept { return bounds_.size() + 1; }
  [[nodiscard]] std::size_t bin_of(std::uint64_t count) const noexcept;
  /// Such as "0", "1-5" or ">1000".
  [[nodiscard]] std::string name(std::size_t bin) const;

 private:
  std::vector<std::uint64_t> bounds_;
};

}  // namespace mhe::metrics
