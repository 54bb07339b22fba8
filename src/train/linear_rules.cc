// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/linear_rules.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "heads/head_spec.h"

namespace mhe::train {

void validate_linear(const TrainOptions& options) {
  require(options.head == "auto" || options.head == "cascade" || options.head == "onehot",
          "head \"{}\"; the linear encoder has cascade and onehot", options.head);
  require(options.order != "product" && options.order != "trained",
          "order \"{}\"; the linear encoder has random, clustered, frequency, identity and files",
          options.order);
  require(options.lengths.size() != 1, "a cascade has at least 2 heads; 1 length was given");
  require(options.candidates >= -1 && options.candidates <= heads::kMaxParents,
          "candidates {}; expected 0 to {}, or -1", options.candidates, heads::kMaxParents);
  require(options.leaf != 1, "leaf 1; expected at least 2, or 0");
  require(options.loss_weight >= 0 && std::isfinite(options.loss_weight),
          "loss weight {}; expected 0 or more", options.loss_weight);
  require(options.sweeps >= 1, "sweeps 0; expected at least 1");
  require((options.prune >= 0 || options.prune == -1) && std::isfinite(options.prune),
          "prune {}; expected 0 or more, or -1", options.prune);
  require(options.prune_strength > 0 && std::isfinite(options.prune_strength),
          "prune strength {}; expected more than 0", options.prune_strength);
  require((options.neighbours >= 0 && options.neighbours <= 1) || options.neighbours == -1,
          "neighbours {}; expected 0 to 1, or -1", options.neighbours);
}

std::size_t leaf_of(const TrainOptions& options, std::size_t num_labels) {
  if (options.leaf > 0) return options.leaf;
  // Longer leaves cost time and save a level, whose mistakes nothing below mends.
  constexpr double kOfRoot = 0.65;
  return std::clamp<std::size_t>(
      static_cast<std::size_t>(kOfRoot * std::sqrt(static_cast<double>(num_labels))), 40, 100);
}

std::vector<std::uint32_t> default_lengths(std::size_t num_labels, std::size_t leaf) {
  constexpr std::size_t kFirst = 256;  // a longer first head costs more than another level
  const std::size_t groups = std::max<std::size_t>(1, (num_labels + leaf - 1) / leaf);
  std::size_t heads_above = 1;
  while (std::pow(kFirst, heads_above) < static_cast<double>(groups)) ++heads_above;
  const double length =
      std::pow(static_cast<double>(groups), 1.0 / static_cast<double>(heads_above));
  std::vector<std::uint32_t> lengths(heads_above, static_cast<std::uint32_t>(std::ceil(length)));
  lengths.push_back(static_cast<std::uint32_t>(std::min(leaf, num_labels)));
  return lengths;
}

std::vector<std::uint32_t> member_lengths(const TrainOptions& options, std::size_t num_labels,
                                          std::size_t member) {
  if (options.head == "onehot") return {static_cast<std::uint32_t>(num_labels)};
  if (!options.lengths.empty()) return options.lengths;
  const std::size_t leaf = leaf_of(options, num_labels);
  return default_lengths(num_labels,
                         member % 2 == 0 ? leaf : std::max<std::size_t>(2, leaf * 3 / 4));
}

namespace {
constexpr std::size_t kLittle = 4'000'000;  // nonzeros
}

bool is_little(const SparseMatrix& features) noexcept {
  return features.nonzeros() <= kLittle;
}

float default_prune(std::size_t nonzeros, std::size_t rows, float strength) {
  constexpr double kScale = 3800;  // 0.06 where a row has 250 features, 0.12 where it has 178
  constexpr double kMost = 0.12;
  constexpr float kMostOfAny = 0.25F;  // beyond, accuracy falls faster than size
  const auto all = static_cast<double>(nonzeros);
  const double each = std::max(1.0, all / static_cast<double>(std::max<std::size_t>(1, rows)));
  const double prune = std::min(kMost, kScale / (each * each)) * std::min(1.0, all / kLittle);
  return std::min(kMostOfAny, strength * static_cast<float>(prune));
}

namespace {

// A tree saves time and loses the labels that its upper levels miss. Where every label against all
// rows takes a few seconds at most there is nothing to save.
bool is_one_hot_cheap(const SparseMatrix& features, std::size_t num_labels) {
  constexpr double kFewProducts = 5e8;  // of a sweep over all rows for all labels
  return static_cast<double>(features.nonzeros()) * static_cast<double>(num_labels) <= kFewProducts;
}

}  // namespace

namespace {

// Rows that say much can tell more rivals apart: there more candidates and longer leaves gain a
// little accuracy for twice the time. Of short rows they only crowd out the true ones.
// docs/decisions/0007 has the measurements.
bool has_long_rows(const SparseMatrix& features) {
  constexpr std::size_t kManyFeatures = 150;
  return features.nonzeros() >= kManyFeatures * std::max<std::size_t>(1, features.rows());
}

}  // namespace

TrainOptions resolve_linear(TrainOptions options, const SparseMatrix& features,
                            std::size_t num_labels) {
  const bool many = options.lengths.empty() && options.leaf == 0 && has_long_rows(features);
  if (options.candidates < 0) options.candidates = many ? 20 : 10;
  if (options.beam == 0) options.beam = heads::BeamOptions().beam;
  if (options.head == "auto") {
    const bool asks_for_tree =
        !options.lengths.empty() || options.leaf > 0 || options.order != "auto";
    options.head = !asks_for_tree && is_one_hot_cheap(features, num_labels) ? "onehot" : "cascade";
  }
  if (options.head == "cascade" && many) {
    constexpr std::size_t kLongLeaf = 80;
    options.leaf = std::max(kLongLeaf, leaf_of(options, num_labels));
  }
  if (options.order == "auto") {
    options.order = options.head == "cascade" ? "clustered" : "identity";
  }
  if (options.prune < 0) {
    options.prune = default_prune(features.nonzeros(), features.rows(), options.prune_strength);
  }
  if (options.loss_weight == 0) options.loss_weight = 1;
  return options;
}

heads::CascadeOptions cascade_options(const TrainOptions& options) {
  heads::CascadeOptions cascade;
  cascade.candidates = static_cast<std::size_t>(options.candidates);
  cascade.solver.loss_weight = options.loss_weight;
  cascade.solver.sweeps = static_cast<std::uint32_t>(options.sweeps);
  cascade.solver.prune = options.prune;
  return cascade;
}

}  // namespace mhe::train
