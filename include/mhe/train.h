// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Training a model: data in, model file out, whatever the encoder and the head.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/context.h>
#include <mhe/dataset.h>
#include <mhe/metrics.h>
#include <mhe/model.h>
#include <mhe/plan.h>
#include <mhe/text.h>

namespace mhe {

/// Options that mean the same for every encoder. What is left at its default is resolved from the
/// data; docs/train.md has the rules.
struct CommonOptions {
  std::string head = "auto";           ///< onehot, product, cascade or sampling
  std::vector<std::uint32_t> lengths;  ///< of the heads
  std::size_t ensemble = 1;            ///< members whose scores are averaged
  std::size_t min_label_count = 1;     ///< labels of fewer rows are left out
  std::string trim_labels = "0";       ///< rarest labels that are left out: a count, or a share
  std::string order = "auto";          ///< of the labels: a rule, or a file that has them
  std::int32_t candidates = -1;        ///< cascade: parents an example trains
  std::size_t beam = 0;                ///< cascade: nodes kept per level while predicting
  float parent_weight = 0;             ///< cascade: exponent of the parents' score
  double held_out = 0.01;              ///< share of validation rows
  std::string refit = "auto";          ///< train again with the validation rows
  std::string feature_weights = "auto";
  std::string label_text = "auto";

  template <class Visitor>
  void visit(Visitor&& v) {
    v("head", head,
      "cascade, onehot, product or sampling, or auto: by encoder and number of labels; linear has "
      "cascade and onehot");
    v("lengths", lengths,
      "lengths of the heads, such as 107,40; default: from the number of labels");
    v("ensemble", ensemble, "train this many members and average their scores");
    v("min_label_count", min_label_count, "leave out labels of fewer rows");
    v("trim_labels", trim_labels,
      "leave out the rarest labels: this many, or a share of those that occur, such as 25%");
    v("order", order,
      "of the labels: random, clustered, frequency, identity, product, trained, or a file that mhe "
      "order writes; auto: linear and a cascade on dense input clustered, product heads over "
      "millions of labels identity, else random");
    v("candidates", candidates,
      "cascade: parents an example trains beyond its own; -1: linear 20 where rows have many "
      "features and no lengths are given, else 10; bag and dense 20, or all there are");
    v("beam", beam,
      "cascade: nodes kept per level while predicting; 0: linear 10, bag and dense as many as "
      "candidates");
    v("parent_weight", parent_weight,
      "cascade: exponent of the parents' score in a label's score; 0: chosen on validation rows");
    v("held_out", held_out,
      "share of rows kept as validation rows, at least 200 and at most 1,000; 0: none");
    v("refit", refit,
      "train again with the validation rows once they have chosen and calibrated: yes, no, or "
      "auto: "
      "linear where the data is small");
    v("feature_weights", feature_weights,
      "weights for sparse vectors: none, idf (rare features count more), scaled (columns of one "
      "size, then idf), root-idf, root-scaled (of square roots), or auto: linear chooses on a "
      "sample, others none");
    v("label_text", label_text,
      "train on the names of labels as texts: yes, no, or auto: linear where rows resemble the "
      "names of their labels");
  }
};

/// Options of the `linear` encoder, whose rows a solver fits.
struct SolverOptions {
  std::size_t leaf = 0;      ///< length of the last head where lengths are not given
  float loss_weight = 0;     ///< C: what an error costs against large weights
  std::size_t sweeps = 10;   ///< passes over a node's examples
  float prune = -1;          ///< weights not larger than this are dropped
  float prune_strength = 1;  ///< multiple of the default
  float neighbours = -1;     ///< weight of the nearest neighbours among the training rows

