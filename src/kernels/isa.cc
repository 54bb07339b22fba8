// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include <fmt/ranges.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <mhe/context.h>

#include "base/ascii.h"
#include "base/check.h"

namespace mhe {

std::vector<std::string_view> instruction_sets() {
  std::vector<std::string_view> names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    names.emplace_back(hwy::TargetName(target));
  }
  return names;
}

std::string_view instruction_set_in_use() noexcept {
  // Of what the CPU offers, what there are kernels for: Highway leaves some out unless asked.
  const auto usable = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(usable & -usable);  // lowest bit: the best
}

void use_instruction_set(std::string_view name) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (!equal_ignoring_case(name, hwy::TargetName(target))) continue;
    hwy::DisableTargets(~target);
    hwy::GetChosenTarget().DeInit();  // the next call chooses anew
    return;
  }
  fail(ErrorCode::kInvalidArgument, "instruction set \"{}\"; there are {} here", name,
       fmt::join(instruction_sets(), ", "));
}

}  // namespace mhe
