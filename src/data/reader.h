// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// One way to read every format: open_reader() looks at the content, next() gives batch after batch
// in bounded memory, parsed on all threads of the Context.
//
// Memory: text is read in blocks of 1 MiB, two per thread, with what is parsed from them (about as
// much again) and 4 MiB read ahead. A line longer than a block enlarges it, up to 1 GiB; a longer
// line is an error. Decompression has a limit of its own (byte_source.h). Label names stay in
// `names`. The rows and batches are the same for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/context.h>
#include <mhe/ids.h>
#include <mhe/input.h>
#include <mhe/label_space.h>

#include "data/byte_source.h"
#include "data/format.h"

namespace mhe::data {

/// What to read and how; the defaults suit a file that says itself what it is.
struct ReadOptions {
  std::string path;                  ///< "-" is standard input
  Format format = Format::kAuto;     ///< by content
  std::string label_path;            ///< second file: labels of the rows, a line each; or the label
                                     ///< matrix of the two-file XMC form; empty: none
  std::vector<std::string> columns;  ///< names of the columns of a CSV/TSV without a header line
  std::vector<std::string> text_columns;   ///< text fields, in this order; empty: chosen by rule
  std::vector<std::string> expected_text;  ///< text fields to take where there are columns and
                                           ///< text_columns is empty; says also that text is
                                           ///< expected, so that lines of no other format are texts
  std::string label_column;                ///< empty: chosen by rule ("labels", "label", ...)
  std::string id_column;                   ///< empty: none unless a column is called "id"
  std::string label_separator;             ///< empty: chosen by rule of the format
  std::string label_prefix = "__label__";  ///< fastText: how a label starts
  std::optional<std::uint32_t> index_base;  ///< first feature id in sparse text: 0 or 1; none: ids
                                            ///< are kept as they are
  std::uint64_t skip_bad = 0;  ///< how many bad lines to skip and report before failing
  bool labels_only = false;    ///< tables and JSON need no text, and what they have is not read
  bool live = false;           ///< somebody waits at the other end of the pipe: hand over the rows
                               ///< that are there, do not wait for full blocks
};

/// What is known before the first row.
struct Schema {
  Format format = Format::kAuto;
  InputKind kind = InputKind::kSparse;
  std::vector<std::string> text_fields;  ///< names of the text fields, kText only
  bool has_ids = false;                  ///< rows carry an id of their own
  bool has_labels = true;
  std::optional<std::uint64_t> declared_rows;      ///< by a header
  std::optional<std::uint64_t> declared_features;  ///< by a header; dense: the width
  std::optional<std::uint64_t> declared_labels;    ///< by a header
};

/// Consecutive rows. Only the parts the schema speaks of are filled.
struct RowBatch {
  std::uint64_t first_row = 0;  ///< number of the first row in the file, from 0
  std::size_t rows = 0;
  Ragged<LabelId> labels;  ///< ascending, each once
  SparseMatrix features;
  DenseMatrix dense;
  std::vector<Strings> text;  ///< [field], rows each; valid UTF-8
  Strings ids;
};

/// What was met on the way; complete once next() has returned false.
struct ReadReport {
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;       ///< after decompression
  std::uint64_t empty_rows = 0;  ///< neither features nor text
  std::uint64_t unlabeled_rows = 0;
  std::uint64_t duplicate_features = 0;  ///< entries merged into another of the same row, by adding
  std::uint64_t duplicate_labels = 0;    ///< labels named twice in a row
  std::vector<std::string> bad_lines;    ///< skipped under skip_bad, each as the error it would be
};

/// Reads a data set from front to back. Not thread-safe; uses the Context's threads itself.
class Reader {
 public:
  virtual ~Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  [[nodiscard]] const Schema& schema() const noexcept { return schema_; }
  [[nodiscard]] const ReadReport& report() const noexcept { return report_; }

  /// Replaces `batch` by the next rows; false at the end, when the batch is empty. Throws
  /// kInvalidData with file, line, what was expected and what was found, or kIo.
  [[nodiscard]] virtual bool next(RowBatch& batch) = 0;

 protected:
  Reader() = default;
  Schema schema_;
  ReadReport report_;
};

/// Opens a data set. Labels are looked up in `names` and added to it as they appear, in row order;
/// `context` and `names` must outlive the reader. Throws kNotFound, kIo, kInvalidData (empty file,
/// unknown format, missing columns) or kInvalidArgument (options that do not fit the format).
[[nodiscard]] std::unique_ptr<Reader> open_reader(const Context& context,
                                                  const ReadOptions& options, LabelNames& names);

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
