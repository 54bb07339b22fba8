// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <mhe/context.h>
#include <mhe/dataset.h>

#include "base/random.h"
#include "tasks/task.h"
#include "tasks/zipf.h"

namespace mhe::tasks {

struct SyntheticOptions {
  std::uint64_t rows = 100'000;     ///< of train
  std::int64_t dev_rows = -1;       ///< -1: a tenth of rows, at most 50,000
  std::int64_t test_rows = -1;      ///< the same
  std::uint64_t features = 50'000;  ///< D
  std::uint64_t labels = 10'000;    ///< C
  double labels_per_row = 3;        ///< mean; whole numbers just below and above it occur
  /// Each label by itself is true in labels_per_row / labels of the rows, and then shows in as many
  /// words, which no other label has and which are no common words. A row may have no label.
  bool independent_labels = false;
  std::uint64_t words_per_row = 60;    ///< words drawn; a row has fewer features, for some repeat
  std::uint64_t words_per_label = 20;  ///< size of a label's own vocabulary
  double zipf = 1;                     ///< exponent of the frequencies of labels and common words
  double noise = 0.8;                  ///< share of words that tell nothing about the labels
  std::string format = "xmc";          ///< or svmlight, jsonl

  template <class Visitor>
  void visit(Visitor&& v) {
    v("rows", rows, "rows of the training part");
    v("dev_rows", dev_rows, "rows of the dev part; -1: a tenth of --rows, at most 50,000");
    v("test_rows", test_rows, "rows of the test part; -1: as for dev");
    v("features", features, "different features");
    v("labels", labels, "different labels");
    v("labels_per_row", labels_per_row, "labels of a row, on average");
    v("independent_labels", independent_labels,
      "each label is true by itself, all equally often, and shows in words of its own; rows have "
      "different numbers of labels, and may have none");
    v("words_per_row", words_per_row, "words of a row, repeated ones included");
    v("words_per_label", words_per_label, "words that belong to a label");
    v("zipf", zipf, "exponent of the frequencies of labels and of common words; 0: all equal");
    v("noise", noise, "share of words that tell nothing about the labels");
    v("format", format, "xmc, svmlight or jsonl");
  }
};

/// Throws kInvalidArgument, saying which option is wrong.
void validate(const SyntheticOptions& options);

/// Rows that can be made in any order: each follows from the seed, its part and its number alone.
///
/// Labels are drawn by Zipf's law, each once, unless they are independent; ranks are spread over
/// the ids, so that an id tells nothing of a frequency. A word is with probability noise a common
/// one, by Zipf's law over all features, else one of the own words of one of the row's labels,
/// which lie anywhere among the features. The value of a feature is the square root of how often it
/// was drawn.
class SyntheticRows {
 public:
  SyntheticRows(const SyntheticOptions& options, std::uint64_t seed);

  /// Replaces `batch` by rows [first, first + count) of a part.
  void make(const Context& context, Split split, std::uint64_t first, std::size_t count,
            RowBatch& batch) const;

 private:
  struct Scratch;
  void add_row(Split split, std::uint64_t row, Scratch& scratch, RowBatch& out) const;
  void draw_labels_and_words(RandomStream& random, Scratch& scratch) const;
  void draw_independent(RandomStream& random, Scratch& scratch) const;
  [[nodiscard]] std::uint32_t label_of_rank(std::uint64_t rank) const;
  [[nodiscard]] std::uint32_t own_word(std::uint32_t label, std::uint64_t which) const;

  SyntheticOptions options_;
  std::uint64_t seed_;
  std::uint64_t stride_ = 1;  // label = (rank * stride) mod labels, stride coprime to labels
  Zipf label_law_;
  Zipf word_law_;
};

/// Writes train, dev and test. Memory: a batch of 16,384 rows, whatever the number of rows.
TaskResult build_synthetic(const Context& context, const SyntheticOptions& options,
                           const TaskOutput& output);

}  // namespace mhe::tasks
