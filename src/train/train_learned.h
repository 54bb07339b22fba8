// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Trains a learned encoder with a head of dense rows, in synchronous batches: data in, model file
// out.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <mhe/context.h>

#include "data/reader.h"
#include "train/held_out.h"
#include "train/learned_options.h"
#include "train/learned_plan.h"
#include "train/linear_options.h"
#include "train/resume_file.h"
#include "train/train_linear.h"
#include "train/training_history.h"
#include "train/training_set.h"

namespace mhe::train {

/// Where the model goes, and what is beside the training data.
struct LearnedRun {
  std::string out;
  std::optional<data::ReadOptions> valid = {};  ///< to judge by, in place of held-out rows
  TextRule text_rule = choose_text_options;     ///< how text becomes features
  std::uint64_t ram_bytes = 0;                  ///< most memory of the process; 0: what it takes
  std::size_t checkpoint_every = 0;             ///< epochs; 0: only when stopped
  bool resume = false;                          ///< go on from the checkpoint of this `out`
  /// Once true, a checkpoint is written, unless no step has been made yet, and kInterrupted thrown.
  const std::atomic<bool>* stop = nullptr;
  TrainingHistory* history = nullptr;  ///< filled where given; the model stays the same
};

/// What training did.
struct LearnedReport {
  std::uint64_t rows = 0;
  std::uint64_t trimmed_labels = 0;
  LearnedPlan plan;
  float parent_power = 0;                        ///< of the first member
  std::vector<std::vector<EpochReport>> epochs;  ///< [member]
  std::size_t resumed_epochs = 0;                ///< that an interrupted run had finished
  std::size_t judged_rows = 0;                   ///< held out, or of the validation data
  std::optional<Precision> precision = {};
};

/// Reads `input`, trains and writes the model, atomically. The same input, options and seed give
/// the same file for any number of threads and however often the training was interrupted. Throws
/// as the reader does, kInvalidArgument for options out of range, kInvalidData for data that
/// nothing can be learnt from, kResourceLimit if a budget of memory cannot hold the data or the
/// training, kInterrupted once `run.stop` is true, kDiverged, saying when, if the loss or a weight
/// is no number or the loss far beyond that of the start; the last checkpoint then stays.
///
/// Checkpoints lie beside `run.out`, with ".resume" appended, until the model is written.
LearnedReport train_learned(const Context& context, const data::ReadOptions& input,
                            const LearnedOptions& options, const LearnedRun& run);

/// What train_learned() would take and make: reads the data and plans, trains nothing and writes
/// nothing. Only `rows`, `trimmed_labels` and `plan` of the report are filled.
LearnedReport plan_learned_training(const Context& context, const data::ReadOptions& input,
                                    const LearnedOptions& options, const LearnedRun& run);

/// The part of train_learned() behind reading, for rows that are in memory already. Without
/// `read_judged` rows are held out; `run.valid` and `run.text_rule` are not looked at.
LearnedReport train_learned_on_set(const Context& context, TrainingSet set,
                                   const LearnedOptions& options, const LearnedRun& run,
                                   const ReadJudged& read_judged = {});

}  // namespace mhe::train
