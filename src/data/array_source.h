// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// NumPy arrays as blocks of rows: dense, scipy CSR, and arrays of labels.
#pragma once

#include <cstdint>
#include <memory>

#include "data/block_source.h"
#include "data/npy.h"
#include "data/zip_archive.h"

namespace mhe::data {

/// Rows of floats; one that is not finite makes a row bad. `array` is 1-D or 2-D.
[[nodiscard]] std::unique_ptr<BlockSource> make_dense_source(std::unique_ptr<NpyArray> array,
                                                             std::unique_ptr<ZipArchive> archive);

/// One integer a row, which is its label's name.
[[nodiscard]] std::unique_ptr<BlockSource> make_label_array_source(std::unique_ptr<NpyArray> array);

/// What the rows of a sparse matrix are.
enum class CsrUse { kFeatures, kLabels };

struct CsrMatrix {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::unique_ptr<BlockSource> source;
};

/// Opens scipy's CSR matrix. Its arrays are read side by side, so memory does not grow with it.
[[nodiscard]] CsrMatrix open_csr(std::unique_ptr<ZipArchive> archive, CsrUse use);

}  // namespace mhe::data