  template <class Visitor>
  void visit(Visitor&& v) {
    v("leaf", leaf,
      "length of the last head where lengths are not given; 0: from the number of "
      "labels");
    v("loss_weight", loss_weight,
      "C: what an error costs against large weights; 0: chosen on validation rows, or 1");
    v("sweeps", sweeps, "passes of the solver over a node's examples");
    v("prune", prune, "drop weights not larger than this; -1: from the features per row");
    v("prune_strength", prune_strength, "prune threshold, as a multiple of the default");
    v("neighbours", neighbours,
      "nearest neighbours: weight, 0 to 1, of the labels of similar training rows; -1: chosen on "
      "validation rows");
  }
};

/// Options of encoders that are trained by gradients: `bag` and `dense`.
struct GradientOptions {
  std::size_t heads = 0;               ///< how many
  std::size_t dim = 512;               ///< width of the feature vector
  int hidden_layers = -1;              ///< beyond a bag's first
  std::string activation = "relu";     ///< or gelu
  bool normalize = false;              ///< features of length 1
  float dropout = -1;                  ///< share of features that a step leaves out
  std::string loss = "auto";           ///< softmax or sigmoid
  std::size_t order_epochs = 0;        ///< of the training before, for the order "trained"
  std::string init = "auto";           ///< of the head
  std::size_t inner_dim = 0;           ///< cascade: width of levels 2 and on
  std::size_t rank = 1;                ///< product: groups of heads that are summed
  std::size_t redundant_heads = 0;     ///< product: heads that share 12 sqrt(C) outputs
  std::size_t code_epochs = 0;         ///< product: of the one-hot head that digits come from
  bool powerset = false;               ///< product: heads predict sets of labels
  std::size_t extra_groups = 0;        ///< sampling: random groups beside those of a batch
  std::size_t groups_per_example = 0;  ///< sampling: S of MHS-S
  bool weigh_groups = true;            ///< sampling, softmax: drawn groups count for the others
  std::size_t epochs = 0;              ///< passes over the data
  std::size_t batch = 256;             ///< examples per step
  float learning_rate = 0;             ///< of tables: embeddings and rows of heads
  float layer_rate = 1e-3F;            ///< of dense layers and biases
  std::string table_rule = "auto";     ///< adagrad, adam, sgd, momentum, nesterov or adamw
  std::string layer_rule = "adamw";    ///< or sgd, with momentum, or nesterov
  float momentum = 0.9F;
  float weight_decay = 0;
  std::string schedule = "linear";  ///< constant, linear, cosine or poly
  double warmup = -1;               ///< share of the steps
  double swa = 0;                   ///< share of the epochs, the last, whose weights are averaged
  std::size_t patience = 0;         ///< epochs without a better validation

  template <class Visitor>
  void visit(Visitor&& v) {
    v("heads", heads, "how many heads; 0: as few as there can be");
    v("dim", dim, "width of the feature vector");
    v("hidden_layers", hidden_layers, "layers beyond a bag's embedding; -1: bag 0, dense 1");
    v("activation", activation, "relu or gelu");
    v("normalize", normalize, "features of length 1");
    v("dropout", dropout, "share of features that a step leaves out; -1: bag 0.3, dense 0");
    v("loss", loss,
      "softmax or sigmoid; auto: softmax where every row has one label, or the rank is above 1");
    v("order_epochs", order_epochs,
      "cascade, sampling: epochs of a first training, whose features give the order \"trained\"; "
      "0: "
      "3");
    v("init", init,
      "of the head: random; biases that say how often a label is true; or these and rows that are "
      "centroids of the features of their examples; auto: for a bag centroids with a cascade and "
      "with product heads of one label a row, biases with onehot, sampling and powersets, else "
      "random");
    v("inner_dim", inner_dim, "cascade: width of levels 2 and on; 0: dim");
    v("rank", rank, "product: groups of heads that are summed");
    v("redundant_heads", redundant_heads,
      "product: this many heads, which share 12 times the root of the labels' number of outputs; "
      "0: only what it needs");
    v("code_epochs", code_epochs,
      "product: epochs of a one-hot head whose rows give the digits; 0: centroids give them");
    v("powerset", powerset,
      "product: heads predict which of a few labels a row has, as bits of their digits");
    v("extra_groups", extra_groups, "sampling: random groups beside those of a batch");
    v("groups_per_example", groups_per_example,
      "sampling: groups an example of one label is scored on, its own and random ones (S of "
      "MHS-S); 0: those of the whole batch");
    v("weigh_groups", weigh_groups,
      "sampling, softmax: groups that were drawn count for those that were not");
    v("epochs", epochs, "passes over the data; 0: 10, or as many as make 1,000 steps, at most 60");
    v("batch", batch, "examples per step");
    v("learning_rate", learning_rate,
      "of tables: embeddings and the rows of heads; 0: adam and adamw 0.0005, others 0.1");
    v("layer_rate", layer_rate, "learning rate of dense layers, biases and projections");
    v("table_rule", table_rule,
      "adagrad, adam or sgd, with one number of state per row; momentum or nesterov, with one per "
      "weight; adamw, with two; auto: adam for dense input, else adagrad");
    v("layer_rule", layer_rule, "adamw, sgd with momentum, or nesterov");
    v("momentum", momentum,
      "of tables under momentum and nesterov, of layers under sgd and nesterov");
    v("weight_decay", weight_decay, "of weights, times the learning rate");
    v("schedule", schedule, "of the learning rates: constant, linear, cosine or poly");
    v("warmup", warmup,
      "share of the steps in which the rates rise from 0; -1: 0.1 with adagrad, else none");
    v("swa", swa, "share of the epochs, the last ones, whose weights are averaged");
    v("patience", patience, "stop after this many epochs without a better validation; 0: never");
  }
};

/// Every option of a training. The same encoder, options, seed and data give the same model, bit
/// for bit, for any number of threads.
struct TrainOptions : CommonOptions, SolverOptions, GradientOptions {
  /// linear: sparse weights on the input itself; bag: a learned embedding of it; dense: for dense
  /// vectors. Empty: dense for dense vectors, else linear. Several with commas between are trained
  /// one after the other, each on all threads, and averaged; each may have options of its own, such
  /// as "linear,linear:head=onehot,bag:dim=256:lengths=60x72".
  std::string encoder;
  TextOptions text;  ///< without fields: these follow from the data
  /// Text columns with their own features, as make_fields() reads them; none: resolved from the
  /// data.
  std::vector<std::string> own;
  /// Options that a user named, by set() or JSON: they stay as they are, and an encoder that does
  /// not have one refuses it. A value other than the default counts as named.
  std::set<std::string, std::less<>> given;

