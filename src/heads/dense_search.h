// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The best labels of a head with dense rows, in memory or mapped from a file.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <mhe/ids.h>

#include "heads/dense_head.h"
#include "heads/head_spec.h"

namespace mhe::heads {

/// Finds an array by its name; null if there is none.
using FindTensor = std::function<const HeadTensor*(std::string_view name)>;

/// Searches one head. Holds the scratch space, so one for each thread; allocates nothing once it
/// has seen the largest k. The arrays must outlive it. Contents that come from a file are not
/// trusted: a damaged label is left out, damaged numbers give wrong but finite scores.
class DenseSearch {
 public:
  /// Throws kInvalidData, saying which, if arrays are missing or not of the size the spec asks for.
  [[nodiscard]] static std::unique_ptr<DenseSearch> make(const HeadSpec& spec,
                                                         const FindTensor& find);
  virtual ~DenseSearch();

  /// The k best labels for a feature vector of spec.dim numbers with their probabilities as the
  /// head sees them, best first, equal ones by the smaller id; never a phantom. Valid until the
  /// next call. `beam` replaces the candidates of the spec unless it is 0.
  [[nodiscard]] virtual std::span<const ScoredLabel> search(std::span<const float> features,
                                                            std::size_t k, std::size_t beam) = 0;

  /// What each head of the last search thinks best by itself: a digit of each product head, a node
  /// of each level of a cascade by the score of its path. Heads without digits have none.
  [[nodiscard]] virtual std::span<const std::uint32_t> best_choices() const { return {}; }
  /// The k most probable sets of labels for the features of the last search, best first; equal ones
  /// by the number that their digits make. Throws kInvalidArgument if the head does not predict
  /// sets (ProductCode::kPowerset).
  [[nodiscard]] virtual std::vector<LabelSet> best_sets(std::size_t k);
  /// Probability that the heads of the last search gave to phantoms (product).
  [[nodiscard]] virtual double phantom_mass() const { return 0; }

 protected:
  DenseSearch() = default;
};

/// The arrays of a head that is being trained, to search in.
[[nodiscard]] std::unique_ptr<DenseSearch> make_search(const DenseHead& head);

}  // namespace mhe::heads
