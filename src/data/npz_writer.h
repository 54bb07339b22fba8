// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <mhe/input.h>

#include "data/byte_sink.h"

namespace mhe::data {

/// Writes a sparse matrix row by row as scipy.sparse.save_npz does, uncompressed.
class CsrFile {
 public:
  CsrFile(const std::string& path, std::size_t threads);

  void add_row(const SparseRow& row);
  /// Completes the file; the matrix gets `num_columns` columns, more than any that occurred.
  void finish(std::uint64_t num_columns);

 private:
  std::unique_ptr<ByteSink> sink_;
  SpoolFile starts_;   // uint64 each
  SpoolFile columns_;  // uint32 each
  SpoolFile values_;   // float each
  std::uint64_t rows_ = 0;
  std::uint64_t entries_ = 0;
};

}  // namespace mhe::data
