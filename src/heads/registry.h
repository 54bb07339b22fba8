// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The heads with dense rows, listed once. What is done by kind goes through this table: a new head
// adds a line here and brings its own files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include <mhe/ids.h>
#include <mhe/input.h>

#include "heads/dense_head.h"
#include "heads/dense_search.h"

namespace mhe::heads {

/// What decides how much memory a step takes.
struct BatchShape {
  const Ragged<LabelId>& labels;         ///< of all rows that are trained on
  std::size_t batch = 0;                 ///< rows per step
  TableRule rule = TableRule::kAdagrad;  ///< what the optimiser keeps
};

/// What a head is to those who know its kind only.
struct HeadType {
  OwnSpec own;  ///< its part of a spec, with defaults
  /// Training options that it has beyond those of every head.
  std::span<const std::string_view> options;
  std::unique_ptr<DenseHead> (*make)(const Context& context, HeadSpec spec, const HeadSetup& setup);
  std::unique_ptr<DenseSearch> (*open)(const HeadSpec& spec, const FindTensor& find);
  std::uint64_t (*weight_bytes)(const HeadSpec& spec);
  std::uint64_t (*training_bytes)(const HeadSpec& spec, const BatchShape& shape);
};

extern const HeadType kOneHotHead;    // flat_head.cc
extern const HeadType kSamplingHead;  // flat_head.cc
extern const HeadType kProductHead;   // product_head.cc
extern const HeadType kCascadeHead;   // cascade_head.cc

inline constexpr std::array kHeads = {&kOneHotHead, &kProductHead, &kCascadeHead, &kSamplingHead};

[[nodiscard]] const HeadType& head_type(HeadKind kind);

/// Searches, in files beside their heads.
[[nodiscard]] std::unique_ptr<DenseSearch> make_flat_search(const HeadSpec& spec,
                                                            const FindTensor& find);
[[nodiscard]] std::unique_ptr<DenseSearch> make_cascade_search(const HeadSpec& spec,
                                                               const FindTensor& find);
[[nodiscard]] std::unique_ptr<DenseSearch> make_product_search(const HeadSpec& spec,
                                                               const FindTensor& find);

/// Weights of the head, biases and codes included; an order of labels is not.
[[nodiscard]] std::uint64_t weight_bytes(const HeadSpec& spec);

/// Weights, optimiser state and what a step holds, in the mean over batches and orders. The
/// features of a batch and their gradient are the encoder's. Throws as make_dense_head() does.
[[nodiscard]] std::uint64_t training_bytes(const HeadSpec& spec, const BatchShape& shape);

/// "softmax" or "sigmoid".
[[nodiscard]] std::string_view loss_name(Loss loss) noexcept;

/// A spec as it stands in a model card.
[[nodiscard]] nlohmann::ordered_json to_json(const HeadSpec& spec);
/// Throws nlohmann::json::exception for what is missing or of another type, and kInvalidArgument
/// for values that no spec has.
[[nodiscard]] HeadSpec head_spec_from(const nlohmann::json& json);

}  // namespace mhe::heads
