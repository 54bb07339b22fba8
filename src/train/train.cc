// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The public face of training.
#include <string>
#include <utility>

#include <mhe/context.h>
#include <mhe/train.h>

#include "base/check.h"
#include "base/temporary_directory.h"
#include "train/train_learned.h"
#include "train/train_linear.h"
#include "train/training_rows.h"

namespace mhe {
namespace {

train::LinearOptions make_options(const TrainOptions& given) {
  train::LinearOptions options = train::preset(given.preset);
  if (given.head) options.head = *given.head;
  if (!given.lengths.empty()) options.lengths = given.lengths;
  if (given.ensemble) options.ensemble = *given.ensemble;
  if (given.min_label_count) options.min_label_count = *given.min_label_count;
  if (given.held_out) options.held_out = *given.held_out;
  return options;
}

train::LearnedOptions make_learned_options(const TrainOptions& given, std::string encoder) {
  require(given.preset == "default", "the preset {} belongs to the linear encoder", given.preset);
  train::LearnedOptions options;
  options.encoder = std::move(encoder);
  if (given.head) options.head = *given.head;
  options.lengths = given.lengths;
  if (given.ensemble) options.ensemble = *given.ensemble;
  if (given.min_label_count) options.min_label_count = *given.min_label_count;
  if (given.held_out) options.held_out = *given.held_out;
  if (given.dim) options.network.dim = *given.dim;
  if (given.epochs) options.epochs = *given.epochs;
  return options;
}

// What both kinds of training report alike.
template <class Report>
Trained make_trained(const std::string& path, const Report& report) {
  Trained trained = {.model = Model::open(path)};
  trained.num_rows = report.rows;
  trained.num_trimmed_labels = report.trimmed_labels;
  trained.num_judged_rows = report.judged_rows;
  if (report.precision) {
    trained.precision = {report.precision->at_1, report.precision->at_3, report.precision->at_5};
  }
  return trained;
}

std::string encoder_of(const TrainOptions& options, const TrainingRows& rows) {
  const bool is_dense = TrainingRowsAccess::impl(rows).dense.num_columns > 0;
  if (options.encoder.empty()) return is_dense ? "dense" : "linear";
  require(!is_dense || options.encoder != "linear", "the linear encoder takes no dense vectors");
  return options.encoder;
}

}  // namespace

Trained train_model(const TrainingRows& rows, const TrainOptions& options,
                    const std::string& path) {
  require(!path.empty(), "no path to write the model to");
  const Context context({.threads = options.threads, .seed = options.seed});
  train::ReadJudged read_valid;
  if (options.valid != nullptr) {
    read_valid = [&](const train::TrainingSet& set) {
      return train::make_more(context, *options.valid, set);
    };
  }
  const std::string encoder = encoder_of(options, rows);
  if (encoder == "linear") {
    const train::LinearOptions linear = make_options(options);
    train::validate(linear);
    train::LinearRun run;
    run.out = path;
    run.resume = options.resume;
    return make_trained(
        path, train::train_on_set(
                  context, train::make_training_set(context, rows, linear.text, linear.label_text),
                  linear, run, read_valid));
  }
  const train::LearnedOptions learned = make_learned_options(options, encoder);
  train::validate(learned);
  train::LearnedRun run;
  run.out = path;
  run.resume = options.resume;
  return make_trained(path, train::train_learned_on_set(
                                context, train::make_training_set(context, rows, learned.text),
                                learned, run, read_valid));
}

Trained train_model(const TrainingRows& rows, const TrainOptions& options) {
  require(!options.resume, "resuming needs the path that the interrupted run had");
  const TemporaryDirectory directory("mhe-train");
  return train_model(rows, options, directory.file("model.mhe"));
}

}  // namespace mhe
