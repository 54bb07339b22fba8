// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "heads/sparse_level.h"

namespace mhe::testing {

/// The meaning of heads::score_blocks() for one child, searched plainly.
inline float score_child_reference(const heads::SparseLevelView& level, const SparseRow& query,
                                   std::size_t block, std::size_t child) {
  const kernels::RecordSearch search = {.columns = query.columns, .values = query.values};
  return kernels::add_records_reference(level.records, search, static_cast<std::uint32_t>(block),
                                        child, level.bias[block * level.shape.block_width + child]);
}

}  // namespace mhe::testing
