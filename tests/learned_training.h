// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Small trainings of learned encoders, for tests of what they write.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "model/model_file.h"
#include "scratch_dir.h"
#include "toy_training.h"
#include "train/train_learned.h"

namespace mhe::testing {

constexpr std::uint32_t kLearnedLabels = 30;

/// The rows of toy_set() as dense vectors.
inline train::TrainingSet dense_toy_set(const std::vector<ToyRow>& rows) {
  train::TrainingSet set = toy_set(rows, kLearnedLabels);
  const SparseMatrix features = std::move(set.examples.features);
  set.examples.features = SparseMatrix();
  set.examples.dense.num_columns = features.num_columns;
  set.examples.dense.values.assign(features.rows() * features.num_columns, 0.0F);
  for (std::size_t row = 0; row < features.rows(); ++row) {
    for (std::size_t i = 0; i < features[row].size(); ++i) {
      set.examples.dense.values[row * features.num_columns + features[row].columns[i]] =
          features[row].values[i];
    }
  }
  return set;
}

/// How a training runs, beside its options.
struct LearnedSetup {
  std::size_t threads = 2;
  std::uint64_t seed = 1;
  train::LearnedRun run = {};
  std::function<void(const Progress&)> on_progress = {};
};

class LearnedTraining {
 public:
  static TrainOptions quick(const std::string& encoder, const std::string& head) {
    TrainOptions options;
    options.encoder = encoder;
    options.head = head;
    options.network.dim = 24;
    options.epochs = 6;
    options.batch = 32;
    if (head == "cascade") {
      options.candidates = 3;
      options.lengths = {5, 6};
    }
    if (head == "sampling") options.lengths = {6, 5};
    options.held_out = 0.1;
    options.dropout = 0.1F;
    if (encoder == "dense") options.learning_rate = 0.005F;  // the rule is for more steps
    return options;
  }

  /// Writes m.mhe unless told otherwise.
  train::LearnedReport train(const TrainOptions& options, LearnedSetup setup = {}) const {
    const Context context({.threads = setup.threads,
                           .seed = setup.seed,
                           .on_warning = {},
                           .on_progress = setup.on_progress});
    if (setup.run.out.empty()) setup.run.out = model();
    const std::vector<ToyRow> rows = toy_rows(400, kLearnedLabels);
    return train::train_learned_on_set(
        context, options.encoder == "dense" ? dense_toy_set(rows) : toy_set(rows, kLearnedLabels),
        options, setup.run);
  }
  /// The bytes of m.mhe.
  std::string trained(const TrainOptions& options, LearnedSetup setup = {}) const {
    (void)train(options, std::move(setup));
    return dir.read("m.mhe");
  }
  /// A tensor of the model that these options give.
  template <class T = float>
  std::vector<T> tensor_of(const std::string& name, const TrainOptions& options,
                           LearnedSetup setup = {}) const {
    (void)train(options, std::move(setup));
    return read_tensor<T>(name);
  }
  template <class T = float>
  std::vector<T> read_tensor(const std::string& name) const {
    const model::ModelFile file = model::ModelFile::open(model());
    const auto values = file.tensor<T>(name);
    return {values.begin(), values.end()};
  }

  /// What is thrown; kInternal and nothing if nothing is.
  static Error error_of(const std::function<void()>& act) {
    try {
      act();
    } catch (const Error& error) {
      return error;
    }
    return {ErrorCode::kInternal, ""};
  }
  static ErrorCode code_of(const std::function<void()>& act) { return error_of(act).code(); }

  [[nodiscard]] std::string model() const { return dir.file("m.mhe"); }

  ScratchDir dir;
};

}  // namespace mhe::testing
