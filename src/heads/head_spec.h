// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a head with dense rows is, as plain values: enough to build one, and with its arrays enough
// to use one from a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <mhe/plan.h>

namespace mhe::heads {

/// Parents kept a level at most, of a beam or as candidates in training: beyond any number of
/// groups.
inline constexpr std::int32_t kMaxParents = 1'000'000;

/// Groups of product heads at most, G of Eq. 9: beyond any that pays.
inline constexpr std::size_t kMaxRank = 4096;

/// What training minimises, a mean over the examples of a batch.
enum class Loss : std::uint8_t {
  kSoftmax,  ///< cross-entropy; an example of several labels: the mean over them
  kSigmoid,  ///< binary cross-entropy, summed over the outputs an example is scored on
};

/// How a label becomes the digits that product heads predict.
enum class ProductCode : std::uint8_t {
  kDigits,    ///< of its position, Eq. 14
  kTable,     ///< as the tensor "codes" says: more heads than the count needs, or an order for
              ///< products
  kPowerset,  ///< the labels of a row are bits of one number: `num_labels` bits over the heads
};

/// A head, all choices made.
struct HeadSpec {
  HeadKind kind = HeadKind::kOneHot;
  std::uint64_t num_labels = 0;
  std::vector<std::uint32_t> lengths;  ///< one-hot: {C}; sampling: {groups, labels in a group}
  std::size_t dim = 0;                 ///< width of the feature vector
  std::size_t inner_dim = 0;           ///< cascade, levels 2 and on; dim: no projection
  Loss loss = Loss::kSoftmax;
  std::size_t candidates = 10;   ///< cascade: parents kept a level
  float parent_power = 1;        ///< cascade: how much the path counts in a label's score
  std::size_t extra_groups = 0;  ///< sampling: random groups added to those of a batch
  /// sampling: S of MHS-S, the groups that an example of one label is scored on; 0: a batch shares
  /// the groups of all its examples
  std::size_t groups_per_example = 0;
  std::size_t rank = 1;  ///< product: groups of heads that are summed, G of Eq. 9
  ProductCode code = ProductCode::kDigits;
};

/// An array of a head, by name.
struct HeadTensor {
  using Data = std::variant<std::span<const float>, std::span<const std::uint32_t>>;
  std::string name;  ///< such as "table", "level1.table", "level1.bias", "label_at", "codes"
  std::vector<std::uint64_t> shape;
  Data data;
};

}  // namespace mhe::heads
