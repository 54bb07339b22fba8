// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/description.h"

#include <algorithm>

#include "base/parallel.h"

namespace mhe {

void Distribution::add(std::uint64_t value, std::uint64_t times) {
  if (times == 0) return;
  values_[value] += times;
  count_ += times;
  sum_ += value * times;
}

std::uint64_t Distribution::min() const noexcept {
  return values_.empty() ? 0 : values_.begin()->first;
}

std::uint64_t Distribution::max() const noexcept {
  return values_.empty() ? 0 : values_.rbegin()->first;
}

double Distribution::mean() const noexcept {
  return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

double Distribution::median() const noexcept {
  if (count_ == 0) return 0;
  const std::uint64_t lower = value_at((count_ - 1) / 2);
  const std::uint64_t upper = value_at(count_ / 2);
  return (static_cast<double>(lower) + static_cast<double>(upper)) / 2;
}

std::uint64_t Distribution::value_at(std::uint64_t place) const noexcept {
  std::uint64_t seen = 0;
  for (const auto& [value, times] : values_) {
    seen += times;
    if (seen > place) return value;
  }
  return max();
}

namespace data {

void Describer::add(const Context& context, const RowBatch& batch) {
  if (!batch.text.empty()) add_text(context, batch);
  if (batch.features.rows() > 0) add_features(batch.features);
  if (batch.labels.rows() > 0) add_labels(batch.labels);
}

void Describer::add_text(const Context& context, const RowBatch& batch) {
  found_.text.resize(std::max(found_.text.size(), batch.text.size()));
  std::vector<std::uint64_t> words(batch.rows);
  for (std::size_t field = 0; field < batch.text.size(); ++field) {
    constexpr std::size_t kRowsPerBlock = 256;
    parallel_blocks(context, batch.rows, kRowsPerBlock, [&](const Block& block) {
      for (std::size_t row = block.begin; row < block.end; ++row) {
        words[row] = count_words(string_at(batch.text[field], row));
      }
    });
    for (std::size_t row = 0; row < batch.rows; ++row) {
      found_.text[field].bytes.add(batch.text[field][row].size());
      found_.text[field].words.add(words[row]);
    }
  }
}

void Describer::add_features(const SparseMatrix& features) {
  for (std::size_t row = 0; row < features.rows(); ++row) {
    found_.features_per_row.add(features[row].size());
    for (const std::uint32_t column : features[row].columns) {
      if (column >= feature_seen_.size()) feature_seen_.resize(std::size_t{column} + 1);
      found_.distinct_features += feature_seen_[column] ? 0 : 1;
      feature_seen_[column] = true;
    }
  }
}

void Describer::add_labels(const Ragged<LabelId>& labels) {
  for (std::size_t row = 0; row < labels.rows(); ++row) {
    found_.labels_per_row.add(labels[row].size());
    for (const LabelId label : labels[row]) {
      if (index_of(label) >= found_.label_counts.size())
        found_.label_counts.resize(index_of(label) + 1);
      found_.distinct_labels += found_.label_counts[index_of(label)]++ == 0 ? 1 : 0;
    }
  }
}

std::uint64_t count_words(std::string_view text) noexcept {
  std::uint64_t words = 0;
  bool in_word = false;
  for (const char c : text) {
    const bool space = c == ' ' || (c >= '\t' && c <= '\r');
    words += !space && !in_word ? 1 : 0;
    in_word = !space;
  }
  return words;
}

}  // namespace data
}  // namespace mhe
