// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <mhe/train.h>

#include "train/training_set.h"

namespace mhe::train {

/// How many rows are held out for validation. Where the model is trained again with them, many:
/// they cost it nothing.
[[nodiscard]] std::size_t count_validation_rows(const TrainOptions& options, std::size_t rows,
                                                bool refits);

}  // namespace mhe::train
