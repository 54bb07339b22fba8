// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// One way to write every format that reader.h reads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <mhe/context.h>
#include <mhe/label_space.h>

#include "data/format.h"
#include "data/reader.h"

namespace mhe::data {

/// Where to write and how. A path that ends in .gz, .xz or .zst is compressed so.
struct WriteOptions {
  std::string path;               ///< "-" is standard output
  Format format = Format::kAuto;  ///< by the path's ending
  std::string label_path;         ///< second file, for formats that keep labels apart
  std::string label_names_path;   ///< for formats that number labels: number them in the order of
                                  ///< their ids and write their names here, a line each
  bool number_labels = false;     ///< number them so without writing the names
  std::string label_separator;    ///< empty: "," in CSV and TSV, a blank in label lines
  std::string label_prefix = "__label__";     ///< fastText
  std::optional<std::uint64_t> num_features;  ///< what a header shall declare at least
  std::optional<std::uint64_t> num_labels;    ///< the same for labels
  std::optional<std::uint64_t> num_rows;  ///< exactly; a header that needs no more than this and
                                          ///< the two above is written first, and nothing is
                                          ///< set aside on disk for it
};

/// Writes a data set from front to back; the file appears when finish() returns, or not at all.
class Writer {
 public:
  virtual ~Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Appends the rows of a batch. Throws kInvalidData if the format cannot carry what is in it.
  virtual void write(const RowBatch& batch) = 0;
  /// Completes the file. Call once, last.
  virtual void finish() = 0;

 protected:
  Writer() = default;
};

/// The format that a path's ending names, such as "x.jsonl.gz"; kAuto if none.
[[nodiscard]] Format format_of_path(const std::string& path);

/// Opens a writer for batches of that schema. Memory does not grow with the data: what a header has
/// to say first is found out by way of a temporary file. `context` and `names` must outlive the
/// writer. Throws kInvalidArgument if the format cannot hold such data or its name is not known.
[[nodiscard]] std::unique_ptr<Writer> open_writer(const Context& context,
                                                  const WriteOptions& options, const Schema& schema,
                                                  const LabelNames& names);

}  // namespace mhe::data
