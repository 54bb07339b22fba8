// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <mhe/context.h>

#include "encoders/batch_source.h"

namespace mhe::encoders {

/// Mean and inverse deviation of every column; columns that do not vary get a scale of 0.
struct InputScaling {
  std::vector<float> mean;
  std::vector<float> scale;
};

/// Of dense rows of so many columns.
[[nodiscard]] InputScaling measure_scaling(const Context& context, BatchSource& source,
                                           std::size_t num_columns);

}  // namespace mhe::encoders
