// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace mhe::train {

/// What the learning rate is multiplied by, step by step: it rises over the warm-up, then stays, or
/// falls to 0.
class Schedule {
 public:
  enum class Form : std::uint8_t {
    kConstant,
    kLinear,
    kCosine,
    kPoly,  ///< the square of kLinear
  };
  /// Throws kInvalidArgument, listing the names, if there is none of this one.
  [[nodiscard]] static Form parse(std::string_view name);

  /// `warmup_steps` of `steps`.
  Schedule(Form form, std::uint64_t steps, std::uint64_t warmup_steps) noexcept;

  /// In (0, 1] for steps below their number.
  [[nodiscard]] float operator()(std::uint64_t step) const noexcept;

 private:
  Form form_;
  std::uint64_t steps_;
  std::uint64_t warmup_steps_;
};

}  // namespace mhe::train
