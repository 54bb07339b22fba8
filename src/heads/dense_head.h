// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Heads with dense rows, trained in synchronous batches. A head takes features and true labels,
// updates its own parameters and gives back dLoss/dF; nothing else crosses between it and the
// encoder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <mhe/context.h>
#include <mhe/ids.h>
#include <mhe/label_space.h>

#include "heads/head_spec.h"
#include "matrix/layer_optimizer.h"
#include "matrix/table_optimizer.h"
#include "matrix/view.h"

namespace mhe::heads {

class RowTable;
struct Positive;

/// Examples as a head sees them.
struct HeadBatch {
  MatrixView features;  ///< [example][dim]
  std::span<const std::span<const LabelId>>
      labels;  ///< [example]: ascending, each once, maybe none
};

struct HeadStep {
  float learning_rate = 0.1F;
  float layer_rate = 1e-3F;  ///< of projections
  std::uint64_t number = 0;  ///< from 0 on; with the Context's seed it decides what is drawn
};

/// A trainable head. Owns parameters and optimiser state. Every row has one owner, so results do
/// not depend on the number of threads.
class DenseHead {
 public:
  virtual ~DenseHead() = default;
  DenseHead(const DenseHead&) = delete;
  DenseHead& operator=(const DenseHead&) = delete;

  [[nodiscard]] const HeadSpec& spec() const noexcept { return spec_; }

  /// Scores, loss, gradients and update in one. Writes the gradient of the mean loss by the
  /// features, taken before the update, to `gradient` [example][dim], and returns the mean loss.
  /// Throws kInvalidArgument for shapes that do not fit and for labels out of range.
  double step(const Context& context, const HeadBatch& batch, const HeadStep& step,
              MatrixSpan gradient);

  /// The same loss and gradient without an update: for tests by finite differences, and to look at
  /// held-out rows. `step.number` draws what step() would have drawn.
  double evaluate(const Context& context, const HeadBatch& batch, const HeadStep& step,
                  MatrixSpan gradient);

  /// A table with a row for each label, group of labels or digit, as wide as the features or
  /// narrower.
  struct TruePlaces {
    RowTable* table = nullptr;
    std::span<const Positive> positives;  ///< rows that are true in the batch
    double trained = 1;          ///< share of all examples that a row is trained on, above 0
    double parts = 1;            ///< rows whose sum is the score of a label
    MatrixView projection = {};  ///< of the features to what the rows see; none: the features
  };
  /// Calls `visit` with each such table.
  virtual void visit_positives(const HeadBatch& batch,
                               const std::function<void(const TruePlaces&)>& visit) = 0;

  /// What the head consists of, in a fixed order; valid until the next step.
  [[nodiscard]] virtual std::vector<HeadTensor> tensors() const = 0;

  /// An array that a checkpoint keeps, to read or to write.
  struct StateArray {
    std::string_view name;
    std::span<float> values;
    bool is_parameter = true;  ///< else optimiser state: not averaged by SWA, not in the model file
  };
  /// All arrays that training changes, in a fixed order.
  virtual void visit_state(const std::function<void(const StateArray&)>& visit) = 0;

  /// Frees what steps keep for the next one; a step after it takes it anew.
  virtual void release_scratch() = 0;
  /// Frees what only training needs, the optimiser's numbers too: there is no step after it.
  virtual void end_training() = 0;

 protected:
  explicit DenseHead(HeadSpec spec) : spec_(std::move(spec)) {}
  enum class Update : std::uint8_t { kYes, kNo };
  virtual double run(const Context& context, const HeadBatch& batch, const HeadStep& step,
                     MatrixSpan gradient, Update update) = 0;

 private:
  HeadSpec spec_;
};

/// What a head is built with beside its spec.
struct HeadSetup {
  TableOptimizer optimizer;
  LayerOptimizer layers = {};        ///< of projections
  std::optional<LabelOrder> order;   ///< where labels stand; none: position = id
  std::vector<std::uint32_t> codes;  ///< ProductCode::kTable: [label][head]
  bool weigh_groups =
      true;  ///< kSampling with kSoftmax: drawn groups count for those that were not
};

/// A head with random rows (of the Context's seed), small enough that scores begin near 0; biases
/// are 0. Throws kInvalidArgument for a spec that cannot be: lengths that do not cover the labels,
/// candidates beyond the groups, ...
[[nodiscard]] std::unique_ptr<DenseHead> make_dense_head(const Context& context, HeadSpec spec,
                                                         const HeadSetup& setup);

}  // namespace mhe::heads
