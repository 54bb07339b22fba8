// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Weights for the columns of sparse vectors that somebody else made: word counts, bits,
// measurements. Text that we make features of has TF-IDF already.
#pragma once

#include <string>
#include <string_view>

#include <mhe/context.h>

#include "matrix/feature_weights.h"
#include "train/linear_rules.h"
#include "train/training_set.h"

namespace mhe::train {

/// Throws kInvalidArgument unless it is the name of a weighting or "auto".
void check_feature_weights(std::string_view name);

/// Weights by name: "none"; "idf", rare features count more; "scaled", each column is brought to
/// the same size first; "root-idf" and "root-scaled", the same with square roots of the values.
[[nodiscard]] FeatureWeights make_feature_weights(const SparseMatrix& features,
                                                  std::string_view name);

/// Whether rare features are the larger ones already, as in TF-IDF.
[[nodiscard]] bool is_weighted_by_rarity(const SparseMatrix& features);

/// Weighs the features of the set as the options say; "auto": as trials on a sample find best.
/// Returns the name of the weighting. Throws kInvalidArgument if one is asked for text.
std::string weigh_features(const Context& context, TrainingSet& set, const TrainOptions& options);

}  // namespace mhe::train
