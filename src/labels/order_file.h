// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// An order of labels as write_order() writes it and people edit it. docs/formats.md describes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <span>
#include <string>
#include <vector>

#include <mhe/label_space.h>

namespace mhe::labels {

/// The labels of a model in the order of a file.
struct OrderFile {
  std::string path = {};
  std::vector<LabelId> labels = {};           ///< by ascending position
  std::vector<std::uint64_t> positions = {};  ///< of these
  std::size_t num_heads = 0;                  ///< digits of a label; 0: the file has none
  std::vector<std::uint32_t> digits = {};     ///< [label in `labels`][head]
  std::size_t others = 0;                     ///< labels of the file that the model does not have

  /// Whether the file was made for these lengths: digits and positions agree.
  [[nodiscard]] bool is_for(std::span<const std::uint32_t> lengths) const;

  /// kSpread: each label at its position if the file is for these lengths. Otherwise the sequence
  /// of the file, in the places that `placement` says. Throws kInvalidArgument unless the lengths
  /// cover the labels.
  [[nodiscard]] LabelOrder place(std::vector<std::uint32_t> lengths, Placement placement) const;
};

/// Reads an order of the labels that `names` has. Throws kIo, and kInvalidData, naming file and
/// line, for lines that cannot be, for a label or a position given twice, for digits that do not
/// ascend with positions, and for labels that have no line. Lines of other labels are counted and
/// left out.
[[nodiscard]] OrderFile read_order_file(const std::string& path, const LabelNames& names);
/// The same of a stream; `path` is its name in errors.
[[nodiscard]] OrderFile parse_order(std::istream& lines, const std::string& path,
                                    const LabelNames& names);

}  // namespace mhe::labels