  TrainOptions();

  /// Calls v(name, value, help) for each option.
  template <class Visitor>
  void visit(Visitor&& v) {
    CommonOptions::visit(v);
    SolverOptions::visit(v);
    GradientOptions::visit(v);
    v("own", own,
      "text columns that get features of their own beside the common ones, their weight, and what "
      "they are: title=2, or text=1:first=3:chars=3-5 for character n-grams of the first three "
      "words");
    text.visit(v);
  }

  /// Sets an option by name from text, such as set("ensemble", "3"). Throws kInvalidArgument for a
  /// name or value that cannot be.
  void set(std::string_view name, std::string_view value);
  /// All options as a JSON object.
  [[nodiscard]] std::string to_json() const;
  /// Sets the options that a JSON object names. Throws kInvalidArgument.
  void set_json(std::string_view json);
};

/// The options behind "fast" (the first try), "default" or "best" (an ensemble) for an encoder.
/// Throws kInvalidArgument for another name.
[[nodiscard]] TrainOptions preset_options(std::string_view preset, std::string_view encoder = "");

struct TrainReport;

/// Where the model goes, and how the training runs; nothing here changes the model but `valid`.
struct TrainRun {
  std::string out;                    ///< the model file; empty: in memory only
  std::optional<Dataset> valid = {};  ///< validation rows, in place of held-out ones
  double tune_seconds = 0;            ///< how long to try other settings before; 0: not at all
  std::size_t checkpoint_every = 0;   ///< epochs between checkpoints; 0: only when stopped
  bool resume = false;                ///< resume an interrupted run with this `out`
  /// How often finished blocks of linear members go to `out`.resume.
  std::chrono::milliseconds flush_after = std::chrono::seconds(10);
  bool measure = false;  ///< fill TrainReport::history; the model stays the same
  /// Called once the rows are read and divided, before long work: the report has `data`, `read`,
  /// `rows` and `validation_rows`. May be empty.
  std::function<void(const TrainReport& report)> on_read = {};
};

struct Point {
  double x = 0;
  double y = 0;
};

/// One line of a chart.
struct Curve {
  std::string name = {};
  std::vector<Point> points = {};  ///< x ascends
};

enum class Scale : std::uint8_t { kLinear, kLogarithmic };

/// Where a chart belongs in a report.
enum class Topic : std::uint8_t { kTraining, kQuality, kProbabilities };

/// Curves with common axes.
struct Chart {
  Topic topic = Topic::kTraining;
  std::string title = {};
  std::string note = {};  ///< a sentence: how to read it
  std::string x_unit = {};
  std::string y_unit = {};
  Scale x_scale = Scale::kLinear;
  Scale y_scale = Scale::kLinear;
  std::vector<Curve> curves = {};
};

/// How often a head, or a level of a cascade, decides rightly. Shares of the validation rows.
struct HeadQuality {
  std::string name = {};
  std::uint64_t choices = 0;  ///< that the head has in all
  double best_right = 0;      ///< rows whose best choice leads to a true label
  double kept = 0;            ///< true labels that can still be found: their choice is in the beam;
                              ///< NaN where there is none
};

/// A choice of the first head: what stands for its labels.
struct HeadGroup {
  std::uint64_t labels = 0;
  double rows = 0;  ///< validation rows that belong here; shared where several labels do
  std::vector<std::string> examples = {};  ///< names of its most frequent labels
};

/// The groups of the first head that are most often taken for each other.
struct HeadConfusion {
  std::vector<HeadGroup> groups = {};
  std::vector<double> taken = {};  ///< [true group][group ranked best]: rows
  std::uint64_t all_groups = 0;
};

/// The training rows.
struct DataSummary {
  std::uint64_t rows = 0;
  std::uint64_t labels = 0;
  std::uint64_t features = 0;
  double labels_per_row = 0;
  double features_per_row = 0;
  struct Bin {
    std::string name;  ///< such as "6-20" training rows
    std::uint64_t labels = 0;
  };
  std::vector<Bin> label_bins = {};  ///< labels by how often they occur
};

/// What a training records about itself, for charts.
struct TrainingHistory {
  std::vector<Chart> charts = {};
  DataSummary data = {};
  std::string settings_json = {};  ///< an object: all options as they were used

