// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a data set looks like: how long its rows are, how often its labels occur.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include <mhe/context.h>

#include "data/reader.h"

namespace mhe::data {

/// Exact minimum, median, mean and maximum of whole numbers, none of them kept one by one.
///
/// Memory: 48 bytes or so for each different value; lengths of rows that add up to n bytes have at
/// most sqrt(2 n) different values, 1.4 million for a terabyte.
class Distribution {
 public:
  void add(std::uint64_t value) { add(value, 1); }
  void add(std::uint64_t value, std::uint64_t times);

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t sum() const noexcept { return sum_; }
  /// 0 if nothing was added, as are the others.
  [[nodiscard]] std::uint64_t min() const noexcept;
  [[nodiscard]] std::uint64_t max() const noexcept;
  [[nodiscard]] double mean() const noexcept;
  /// The mean of the two middle values if their number is even.
  [[nodiscard]] double median() const noexcept;
  /// How often each value was added, ascending.
  [[nodiscard]] const std::map<std::uint64_t, std::uint64_t>& values() const noexcept {
    return values_;
  }

 private:
  [[nodiscard]] std::uint64_t value_at(std::uint64_t place) const noexcept;

  std::map<std::uint64_t, std::uint64_t> values_;
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
};

/// Lengths of one text field.
struct TextFieldDescription {
  Distribution bytes;
  Distribution words;  ///< separated by white space
};

/// Describes rows as they pass by. Memory: a bit for each feature id and 8 bytes for each label id
/// up to the largest, and the distributions.
class Description {
 public:
  void add(const Context& context, const RowBatch& batch);

  [[nodiscard]] const Distribution& features_per_row() const noexcept { return features_; }
  [[nodiscard]] const Distribution& labels_per_row() const noexcept { return labels_; }
  [[nodiscard]] const std::vector<TextFieldDescription>& text() const noexcept { return text_; }
  /// Rows of each label.
  [[nodiscard]] const std::vector<std::uint64_t>& label_counts() const noexcept {
    return label_counts_;
  }
  /// Features that occur.
  [[nodiscard]] std::uint64_t distinct_features() const noexcept { return distinct_features_; }
  /// Labels that occur.
  [[nodiscard]] std::uint64_t distinct_labels() const noexcept { return distinct_labels_; }

 private:
  void add_text(const Context& context, const RowBatch& batch);
  void add_features(const SparseMatrix& features);
  void add_labels(const Ragged<LabelId>& labels);

  Distribution features_;
  Distribution labels_;
  std::vector<TextFieldDescription> text_;
  std::vector<std::uint64_t> label_counts_;
  std::vector<bool> feature_seen_;
  std::uint64_t distinct_features_ = 0;
  std::uint64_t distinct_labels_ = 0;
};

/// The number of words in `text`, separated by ASCII white space.
[[nodiscard]] std::uint64_t count_words(std::string_view text) noexcept;

}  // namespace mhe::data
