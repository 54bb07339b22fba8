// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mhe/input.h>

namespace mhe::input {

/// Throws kInvalidArgument unless columns ascend and there are as many finite values.
void check(const SparseRow& row);
/// Throws kInvalidArgument unless all numbers are finite.
void check(DenseRow row);
/// The same for every row; of text, that the texts are whole documents.
void check(const InputBatch& batch);

}  // namespace mhe::input
