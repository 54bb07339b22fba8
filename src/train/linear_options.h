// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// How a linear model is trained, and the settings that data decide when a user does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heads/train_cascade.h"
#include "text/options.h"
#include "train/training_set.h"

namespace mhe::train {

struct LinearOptions {
  std::string head = "auto";             ///< cascade, onehot (no tree), or by rule
  std::vector<std::uint32_t> lengths;    ///< of the heads; empty: by rule from the number of labels
  std::size_t leaf = 0;                  ///< length of the last head; 0: by rule
  std::int32_t candidates = -1;          ///< parents an example also trains; -1: by rule
  std::size_t ensemble = 1;              ///< cascades whose scores are averaged
  std::size_t min_label_count = 1;       ///< labels of fewer rows are left out
  float parent_power = 0;                ///< how much the path counts; 0: what held-out rows prefer
  std::size_t beam = 10;                 ///< nodes kept a level while predicting
  double held_out = 0.01;                ///< share of rows kept for calibration; see docs/train.md
  float loss_weight = 0;                 ///< C: what an error costs; 0: what held-out rows prefer
  float prune = -1;                      ///< weights dropped; -1: by rule
  float prune_strength = 1;              ///< times what the rule says
  float neighbours = -1;                 ///< weight of like rows; -1: what held-out rows prefer
  std::string feature_weights = "auto";  ///< of columns of sparse vectors; see weigh_features.h
  std::string label_text = "auto";  ///< names of labels as rows: yes, no; auto: where they tell
  heads::CascadeOptions cascade;    ///< what the options above say too comes from these
  text::VectorizerOptions text;     ///< without fields: these follow from the data

  LinearOptions();

  template <class Visitor>
  void visit(Visitor&& v) {
    v("head", head,
      "cascade, onehot (every label against all rows), or auto: by rule; learned encoders also "
      "have "
      "product and sampling");
    v("lengths", lengths, "lengths of the heads, such as 107,40; default: by rule");
    v("leaf", leaf, "length of the last head where --lengths are not given; 0: by rule");
    v("ensemble", ensemble, "train so many cascades and average their scores");
    v("min_label_count", min_label_count, "leave out labels of fewer rows");
    v("candidates", candidates,
      "parents an example trains beyond its own; -1: 20 where rows have many features and no "
      "lengths are given, else 10; learned encoders: 20 with its own");
    v("parent_power", parent_power,
      "weight of the path in a label's score; 0: chosen on held-out rows");
    v("beam", beam,
      "nodes kept a level while predicting; learned encoders: as many as candidates unless given");
    v("loss_weight", loss_weight,
      "C: what an error costs against large weights; 0: chosen on held-out rows, or 1");
    v("sweeps", cascade.solver.sweeps, "passes of the solver over a node's examples");
    v("prune", prune, "drop weights not larger than this; -1: by rule from the features of a row");
    v("prune_strength", prune_strength, "drop so many times larger weights than the rule says");
    v("neighbours", neighbours,
      "weight, 0 to 1, of the labels of like training rows; -1: chosen on held-out rows");
    v("feature_weights", feature_weights,
      "weights for sparse vectors: none, idf (rare features count more), scaled (columns of one "
      "size, then idf), root-idf, root-scaled (of square roots), or auto: found on a sample");
    v("label_text", label_text,
      "learn from the names of labels as from texts: yes, no, or auto: where rows resemble the "
      "names of their labels");
    v("held_out", held_out,
      "share of rows, at least 200 and at most 1,000, held out for calibration; 0: none");
    text.visit(v);
  }
};

/// The options behind "fast", "default" or "best". Throws kInvalidArgument for another name.
[[nodiscard]] LinearOptions preset(std::string_view name);

/// Throws kInvalidArgument, saying which option is wrong.
void validate(const LinearOptions& options);

/// The length of the last head: as given, or by rule.
[[nodiscard]] std::size_t leaf_of(const LinearOptions& options, std::size_t num_labels);

/// Lengths by rule: last heads of `leaf`, and as few heads as keep the first ones short.
[[nodiscard]] std::vector<std::uint32_t> default_lengths(std::size_t num_labels, std::size_t leaf);

/// Lengths of a member of an ensemble. Members differ in their seeds and, where lengths come by
/// rule, in their shapes.
[[nodiscard]] std::vector<std::uint32_t> member_lengths(const LinearOptions& options,
                                                        std::size_t num_labels, std::size_t member);

/// Text by rule (docs/train.md has the measurements). The first of several columns is most often a
/// title: its words and pairs of words become features of their own. A single column shows its
/// subject in its first words: their character n-grams do. The n-grams of `text` are the longest
/// there may be; long texts get single words.
void choose_text_options(const TextSample& sample, text::VectorizerOptions& text);

/// Whether training is so short and its model so small that neither need be spared.
[[nodiscard]] bool is_little(const SparseMatrix& features) noexcept;

/// What weights to drop by rule: the more features a row has, the more small weights count, and the
/// less data there is, the less there is to save.
[[nodiscard]] float default_prune(std::size_t nonzeros, std::size_t rows, float strength);

/// The options with what the training data decide where a user left it open; a loss weight left
/// open is 1.
[[nodiscard]] LinearOptions completed(LinearOptions options, const SparseMatrix& features,
                                      std::size_t num_labels);

/// The options as a JSON object.
[[nodiscard]] std::string to_json(LinearOptions options);

}  // namespace mhe::train
