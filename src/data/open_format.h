// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// How open_reader() hands over to the formats, once it knows which it is.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "data/block_reader.h"
#include "data/block_source.h"
#include "data/line_blocks.h"
#include "data/reader.h"

namespace mhe::data {

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

/// The labels of the rows from a second file.
struct LabelFile {
  std::unique_ptr<BlockSource> source;  ///< null: there is no second file
  LabelForm form = LabelForm::kNamed;
  std::optional<std::uint64_t> declared_rows;
  std::optional<std::uint64_t> declared_labels;
};

/// Opens request.labels, whatever it is: a csr label matrix, a label array, or lines.
[[nodiscard]] LabelFile open_label_file(OpenRequest& request);

/// The labels of the rows from a file with a line for each.
[[nodiscard]] std::unique_ptr<BlockSource> open_label_lines(const Context& context,
                                                            const ReadOptions& options,
                                                            std::unique_ptr<LineBlocks> lines);

}  // namespace mhe::data
