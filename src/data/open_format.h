// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading from bytes, wherever they come from, and how open_reader() hands over to the formats,
// once it knows which it is.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include <mhe/dataset.h>

#include "data/block_reader.h"
#include "data/block_source.h"
#include "data/line_blocks.h"

namespace mhe::data {

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

/// The format of a file that begins with `probe`, by the rules of docs/formats.md. `has_label_file`
/// tells whether a second file was given. Throws kInvalidData, naming the file, if no rule fits.
[[nodiscard]] Format detect_format(std::string_view probe, std::string_view name,
                                   const ReadOptions& options, bool has_label_file);

/// What a format needs to open a data set.
struct OpenRequest {
  const Context& context;
  const ReadOptions& options;
  LabelNames& names;
  std::unique_ptr<LineBlocks> rows;
  std::unique_ptr<LineBlocks> labels;  ///< the second file, if there is one
};

[[nodiscard]] std::unique_ptr<Reader> open_xmc(OpenRequest request);
[[nodiscard]] std::unique_ptr<Reader> open_xmc_pair(OpenRequest request);
[[nodiscard]] std::unique_ptr<Reader> open_svmlight(OpenRequest request);
[[nodiscard]] std::unique_ptr<Reader> open_fasttext(OpenRequest request);
[[nodiscard]] std::unique_ptr<Reader> open_text_lines(OpenRequest request);
[[nodiscard]] std::unique_ptr<Reader> open_csv(OpenRequest request);
[[nodiscard]] std::unique_ptr<Reader> open_tsv(OpenRequest request);
[[nodiscard]] std::unique_ptr<Reader> open_jsonl(OpenRequest request);
[[nodiscard]] std::unique_ptr<Reader> open_npy(OpenRequest request);
[[nodiscard]] std::unique_ptr<Reader> open_npz(OpenRequest request);

/// Reads rows in memory, copied block by block and checked on the way; see open_reader().
[[nodiscard]] std::unique_ptr<Reader> open_memory(const Context& context, const Dataset& dataset,
                                                  LabelNames& names);

/// Throws kInvalidArgument if there is a second file: the rows have their labels themselves.
void refuse_label_file(const OpenRequest& request);

/// A reader of these rows that skips as many bad lines as the request allows.
[[nodiscard]] std::unique_ptr<Reader> read_blocks(const OpenRequest& request,
                                                  BlockReaderOptions options,
                                                  std::unique_ptr<BlockSource> rows,
                                                  std::unique_ptr<BlockSource> labels = nullptr);

/// The same with the labels of request.labels, if it is there, whatever it is: a csr label matrix,
/// a label array, or lines.
[[nodiscard]] std::unique_ptr<Reader> read_with_label_file(OpenRequest& request,
                                                           BlockReaderOptions options,
                                                           std::unique_ptr<BlockSource> rows);

/// The labels of the rows from request.labels, which has a line for each. Tells the schema, whose
/// format is known, what separates them.
[[nodiscard]] std::unique_ptr<BlockSource> open_label_lines(OpenRequest& request, Schema& schema);

/// The numbers of an XMC header line: rows, features, labels; or rows and columns.
struct XmcHeader {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::optional<std::uint64_t> labels;
};

/// The header if the line is two or three unsigned integers and nothing else.
[[nodiscard]] std::optional<XmcHeader> parse_xmc_header(std::string_view line);

}  // namespace mhe::data
