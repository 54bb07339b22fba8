// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// One encoder and one head that learn together, step by step.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mhe/context.h>

#include "encoders/batch_source.h"
#include "encoders/encoder.h"
#include "heads/dense_head.h"
#include "model/dense_member.h"
#include "train/gradient_plan.h"
#include "train/gradient_rules.h"
#include "train/label_codes.h"
#include "train/training_set.h"

namespace mhe::train {

/// Batches of examples in memory, which must outlive it.
class ExampleBatches final : public encoders::BatchSource {
 public:
  explicit ExampleBatches(const Examples& examples) : examples_(examples) {}

  [[nodiscard]] std::size_t rows() const noexcept override { return examples_.rows(); }
  [[nodiscard]] encoders::LabelledBatch gather(std::span<const std::uint32_t> rows) override;

 private:
  const Examples& examples_;
  std::vector<SparseRow> sparse_;
  std::vector<DenseRow> dense_;
  std::vector<std::span<const LabelId>> labels_;
};

/// An array of a model in training.
struct NamedArray {
  std::string name;
  std::span<float> values;
  bool is_parameter = true;  ///< else optimiser state
};

/// Whether the loss of a batch is NaN or far beyond that of the first: bad batches are a few
/// times worse than the start, a training that went astray gets worse without end.
[[nodiscard]] bool has_diverged(double loss, double first_loss) noexcept;

/// Wall time of steps, in seconds.
struct StepSeconds {
  double batch = 0;     ///< rows are shuffled and looked up
  double forward = 0;   ///< of the encoder
  double head = 0;      ///< scores, gradients, its rows moved
  double backward = 0;  ///< of the encoder, its parameters moved
};

/// The name of an array that is no longer all numbers; empty: there is none.
[[nodiscard]] std::string find_not_finite(const Context& context,
                                          std::span<const NamedArray> arrays);

/// Where the labels of a member stand, of what cannot be found out again.
struct LabelPlaces {
  std::span<const std::uint32_t> codes = {};      ///< digits, [head][label]; of heads with a table
  std::span<const std::uint32_t> positions = {};  ///< [label], of the order "trained"
};

/// How a member comes to where its steps begin.
struct MemberStart {
  std::uint64_t seed = 1;  ///< of random weights, label order and batches
  /// Of a member whose arrays a checkpoint will fill: its places(). Nothing is fitted or summed up
  /// for it.
  std::optional<LabelPlaces> resumed = {};
  /// The rows that steps are made of; null: the examples themselves.
  encoders::BatchSource* batches = nullptr;
};

class MemberTrainer {
 public:
  /// Everything given must outlive it, but for what `start` points to.
  MemberTrainer(const Context& context, const Examples& examples, const GradientPlan& plan,
                const TrainOptions& options, const MemberStart& start);

  [[nodiscard]] std::uint64_t steps_per_epoch() const noexcept { return steps_per_epoch_; }
  [[nodiscard]] std::uint64_t total_steps() const noexcept { return total_steps_; }

  /// Trains the batch of this step; returns its mean loss. What a step does follows from its number
  /// and the arrays.
  double train_step(std::uint64_t step);

  /// The rows that this step is trained on; valid until those of another epoch are asked for.
  [[nodiscard]] std::span<const std::uint32_t> rows_of(std::uint64_t step);
  /// Of all steps so far.
  [[nodiscard]] const StepSeconds& seconds() const noexcept { return seconds_; }

  /// Frees most of what only steps need: there is none after it.
  void end_training();

  /// All arrays that training changes, in a fixed order.
  [[nodiscard]] std::vector<NamedArray> arrays();
  /// What a checkpoint has to keep of where labels stand.
  [[nodiscard]] LabelPlaces places() const;
  /// Calls `use` with the features of all examples, batch by batch; no feature is dropped.
  void visit_features(const std::function<void(const heads::HeadBatch&)>& use);
  /// The member as it is now, to predict with; valid until the next step.
  [[nodiscard]] model::DenseParts view();

 private:
  [[nodiscard]] std::optional<LabelOrder> order_labels(const Examples& examples,
                                                       const GradientPlan& plan,
                                                       const MemberStart& start);
  void init_encoder(const std::vector<std::vector<float>>& parameters);
  void init_rows(std::span<const float> rows);
  void init_head();
  // Nothing is dropped.
  [[nodiscard]] MatrixView encode(const InputBatch& inputs, std::uint64_t step);
  template <class Use>
  void for_each_batch(const char* progress, const Use& use);
  void shuffle(std::uint64_t epoch);
  [[nodiscard]] encoders::LabelledBatch gather(std::uint64_t step);

  Context context_;
  ExampleBatches own_batches_;
  encoders::BatchSource& batches_;
  const TrainOptions& options_;
  std::unique_ptr<encoders::Encoder> encoder_;
  std::unique_ptr<heads::DenseHead> head_;
  std::vector<std::uint32_t> trained_positions_;  // [label]
  // Of the learning rate of tables. A label whose score is a sum over heads would jump if all of
  // them moved as far as the row of a one-hot head.
  float head_share_ = 1;
  std::uint64_t steps_per_epoch_;
  std::uint64_t total_steps_;
  Schedule schedule_;
  std::uint64_t shuffled_epoch_;
  std::vector<std::uint32_t> rows_;  // as the epoch goes through them
  std::vector<float> gradient_;
  StepSeconds seconds_;
};

/// A copy of parameters, or the mean of several.
class WeightCopy {
 public:
  /// Adds the parameters among `arrays` to the mean of those before.
  void add(std::span<const NamedArray> arrays);
  /// Becomes a copy of them.
  void assign(std::span<const NamedArray> arrays);
  /// Puts the copy in place of the parameters; there must be one.
  void restore(std::span<const NamedArray> arrays) const;

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  void set_count(std::uint64_t count) noexcept { count_ = count; }
  /// The copy's own arrays, named with `prefix` before; made as large as `arrays` if there are
  /// none.
  [[nodiscard]] std::vector<NamedArray> own_arrays(std::span<const NamedArray> arrays,
                                                   const std::string& prefix);

 private:
  std::vector<std::vector<float>> values_;
  std::uint64_t count_ = 0;
};

}  // namespace mhe::train
