// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace mhe::data {

/// The file formats of the field; docs/formats.md describes each.
enum class Format {
  kAuto,      ///< decide by content
  kXmc,       ///< "N D L" header, then "l1,l2 f:v f:v" a row
  kXmcPair,   ///< features "N D" and labels "N L" in two files of "i:v i:v" rows
  kSvmlight,  ///< "l1,l2 f:v f:v" a row, no header
  kFastText,  ///< "__label__a __label__b text"
  kCsv,
  kTsv,
  kJsonl,      ///< one JSON object a line
  kTextLines,  ///< a text a line, with the labels of a row a line in a second file
  kNpy,        ///< NumPy array, dense
  kNpz,        ///< NumPy archive: scipy CSR, or one dense array
};

/// The name used in flags, such as "xmc" or "jsonl".
[[nodiscard]] std::string_view format_name(Format format) noexcept;
/// The format of that name. Throws kInvalidArgument, listing the names, if there is none.
[[nodiscard]] Format parse_format(std::string_view name);

}  // namespace mhe::data
