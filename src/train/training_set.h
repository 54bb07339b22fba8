// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a model is trained on, in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mhe/context.h>
#include <mhe/dataset.h>
#include <mhe/label_space.h>
#include <mhe/train.h>

#include "labels/order_file.h"
#include "matrix/feature_weights.h"
#include "text/builder.h"
#include "text/options.h"
#include "text/vectorizer.h"
#include "train/examples.h"

namespace mhe::train {

struct TrainingSet {
  Schema schema;    ///< of the data
  ReadReport read;  ///< what was met while reading it
  Examples examples;
  LabelNames names;
  std::optional<text::Vectorizer> vectorizer;  ///< of text; none: the data is vectors
  /// The names of labels as texts, where these are to be trained on: a row and a label each.
  Examples name_rows = {};
  FeatureWeights feature_weights = {};               ///< that the features were given
  std::optional<labels::OrderFile> order_file = {};  ///< where the order is that of a file
};

/// What a rule for text may look at.
struct TextSample {
  std::vector<std::string> columns;
  double mean_bytes = 0;  ///< of a row's texts, over the first rows
  std::size_t rows = 0;   ///< the first rows, 256 at most
};

/// Completes the options of a vectorizer once the data is in sight: fields, n-grams.
using TextRule = std::function<void(const TextSample&, TextOptions&)>;

/// How data is read, and how its text becomes features.
struct Reading {
  TextOptions text;
  TextRule rule;                  ///< completes `text`
  std::uint64_t ram_bytes = 0;    ///< what the process may take; 0: what it needs
  std::string label_text = "no";  ///< names of labels as rows: yes, no, or auto: where they tell
  bool takes_dense = true;
};

/// Reads training data. Throws as the reader does, kInvalidData for data that nothing can be
/// trained on, and kResourceLimit as soon as the process cannot stay within what it may take.
[[nodiscard]] TrainingSet read_training_set(const Context& context, const Dataset& data,
                                            Reading how);

/// Looks at the first rows of these columns.
[[nodiscard]] TextSample sample_text(std::vector<std::string> columns,
                                     std::span<const Strings> texts);

/// Fits a vectorizer to the documents that `builder` was given, and to the names of the labels
/// after them if `with_names`; features go to the set. Throws kResourceLimit, naming `what`, if the
/// features would not fit `ram_bytes`, unless that is 0.
void finish_text(text::VectorizerBuilder& builder, bool with_names, TrainingSet& set,
                 std::uint64_t ram_bytes = 0, const std::string& what = {});

/// Throws kInvalidData, naming `what`, if there are no rows or fewer than two labels occur.
void check_learnable(const TrainingSet& set, const std::string& what);
/// The same if no row has a feature.
void check_features(const TrainingSet& set, const std::string& what);

/// Throws kInvalidData, naming `what`, if no row has a label: nothing would be right.
void check_validation_rows(const Examples& examples, const std::string& what);

/// Reads other data, for validation, the way `set` was read. Labels that `set` does not have get
/// ids beyond its own.
[[nodiscard]] Examples read_more(const Context& context, const Dataset& data,
                                 const TrainingSet& set);

/// Which labels are too rare to be trained on. Of equally frequent ones those of larger ids are
/// taken for the rarer.
struct TrimRule {
  std::size_t min_count = 1;  ///< labels of fewer rows go
  std::size_t rarest = 0;     ///< this many of those that occur go
  double per_cent = 0;        ///< this share of those that occur goes, rounded down

  [[nodiscard]] bool is_none() const noexcept {
    return min_count <= 1 && rarest == 0 && per_cent == 0;
  }
};

/// By the options min_label_count and trim_labels. Throws kInvalidArgument if both are given, or
/// the latter is neither a count nor a share.
[[nodiscard]] TrimRule trim_rule_of(const TrainOptions& options);

/// Takes rare labels away, and with them those of no row; the others are numbered anew, in their
/// order. Returns how many went: 0 by a rule that is_none(). Throws kInvalidData if fewer than 2
/// are left.
std::size_t trim_labels(TrainingSet& set, const TrimRule& rule);

/// From now on the names of labels are rows like others.
void train_on_names(TrainingSet& set);

}  // namespace mhe::train
