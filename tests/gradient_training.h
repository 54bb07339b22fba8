// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Small trainings by gradients, for tests of what they write.
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
#include <mhe/train.h>

#include "model/model_file.h"
#include "scratch_dir.h"
#include "toy_training.h"

namespace mhe::testing {

constexpr std::uint32_t kGradientLabels = 30;

/// The rows of toy_set() as dense vectors.
inline train::TrainingSet dense_toy_set(const std::vector<ToyRow>& rows) {
  train::TrainingSet set = toy_set(rows, kGradientLabels);
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

/// The rows of dense_toy_set() as data in memory.
inline Dataset dense_toy_data(const std::vector<ToyRow>& rows) {
  const train::TrainingSet set = dense_toy_set(rows);
  DatasetBuilder builder = DatasetBuilder::of_dense_vectors(set.examples.dense.num_columns);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    builder.add(set.examples.dense[row], set.examples.labels[row]);
  }
  return std::move(builder).build();
}

/// How a training runs, beside its options.
struct GradientSetup {
  std::size_t threads = 2;
  std::uint64_t seed = 1;
  TrainRun run = {};
  std::function<void(const Progress&)> on_progress = {};
  std::function<bool()> should_stop = {};
  std::uint64_t ram_bytes = 0;
};

class GradientTraining {
 public:
  static TrainOptions quick(const std::string& encoder, const std::string& head) {
    TrainOptions options;
    options.encoder = encoder;
    options.head = head;
    options.dim = 24;
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
  TrainReport train(const TrainOptions& options, GradientSetup setup = {}) const {
    const Context context({.threads = setup.threads,
                           .seed = setup.seed,
                           .ram_bytes = setup.ram_bytes,
                           .on_progress = setup.on_progress,
                           .should_stop = setup.should_stop});
    if (setup.run.out.empty()) setup.run.out = model();
    const std::vector<ToyRow> rows = toy_rows(400, kGradientLabels);
    return train_model(
        context,
        options.encoder == "dense" ? dense_toy_data(rows) : toy_data(rows, kGradientLabels),
        options, setup.run);
  }
  /// The bytes of m.mhe.
  std::string trained(const TrainOptions& options, GradientSetup setup = {}) const {
    (void)train(options, std::move(setup));
    return dir.read("m.mhe");
  }
  /// A tensor of the model that these options give.
  template <class T = float>
  std::vector<T> tensor_of(const std::string& name, const TrainOptions& options,
                           GradientSetup setup = {}) const {
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
