// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <mhe/context.h>
#include <mhe/label_space.h>

#include "data/reader.h"

namespace mhe::data {

/// A whole data set in memory. Only the parts the schema speaks of are filled.
struct Dataset {
  Schema schema;
  ReadReport report;
  Ragged<LabelId> labels;
  SparseMatrix features;
  DenseMatrix dense;
  std::vector<Strings> text;  ///< [field], a string a row each
  Strings ids;

  [[nodiscard]] std::size_t rows() const noexcept { return report.rows; }
};

/// Reads everything; see open_reader() for names and errors.
[[nodiscard]] Dataset read_dataset(const Context& context, const ReadOptions& options,
                                   LabelNames& names);

/// Reads everything that is left in a reader.
[[nodiscard]] Dataset read_dataset(Reader& reader);

}  // namespace mhe::data
