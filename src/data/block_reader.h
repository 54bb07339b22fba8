// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The outer half of reading: takes parsed blocks in order, joins rows with labels from a second
// file, gives labels their ids, counts, and decides about bad lines.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <mhe/dataset.h>

#include "data/block_source.h"

namespace mhe::data {

/// How the labels in parsed blocks are to be understood.
enum class LabelForm {
  kNamed,        ///< indices into the block's own names
  kNumbered,     ///< ids
  kNumberNames,  ///< numbers that are names like others, such as "17"
};

/// How the labels of a file that numbers `count` of them are to be understood. They are ids where
/// they can be, and `names` then has all of them; beside labels with names they are names.
[[nodiscard]] LabelForm number_labels(LabelNames& names, std::uint64_t count);

struct BlockReaderOptions {
  Schema schema;
  LabelForm label_form = LabelForm::kNamed;
  std::optional<std::uint64_t> declared_label_rows;  ///< by the header of the label file
  std::uint64_t skip_bad = 0;
};

/// A Reader over parsed blocks. `labels` gives the labels of the rows of `rows`; if it is null they
/// come with the rows.
[[nodiscard]] std::unique_ptr<Reader> make_block_reader(const Context& context, LabelNames& names,
                                                        const BlockReaderOptions& options,
                                                        std::unique_ptr<BlockSource> rows,
                                                        std::unique_ptr<BlockSource> labels);

}  // namespace mhe::data
