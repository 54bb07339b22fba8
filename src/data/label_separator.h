// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What separates the labels of a row, where nobody says: a guess from the first rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/dataset.h>
#include <mhe/label_space.h>

#include "data/line_blocks.h"

namespace mhe::data {

/// As a label separator: a character that is in no line, so that nothing is split.
inline constexpr std::string_view kNoSeparator = "\n";

/// Texts of labels from the first rows, as many as a guess looks at: the same for a file, its
/// compressed form and a pipe.
class LabelSample {
 public:
  static constexpr std::size_t kMaxRows = 10'000;
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;  ///< of these texts
  /// Of the data that they are looked for in, which may hold long texts beside them.
  static constexpr std::size_t kMaxDataBytes = std::size_t{1} << 22;

  /// Whether there is no room for more.
  [[nodiscard]] bool is_full() const noexcept { return rows_ >= kMaxRows || bytes_ >= kMaxBytes; }
  /// Keeps the text of a row; one that is empty only counts.
  void add(std::string_view text);

  [[nodiscard]] const std::vector<std::string>& texts() const noexcept { return texts_; }

 private:
  std::vector<std::string> texts_;
  std::size_t rows_ = 0;
  std::size_t bytes_ = 0;
};

struct SeparatorGuess {
  std::string separator;  ///< as ReadOptions::label_separator
  bool is_found = false;  ///< the texts decided; else it is the default
};

/// Decides between ";", "|", ",", a blank and none by whether the parts of a text lead lives of
/// their own in other texts; docs/formats.md has the rules. `by_default` is what the format takes
/// where nothing speaks for or against it: ",", " " or kNoSeparator.
[[nodiscard]] SeparatorGuess guess_label_separator(std::span<const std::string> texts,
                                                   std::string_view by_default);

/// A separator that labels were not split at, though they look as if they should be.
struct SuspectSeparator {
  std::string separator;
  std::string label;  ///< an example
};

/// Looks for one where most labels occur in one row only and contain it. `counts` are the rows of
/// each label.
[[nodiscard]] std::optional<SuspectSeparator> suspect_separator(
    const LabelNames& names, std::span<const std::uint32_t> counts);

/// The label separator of data in this format: that of the options, else of what they expect, if
/// its labels are in such a place too, else a guess from what `collect` puts into a sample. A live
/// source is not looked at; it gets the default.
[[nodiscard]] SeparatorGuess choose_label_separator(
    const ReadOptions& options, Format format, std::string_view by_default,
    const std::function<void(LabelSample&)>& collect);

/// Shows the first lines (records under kCsvQuotes), without their ends, until `take` returns
/// false or LabelSample::kMaxDataBytes are looked at. They stay to be read.
void show_first_lines(LineBlocks& lines, LineRule rule, char csv_separator,
                      const std::function<bool(std::string_view)>& take);

}  // namespace mhe::data
