// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading from bytes, wherever they come from.
#pragma once

#include <memory>

#include <mhe/dataset.h>

#include "data/byte_source.h"

namespace mhe::data {

using mhe::Format;
using mhe::format_name;
using mhe::open_reader;
using mhe::Reader;
using mhe::ReadOptions;
using mhe::ReadReport;
using mhe::RowBatch;
using mhe::Schema;

/// Bytes to read instead of the files that ReadOptions names; the sources' names appear in
/// messages.
struct Inputs {
  std::unique_ptr<ByteSource> rows;
  std::unique_ptr<ByteSource> labels;  ///< the second file; none: there is none
};

/// Opens a data set from memory or any other source; the paths in `options` are not looked at.
[[nodiscard]] std::unique_ptr<Reader> open_reader(const Context& context,
                                                  const ReadOptions& options, LabelNames& names,
                                                  Inputs inputs);

}  // namespace mhe::data
