// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where labels stand: by a rule, or as a file says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/context.h>
#include <mhe/label_space.h>

#include "heads/head_spec.h"
#include "labels/order_file.h"
#include "train/gradient_plan.h"
#include "train/training_set.h"

namespace mhe::train {

/// Whether the option `order` names a file: what is no rule is one.
[[nodiscard]] bool is_order_file(std::string_view order) noexcept;

/// Throws kInvalidArgument, with the rules there are, for an order that is neither one of them nor
/// a file that exists.
void check_order(const std::string& order);

/// Reads the file that the options name, if they name one, for the labels that the set has by now.
void take_order_file(const TrainOptions& options, TrainingSet& set);

/// The order in words: the rule, or the file and how much of it these lengths follow.
[[nodiscard]] std::string describe_order(const std::string& rule, const labels::OrderFile* file,
                                         const std::vector<std::uint32_t>& lengths,
                                         Placement placement);

/// The labels of a linear member, and how they are ordered.
struct OrderedLabels {
  std::size_t count = 0;
  const labels::OrderFile* file = nullptr;  ///< where the order is one; must outlive it
};

[[nodiscard]] OrderedLabels ordered_labels(const TrainingSet& set);

/// Places of the labels in a tree of these lengths, by a resolved rule of linear members; clustered
/// where the order of a file is not at hand, as in trials on some of the labels.
[[nodiscard]] LabelOrder order_labels(const Context& context, const Examples& examples,
                                      const OrderedLabels& labels, const std::string& rule,
                                      const std::vector<std::uint32_t>& lengths);

/// Where product heads have labels 0 .. C-1 and sampling heads rows, there are no gaps.
[[nodiscard]] Placement placement_of(HeadKind head) noexcept;

/// Places of the labels for a head trained by gradients, by a resolved rule other than "trained".
/// None: position = id.
[[nodiscard]] std::optional<LabelOrder> make_label_order(const Context& context,
                                                         const Examples& examples,
                                                         const GradientPlan& plan,
                                                         const TrainOptions& options);

/// A row of unit length a label: the direction of its examples, dense ones scaled as the encoder
/// scales them. Cut to their largest entries where all would take more than the head's rows.
[[nodiscard]] SparseMatrix centroids_of(const Context& context, const Examples& examples,
                                        const heads::HeadSpec& head);

/// The most memory that centroids_of() and an order made from them take.
[[nodiscard]] std::uint64_t clustering_bytes(const Examples& examples, const heads::HeadSpec& head);

}  // namespace mhe::train
