// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mhe/model.h>

namespace mhe::predict {

/// Throws kInvalidArgument unless features ascend and there are as many finite values.
void check(const SparseInput& input);

}  // namespace mhe::predict
