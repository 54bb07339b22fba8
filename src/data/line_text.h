// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The formats of plain lines: fastText, a text a line, and the labels of a row a line.
#pragma once

#include <memory>
#include <string>

#include "data/block_source.h"

namespace mhe::data {

/// "__label__a __label__b text": tokens that start with `prefix` are labels wherever they stand,
/// what is left is the text.
[[nodiscard]] std::unique_ptr<BlockParser> make_fasttext_parser(std::string prefix);
/// The whole line is the text.
[[nodiscard]] std::unique_ptr<BlockParser> make_text_parser();
/// The labels of a row, split at `separator` as add_labels() does.
[[nodiscard]] std::unique_ptr<BlockParser> make_label_line_parser(std::string separator);

}  // namespace mhe::data
