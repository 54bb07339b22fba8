// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <mhe/dataset.h>

namespace mhe::data {

/// Reads rows in memory, copied block by block and checked on the way; see open_reader().
[[nodiscard]] std::unique_ptr<Reader> open_memory(const Context& context, const Dataset& dataset,
                                                  LabelNames& names);

}  // namespace mhe::data
