// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Digits of labels for product heads with a table of codes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <mhe/context.h>

#include "train/learned_options.h"
#include "train/learned_plan.h"
#include "train/training_set.h"

namespace mhe::train {

/// Numbers of a centroid that digits are made from: random signs of so many dimensions keep the
/// distances of sparse vectors.
constexpr std::size_t kCentroidWidth = 128;

/// Lengths of redundant heads, all the same: 12 roots of the number of labels over the number of
/// heads, rounded down, or as much more as it takes to tell the labels apart.
[[nodiscard]] std::vector<std::uint32_t> redundant_lengths(std::size_t num_labels,
                                                           std::size_t num_heads);

/// Digits of labels, and where a training with them begins.
struct LabelCodes {
  std::vector<std::uint32_t> codes = {};         ///< [label][head]; none for heads without a table
  std::vector<float> rows = {};                  ///< [output][dim]; none: at random
  std::vector<std::vector<float>> encoder = {};  ///< the encoder's parameters, if there are rows
};

/// Labels get alike digits where they are alike: by the rows of a one-hot head on the same encoder,
/// trained for options.code_epochs, or without such epochs by the centroids of their examples. The
/// order "random" asks for digits at random. With code epochs, heads of rank 1 begin where these
/// ended: with that encoder, and rows whose sums come close to those of the one-hot head. Throws
/// kDiverged, and kInterrupted once `stop` is true.
[[nodiscard]] LabelCodes make_label_codes(const Context& context, const Examples& examples,
                                          const LearnedPlan& plan, const LearnedOptions& options,
                                          const std::atomic<bool>* stop = nullptr);

/// The most memory that make_label_codes() takes, with an encoder of its own: of the one-hot head
/// that digits come from, or of centroids; then of these rows, what of them earlier heads left, and
/// the digits.
[[nodiscard]] std::uint64_t code_work_bytes(const Examples& examples, const LearnedPlan& plan,
                                            const LearnedOptions& options,
                                            std::uint64_t encoder_parameters);

/// Throws kInterrupted once the flag, if there is one, is true.
void check_stop(const std::atomic<bool>* stop);

}  // namespace mhe::train