  // On validation rows; empty or 0 where there were none.
  std::uint64_t validation_rows = 0;
  std::optional<MetricsReport> metrics = {};  ///< with bins by label frequency; cutoffs 1 to 10
  std::optional<SetReport> sets = {};         ///< of models that predict sets of labels
  ReliabilityReport reliability = {};
  std::vector<HeadQuality> heads = {};
  HeadConfusion confusion = {};
};

/// One setting that was tried.
struct Trial {
  std::string setting;  ///< such as "leaf 100"
  double quality = 0;   ///< mean nDCG@5 of the validation rows, in per cent
  double seconds = 0;
  bool kept = false;
};

/// How often a member decides rightly: shares of some rows with labels, in per cent.
struct Accuracy {
  double first_label = 0;                   ///< rows whose best label is true: P@1
  std::optional<double> set_accuracy = {};  ///< powersets: rows whose whole set of labels is right
  /// Rows for which a head chooses rightly; none of heads that choose nothing on the way to a
  /// label.
  std::vector<double> heads = {};
};

/// What an epoch gave.
struct EpochReport {
  double loss = 0;                ///< mean over its rows
  std::optional<double> quality;  ///< nDCG@5 of the validation rows, where it was measured
  // With TrainRun::measure, of the first member; before scores are calibrated.
  std::optional<Accuracy> training = {};    ///< of rows that are trained on, a sample of them
  std::optional<Accuracy> validation = {};  ///< of validation rows
};

/// Precision at 1, 3 and 5, in per cent.
struct Precision {
  double at_1 = 0;
  double at_3 = 0;
  double at_5 = 0;
};

/// One encoder of a model, as it was trained.
struct MemberReport {
  std::string encoder;
  std::string head;                    ///< kind
  std::string shape;                   ///< encoder and heads in words
  std::vector<std::uint32_t> lengths;  ///< of the heads of the first member
  std::size_t members = 1;
  float parent_weight = 0;
  std::string order;  ///< of the labels: a rule, or a file and how it was used
  // Linear members.
  float loss_weight = 0;
  float neighbours = 0;            ///< weight of the nearest neighbours
  std::size_t resumed_blocks = 0;  ///< that an interrupted run had finished
  // Members trained by gradients.
  std::size_t inner_dim = 0;
  std::vector<std::vector<EpochReport>> epochs;  ///< [member]
  std::size_t resumed_epochs = 0;                ///< that an interrupted run had finished
  std::size_t best_epoch = 0;                    ///< whose weights were kept, from 1; 0: the last's
  std::uint64_t planned_train_bytes = 0;
  std::uint64_t planned_model_bytes = 0;
  std::vector<std::string> notes;  ///< what a budget changed, a sentence each
};

/// What training did.
struct TrainReport {
  Schema data;      ///< format, columns and label separator of the training data
  ReadReport read;  ///< rows without labels or input, bad lines that were left out
  std::uint64_t rows = 0;
  std::uint64_t labels = 0;
  std::uint64_t trimmed_labels = 0;  ///< left out by min_label_count or trim_labels
  std::uint64_t features = 0;
  std::string feature_weights;  ///< of the columns of sparse vectors
  std::size_t name_rows = 0;    ///< names of labels that were trained on as texts
  std::vector<Trial> trials;    ///< of a search before the training
  std::vector<MemberReport> encoders;
  std::size_t validation_rows = 0;
  std::optional<Precision> precision;  ///< on the validation rows
  std::optional<SetReport> sets;       ///< the same of a model that predicts sets of labels
  bool refitted = false;
  TrainingHistory history;
};

/// Reads `data`, trains, and writes the model to run.out, atomically; beside it, with ".resume"
/// appended, lies what is finished while a long training runs.
///
/// The budget of memory is the context's, and so is the way to stop: work that can be resumed is
/// kept, then kInterrupted is thrown. Throws as the reader does, kInvalidArgument for options out
/// of range or that the encoder does not have, kInvalidData for data that nothing can be trained
/// on, kResourceLimit if the budget cannot hold the data or the training, and kDiverged, saying
/// when, if the loss or a weight is not finite or the loss far beyond that of the first step.
TrainReport train_model(const Context& context, const Dataset& data, const TrainOptions& options,
                        const TrainRun& run);

/// The same without a file that stays: the model lies in an unnamed one in the directory for
/// temporary files, which goes with the last copy of the model. `report` is filled where given.
[[nodiscard]] Model train_in_memory(const Context& context, const Dataset& data,
                                    const TrainOptions& options = {},
                                    TrainReport* report = nullptr);

/// The encoder that train_model() would take, with defaults for an empty name. Looks at the kind of
/// the data, unless that is a stream.
[[nodiscard]] std::string choose_encoder(const Context& context, const Dataset& data,
                                         const TrainOptions& options);

/// The names of the options that an encoder has. Throws kInvalidArgument for another encoder.
[[nodiscard]] std::set<std::string, std::less<>> options_of(std::string_view encoder);

/// A level of a linear cascade before it is trained.
struct LevelPlan {
  std::size_t nodes = 0;
  std::uint64_t weights = 0;  ///< kept after pruning
  std::uint64_t model_bytes = 0;
};

/// What training one encoder will take and make.
struct MemberPlan {
  std::string encoder;
  std::string head;
  std::string shape = {};  ///< encoder and heads in words
  std::vector<std::uint32_t> lengths = {};
  std::size_t members = 1;
  std::uint64_t train_bytes = 0;  ///< peak of the process
  std::uint64_t model_bytes = 0;  ///< of the file
  // Linear members.
  std::size_t solvers = 0;  ///< nodes solved at once
  std::uint64_t nonzeros = 0;
  std::uint64_t feature_bytes = 0;
  std::uint64_t neighbour_bytes = 0;   ///< of the nearest neighbours, if they are tried
  bool neighbours_are_sure = false;    ///< asked for, not only tried
  std::vector<LevelPlan> levels = {};  ///< of the first cascade
  // Members trained by gradients.
  std::size_t dim = 0;
  std::size_t inner_dim = 0;
  std::size_t candidates = 0;
  std::string loss = {};
  std::size_t batch = 0;
  std::uint64_t data_bytes = 0;
  std::uint64_t encoder_bytes = 0;
  std::uint64_t head_bytes = 0;
  std::vector<std::string> notes = {};  ///< what a budget changed, a sentence each
};

/// What train_model() would take: reads the data and goes through the same stages, but trains and
/// writes nothing.
struct TrainingPlan {
  Schema data = {};  ///< format, columns and label separator
  std::uint64_t rows = 0;
  std::uint64_t labels = 0;
  std::uint64_t features = 0;
  std::vector<MemberPlan> encoders = {};
};
[[nodiscard]] TrainingPlan plan_training(const Context& context, const Dataset& data,
                                         const TrainOptions& options,
                                         const std::optional<Dataset>& valid = {});

}  // namespace mhe
