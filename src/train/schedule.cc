// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"

namespace mhe::train {

Schedule::Form Schedule::parse(std::string_view name) {
  if (name == "constant") return Form::kConstant;
  if (name == "linear") return Form::kLinear;
  if (name == "cosine") return Form::kCosine;
  require(name == "poly", "schedule \"{}\"; expected constant, linear, cosine or poly", name);
  return Form::kPoly;
}

Schedule::Schedule(Form form, std::uint64_t steps, std::uint64_t warmup_steps) noexcept
    : form_(form), steps_(steps), warmup_steps_(std::min(warmup_steps, steps)) {}

float Schedule::operator()(std::uint64_t step) const noexcept {
  if (step < warmup_steps_) {
    return static_cast<float>(static_cast<double>(step + 1) / static_cast<double>(warmup_steps_));
  }
  // Of the steps behind the warm-up, the share that is left, this one included: never 0.
  const double left = static_cast<double>(steps_ - std::min(step, steps_)) /
                      static_cast<double>(std::max<std::uint64_t>(1, steps_ - warmup_steps_));
  switch (form_) {
    case Form::kConstant:
      return 1;
    case Form::kLinear:
      return static_cast<float>(left);
    case Form::kCosine:
      return static_cast<float>(0.5 * (1 - std::cos(std::numbers::pi * left)));
    case Form::kPoly:
      return static_cast<float>(left * left);
  }
  return 1;
}

}  // namespace mhe::train
