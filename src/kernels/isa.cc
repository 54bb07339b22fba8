// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa.h"

#include <algorithm>
#include <cstdint>

#include <fmt/ranges.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include "base/ascii.h"
#include "base/check.h"

namespace mhe::kernels {

std::vector<std::string_view> isas_here() {
  std::vector<std::string_view> names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    names.emplace_back(hwy::TargetName(target));
  }
  return names;
}

void use_isa(std::string_view name) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (!equal_ignoring_case(name, hwy::TargetName(target))) continue;
    hwy::DisableTargets(~target);
    hwy::GetChosenTarget().DeInit();  // the next call chooses anew
    return;
  }
  fail(ErrorCode::kInvalidArgument, "instruction set \"{}\"; there are {} here", name,
       fmt::join(isas_here(), ", "));
}

}  // namespace mhe::kernels
