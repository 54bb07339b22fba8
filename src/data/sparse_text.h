// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The sparse text formats: XMC in one file and in two, and svmlight.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "data/block_source.h"

namespace mhe::data {

/// What ids of features (or of labels, in a label matrix) may be.
struct IdRange {
  std::uint32_t base = 0;              ///< subtracted from every id
  std::optional<std::uint64_t> count;  ///< by a header: ids are below it, after subtraction
  bool base_is_given = false;          ///< else a hint speaks of the index base
};

/// The numbers of an XMC header line: rows, features, labels; or rows and columns.
struct XmcHeader {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::optional<std::uint64_t> labels;
};

/// The header if the line is two or three unsigned integers and nothing else.
[[nodiscard]] std::optional<XmcHeader> parse_xmc_header(std::string_view line);

/// Rows "l1,l2 f:v f:v" with numbered labels below `num_labels`.
[[nodiscard]] std::unique_ptr<BlockParser> make_xmc_parser(const IdRange& features,
                                                           std::uint64_t num_labels);
/// Rows "f:v f:v", the feature file of the two-file form.
[[nodiscard]] std::unique_ptr<BlockParser> make_feature_parser(const IdRange& features);
/// Rows "l:v l:v", the label file of the two-file form; labels of value 0 are none.
[[nodiscard]] std::unique_ptr<BlockParser> make_label_matrix_parser(std::uint64_t num_labels);
/// Rows "l1,l2 f:v f:v # comment" with labels of any name.
[[nodiscard]] std::unique_ptr<BlockParser> make_svmlight_parser(const IdRange& features);

}  // namespace mhe::data
