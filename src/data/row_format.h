// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows as text: how each line-based format writes one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <mhe/dataset.h>
#include <mhe/label_space.h>

namespace mhe::data {

/// Writes rows of one format. Called from many threads at once, so it keeps no state but counts.
class RowFormat {
 public:
  virtual ~RowFormat() = default;
  RowFormat(const RowFormat&) = delete;
  RowFormat& operator=(const RowFormat&) = delete;

  /// Appends row `row` of the batch, with its line end. Throws kInvalidData if it cannot be written
  /// in this format.
  virtual void append(const RowBatch& batch, std::size_t row, std::string& out) const = 0;
  /// What stands before the first row.
  [[nodiscard]] virtual std::string header() const { return {}; }
  /// How many texts were changed so far because the format holds one line a row.
  [[nodiscard]] virtual std::uint64_t num_changed_texts() const { return 0; }

 protected:
  RowFormat() = default;
};

/// The number of a label in formats that number labels.
class LabelNumbers {
 public:
  /// How labels get their numbers.
  enum class Rule {
    kByName,  ///< the label's name must be a number, and is it
    kById     ///< its id
  };

  LabelNumbers(const LabelNames& names, Rule rule) : names_(names), rule_(rule) {}

  /// Throws kInvalidData if the label's name is not a number where it must be one.
  [[nodiscard]] std::uint32_t number_of(LabelId label) const;
  /// Replaces `numbers` by those of a row, ascending.
  void numbers_of(std::span<const LabelId> labels, std::vector<std::uint32_t>& numbers) const;

 private:
  const LabelNames& names_;
  Rule rule_;
};

/// The shortest decimal number that reads back as the same float.
void append_float(float value, std::string& out);
void append_unsigned(std::uint64_t value, std::string& out);
/// The features of a row, sparse or dense without its zeros, as " f:v f:v".
void append_pairs(const RowBatch& batch, std::size_t row, std::string& out);

// sparse_format.cc
/// "l1,l2 f:v f:v" with numbered labels.
[[nodiscard]] std::unique_ptr<RowFormat> make_xmc_format(const LabelNumbers& numbers);
/// "f:v f:v", without labels.
[[nodiscard]] std::unique_ptr<RowFormat> make_feature_format();
/// "l:1 l:1", only labels.
[[nodiscard]] std::unique_ptr<RowFormat> make_label_matrix_format(const LabelNumbers& numbers);
/// "l1,l2 f:v f:v" with label names.
[[nodiscard]] std::unique_ptr<RowFormat> make_svmlight_format(const LabelNames& names);
/// The floats of a dense row as they lie in memory, for .npy.
[[nodiscard]] std::unique_ptr<RowFormat> make_raw_float_format();

// text_format.cc
/// One JSON object a row.
[[nodiscard]] std::unique_ptr<RowFormat> make_jsonl_format(const Schema& schema,
                                                           const LabelNames& names);
/// "__label__a __label__b text".
[[nodiscard]] std::unique_ptr<RowFormat> make_fasttext_format(const LabelNames& names,
                                                              std::string prefix);
/// The text alone, a line a row.
[[nodiscard]] std::unique_ptr<RowFormat> make_text_line_format();
/// The label names of a row, a line a row.
[[nodiscard]] std::unique_ptr<RowFormat> make_label_line_format(const LabelNames& names,
                                                                std::string separator);
/// CSV with quotes where they are needed, or TSV without.
[[nodiscard]] std::unique_ptr<RowFormat> make_table_format(const Schema& schema,
                                                           const LabelNames& names, Format format,
                                                           std::string label_separator);

}  // namespace mhe::data
