// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Heads trained by the library itself, on points around the centres of labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <mhe/context.h>
#include <mhe/dataset.h>
#include <mhe/plan.h>

#include "lab/experiments.h"

namespace mhe::lab {

/// Rows of one label each, as many to train as to test.
struct HeadTask {
  Dataset train;
  DenseMatrix test;
  std::vector<LabelId> truth;  ///< of the test rows
};

[[nodiscard]] HeadTask make_head_task(const HeadTaskOptions& options, std::size_t num_labels,
                                      std::uint64_t seed);

struct TrainedHeads {
  HeadKind kind = HeadKind::kProduct;
  std::vector<std::uint32_t> lengths;  ///< none for one-hot
  std::uint32_t candidates = 0;        ///< cascade: parents kept; 0: the rule's
};

struct HeadErrors {
  double error = 0;           ///< test rows whose label is not found, in per cent
  std::vector<double> heads;  ///< [head]: rows whose digit it gets wrong by itself; none for some
};

/// Trains a layer and the heads on it; the label's place is its id.
[[nodiscard]] HeadErrors train_heads(const Context& context, const HeadTask& task,
                                     const HeadTaskOptions& options, const TrainedHeads& heads);

/// Throws kInvalidArgument for options out of range.
void check(const HeadTaskOptions& options);

/// "16 x 16".
[[nodiscard]] std::string describe_lengths(const std::vector<std::uint32_t>& lengths);

}  // namespace mhe::lab
