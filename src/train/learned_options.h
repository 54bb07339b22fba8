// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// How a model with a learned encoder is trained.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "encoders/encoder_options.h"
#include "text/options.h"
#include "train/schedule.h"

namespace mhe::train {

/// Options that the linear encoder has too go by the same names.
struct LearnedOptions {
  std::string encoder = "bag";         ///< bag: of sparse vectors and text; dense: of vectors
  std::string head = "auto";           ///< onehot, product, cascade or sampling; auto: cascade, if
                                       ///< there are labels for two levels, else onehot
  std::vector<std::uint32_t> lengths;  ///< of the heads; empty: by plan
  std::size_t heads = 0;               ///< how many; 0: by plan
  std::size_t ensemble = 1;            ///< members whose scores are averaged
  std::size_t min_label_count = 1;     ///< labels of fewer rows are left out
  std::int32_t candidates = -1;        ///< cascade: parents an example trains; -1: by rule
  std::size_t beam = 0;                ///< parents kept while predicting; 0: as in training
  float parent_power = 0;              ///< how much the path counts; 0: what held-out rows prefer
  double held_out = 0.01;              ///< share of rows kept for calibration
  encoders::EncoderOptions network;    ///< of the encoder
  float dropout = -1;                  ///< share of features that a step leaves out; -1: by encoder
  std::string loss = "auto";   ///< softmax, sigmoid; auto: softmax where every row has one label
  std::string order = "auto";  ///< random, clustered, frequency, identity, product; auto: by head
  std::string start = "auto";  ///< of the head: random, biases, centroids; auto: by encoder, head
  std::size_t inner_dim = 0;   ///< cascade: width of levels 2 and on; 0: dim
  std::size_t rank = 1;        ///< product: groups of heads that are summed
  std::size_t redundant_heads =
      0;                         ///< product: heads that share 12 sqrt(C) outputs; 0: what C needs
  std::size_t code_epochs = 0;   ///< product: of the one-hot head that digits come from
  bool powerset = false;         ///< product: heads predict sets of labels, as bits of their digits
  std::size_t extra_groups = 0;  ///< sampling: random groups beside those of a batch
  std::size_t groups_per_example = 0;  ///< sampling: S of MHS-S; 0: a batch shares its groups
  bool weigh_groups = true;            ///< sampling, softmax: drawn groups count for the others
  std::size_t epochs = 0;              ///< passes over the data; 0: by the number of rows
  std::size_t batch = 256;
  float learning_rate = 0;           ///< of tables: embeddings and rows of heads; 0: by their rule
  float layer_rate = 1e-3F;          ///< of dense layers and biases
  std::string table_rule = "auto";   ///< adagrad, adam or sgd, a number of state a row; by encoder
  std::string layer_rule = "adamw";  ///< or sgd, with momentum
  float momentum = 0.9F;
  float weight_decay = 0;
  std::string schedule = "linear";  ///< constant, linear, cosine or poly
  double warmup = -1;               ///< share of the steps; -1: by the rule of tables
  double swa = 0;                   ///< share of the epochs, the last, whose weights are averaged
  std::size_t patience = 0;         ///< epochs without a better validation; 0: all are trained
  text::VectorizerOptions text;     ///< without fields: these follow from the data

  LearnedOptions();

  template <class Visitor>
  void visit(Visitor&& v) {
    v("head", head, "onehot, product, cascade or sampling; auto: cascade, onehot for 2 labels");
    v("lengths", lengths, "lengths of the heads, such as 107,40; default: by plan");
    v("heads", heads, "how many heads; 0: as few as there can be");
    v("ensemble", ensemble, "train so many and average their scores");
    v("min_label_count", min_label_count, "leave out labels of fewer rows");
    v("candidates", candidates, "cascade: parents an example trains; -1: 20, or all there are");
    v("beam", beam, "parents kept a level while predicting; 0: as in training");
    v("parent_power", parent_power,
      "weight of the path in a label's score; 0: chosen on held-out rows");
    v("held_out", held_out, "share of rows held out for calibration; 0: none");
    network.visit(v);
    v("dropout", dropout, "share of features that a step leaves out; -1: bag 0.3, dense 0");
    v("loss", loss,
      "softmax or sigmoid; auto: softmax where every row has one label, or the rank is above 1");
    v("order", order,
      "of the labels: random, clustered, frequency, identity or product; auto: random, clustered "
      "for a cascade on dense input, identity for product heads over millions of labels");
    v("start", start,
      "of the head: random; biases that say how often a label is true; or these and rows that are "
      "centroids of the features of their examples; auto: for a bag centroids with a cascade, "
      "biases with onehot and sampling, else random");
    v("inner_dim", inner_dim, "cascade: width of levels 2 and on; 0: dim");
    v("rank", rank, "product: groups of heads that are summed");
    v("redundant_heads", redundant_heads,
      "product: so many heads, which share 12 times the root of the labels' number of outputs; "
      "0: only what it needs");
    v("code_epochs", code_epochs,
      "product: digits from the rows of a one-hot head trained for so long; 0: from centroids");
    v("powerset", powerset,
      "product: heads tell which of a few labels a row has, as bits of their digits");
    v("extra_groups", extra_groups, "sampling: random groups beside those of a batch");
    v("groups_per_example", groups_per_example,
      "sampling: groups an example of one label is scored on, its own and random ones (S of "
      "MHS-S); 0: those of the whole batch");
    v("weigh_groups", weigh_groups,
      "sampling, softmax: groups that were drawn count for those that were not");
    v("epochs", epochs, "passes over the data; 0: 10, or as many as make 1,000 steps, at most 60");
    v("batch", batch, "examples a step");
    v("learning_rate", learning_rate,
      "of tables: embeddings and the rows of heads; 0: adagrad and sgd 0.1, adam 0.0005");
    v("layer_rate", layer_rate, "learning rate of dense layers and biases");
    v("table_rule", table_rule,
      "adagrad, adam or sgd, with a number of state a row; auto: adam for dense input, else "
      "adagrad");
    v("layer_rule", layer_rule, "adamw, or sgd with momentum");
    v("momentum", momentum, "of layers under sgd");
    v("weight_decay", weight_decay, "of weights, times the learning rate");
    v("schedule", schedule, "of the learning rates: constant, linear, cosine or poly");
    v("warmup", warmup,
      "share of the steps in which the rates rise from 0; -1: 0.1 with adagrad, else none");
    v("swa", swa, "share of the epochs, the last ones, whose weights are averaged");
    v("patience", patience, "stop after so many epochs without a better validation; 0: never");
    text.visit(v);
  }
};

/// Throws kInvalidArgument, saying which option is wrong.
void validate(const LearnedOptions& options);

/// The options with what they leave open decided: the head, and by it and the encoder how tables
/// move, how fast, dropout, the order of so many labels, epochs over so many rows.
/// docs/decisions/0009 says why.
[[nodiscard]] LearnedOptions with_rules(LearnedOptions options, std::size_t num_rows,
                                        std::size_t num_labels);

/// The learning rates over a training of so many steps.
[[nodiscard]] Schedule make_schedule(const LearnedOptions& options, std::uint64_t steps);

/// The options as a JSON object.
[[nodiscard]] std::string to_json(LearnedOptions options);

}  // namespace mhe::train
