// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Trains the `linear` encoder with a cascade or one-hot head: data in, model file out.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <mhe/context.h>

#include "data/reader.h"
#include "train/held_out.h"
#include "train/linear_options.h"
#include "train/training_history.h"
#include "train/training_set.h"
#include "train/tune.h"

namespace mhe::train {

/// Where the model goes, and what is beside the training data.
struct LinearRun {
  std::string out;
  std::optional<data::ReadOptions> valid = {};  ///< for calibration, in place of held-out rows
  TextRule text_rule = choose_text_options;     ///< how text becomes features
  std::uint64_t ram_bytes = 0;                  ///< most memory of the process; 0: what it takes
  double tune_seconds = 0;  ///< how long to try other settings before; 0: not at all
  std::set<std::string> fixed_options = {};  ///< that trying leaves as they are
  bool resume = false;  ///< go on where an interrupted run with this `out` stopped
  std::chrono::milliseconds flush_after = std::chrono::seconds(10);  ///< see ResumeFile
  TrainingHistory* history = nullptr;  ///< filled where given; the model stays the same
};

/// What training did.
struct LinearReport {
  std::uint64_t rows = 0;
  std::uint64_t labels = 0;
  std::uint64_t trimmed_labels = 0;
  std::uint64_t features = 0;
  std::vector<std::uint32_t> lengths;  ///< of the first cascade
  std::size_t members = 0;
  float parent_power = 0;
  float loss_weight = 0;
  std::string feature_weights;     ///< of the columns of sparse vectors
  float neighbours = 0;            ///< weight of like rows
  std::size_t name_rows = 0;       ///< names of labels that were learnt from as texts
  std::vector<Trial> trials = {};  ///< of a search before the training
  std::size_t resumed_blocks = 0;  ///< that an interrupted run had finished
  std::size_t judged_rows = 0;     ///< held out, or of the validation data
  std::optional<Precision> precision = {};
};

/// Reads `input`, trains and writes the model, atomically. The same input, options and seed give
/// the same file for any number of threads. Throws as the reader does, kInvalidArgument for options
/// out of range, kInvalidData for data that nothing can be learnt from, and kResourceLimit if a
/// budget of memory cannot hold the data or the training; the model is the same with any budget.
///
/// Beside `run.out`, with ".resume" appended, lies what is finished while a long training runs.
LinearReport train_linear(const Context& context, const data::ReadOptions& input,
                          const LinearOptions& options, const LinearRun& run);

/// Throws kInvalidArgument or kIo if a model cannot be written there.
void check_output(const std::string& path);
/// Throws kInvalidArgument if the model would take the place of a file that is read.
void check_not_input(const std::string& path, const data::ReadOptions& input);

/// Gives the rows that choose the power of the path and calibrate, once the labels of the set are
/// final.
using ReadJudged = std::function<Examples(const TrainingSet& set)>;

/// The part of train_linear() behind reading, for rows that are in memory already. Without
/// `read_judged` rows are held out; `run.valid` and `run.text_rule` are not looked at.
LinearReport train_on_set(const Context& context, TrainingSet set, const LinearOptions& options,
                          const LinearRun& run, const ReadJudged& read_judged = {});

}  // namespace mhe::train
