// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which instruction set kernels run on, where somebody wants another than the best.
#pragma once

#include <string_view>
#include <vector>

namespace mhe::kernels {

/// The instruction sets that this build has kernels for and this CPU offers, best first.
[[nodiscard]] std::vector<std::string_view> isas_here();

/// From now on all kernels run on this one, such as "AVX2"; case does not matter. Not while any of
/// them runs. Throws kInvalidArgument if it is not here.
void use_isa(std::string_view name);

}  // namespace mhe::kernels
