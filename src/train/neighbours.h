// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether and how the training rows themselves take part in a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <mhe/context.h>

#include "heads/neighbours.h"
#include "model/linear_member.h"
#include "train/linear_rules.h"
#include "train/training_set.h"

namespace mhe::train {

/// By what rows are found: the single words of text, and what four first letters they share; all
/// features of sparse vectors.
[[nodiscard]] std::vector<heads::NeighbourFeature> neighbour_features(const TrainingSet& set);

/// Whether neighbours are worth a trial, or asked for: rows of many features are like each other in
/// too many ways, and finding them takes long.
[[nodiscard]] bool should_try_neighbours(const TrainingSet& set, const TrainOptions& options);

/// Bytes of the index at most.
[[nodiscard]] std::uint64_t neighbour_bytes(const TrainingSet& set);

/// The weight with which the neighbours rank `rows` best; 0 unless they gain more than chance would
/// make.
[[nodiscard]] float choose_neighbour_weight(const Context& context,
                                            const model::LinearMember& member,
                                            const Examples& rows);

}  // namespace mhe::train
