// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "matrix/sparse.h"

#include <algorithm>

namespace mhe {

void SparseMatrix::append(const SparseMatrix& other) {
  const std::uint64_t base = columns.size();
  columns.insert(columns.end(), other.columns.begin(), other.columns.end());
  values.insert(values.end(), other.values.begin(), other.values.end());
  for (std::size_t i = 1; i < other.offsets.size(); ++i) offsets.push_back(base + other.offsets[i]);
  num_columns = std::max(num_columns, other.num_columns);
}

}  // namespace mhe
