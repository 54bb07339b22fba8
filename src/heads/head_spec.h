// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a head with dense rows is, as plain values: enough to build one, and with its arrays enough
// to use one from a file.
#pragma once

#include <array>
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

/// Groups of product heads at most, G of Eq. 16: beyond any that pays.
inline constexpr std::size_t kMaxRank = 4096;

/// What training minimises, a mean over the examples of a batch.
enum class Loss : std::uint8_t {
  kSoftmax,  ///< cross-entropy; an example of several labels: the mean over them
  kSigmoid,  ///< binary cross-entropy, summed over the outputs an example is scored on
};

/// How a label becomes the digits that product heads predict.
enum class ProductCode : std::uint8_t {
  kDigits,    ///< of its position, Eq. 10
  kTable,     ///< as the tensor "codes" says: more heads than the count needs, or an order for
              ///< products
  kPowerset,  ///< the labels of a row are bits of one number: `num_labels` bits over the heads
};

// Each kind lists its options in visit(), by the keys that they have in a model card.

/// One output per label, all of them trained on every example.
struct OneHotSpec {
  static constexpr HeadKind kKind = HeadKind::kOneHot;

  template <class Spec, class Visitor>
  static void visit(Spec& /*spec*/, Visitor&& /*v*/) {}
};

/// Parallel heads (MHP): a label is a combination of digits.
struct ProductSpec {
  static constexpr HeadKind kKind = HeadKind::kProduct;

  std::size_t rank = 1;  ///< groups of heads that are summed, G of Eq. 16
  ProductCode code = ProductCode::kDigits;

  template <class Spec, class Visitor>
  static void visit(Spec& spec, Visitor&& v) {
    v("rank", spec.rank);
    v("code", spec.code);
  }
};

/// Levels (MHC): each head chooses among the children of the best K before it.
struct CascadeSpec {
  static constexpr HeadKind kKind = HeadKind::kCascade;

  std::size_t inner_dim = 0;    ///< of levels 2 and on; 0 or dim: no projection
  std::size_t candidates = 10;  ///< K, parents kept per level
  float parent_power = 1;       ///< how much the path counts in a label's score

  template <class Spec, class Visitor>
  static void visit(Spec& spec, Visitor&& v) {
    v("inner_dim", spec.inner_dim);
    v("candidates", spec.candidates);
    v("parent_power", spec.parent_power);
  }
};

/// One output per label, trained on groups of labels (MHS).
struct SamplingSpec {
  static constexpr HeadKind kKind = HeadKind::kSampling;

  std::size_t extra_groups = 0;  ///< random groups added to those of a batch
  /// S of MHS-S, the groups that an example of one label is scored on; 0: a batch shares the groups
  /// of all its examples
  std::size_t groups_per_example = 0;

  template <class Spec, class Visitor>
  static void visit(Spec& spec, Visitor&& v) {
    v("extra_groups", spec.extra_groups);
    v("groups_per_example", spec.groups_per_example);
  }
};

/// What only heads of one kind have.
using OwnSpec = std::variant<OneHotSpec, ProductSpec, CascadeSpec, SamplingSpec>;

template <class... Specs>
[[nodiscard]] constexpr HeadKind kind_of(const std::variant<Specs...>& own) noexcept {
  constexpr std::array kKinds = {Specs::kKind...};
  return kKinds[own.index()];
}

/// A head, all choices made.
struct HeadSpec {
  std::uint64_t num_labels = 0;
  std::vector<std::uint32_t> lengths;  ///< one-hot: {C}; sampling: {groups, labels in a group}
  std::size_t dim = 0;                 ///< width of the feature vector
  Loss loss = Loss::kSoftmax;
  OwnSpec own;

  [[nodiscard]] HeadKind kind() const noexcept { return kind_of(own); }
  /// What heads of one kind have; null for a head of another kind.
  template <class Spec>
  [[nodiscard]] const Spec* as() const noexcept {
    return std::get_if<Spec>(&own);
  }
  template <class Spec>
  [[nodiscard]] Spec* as() noexcept {
    return std::get_if<Spec>(&own);
  }
  /// Width of the rows behind the first level: dim for heads without levels.
  [[nodiscard]] std::size_t inner_width() const noexcept {
    const auto* cascade = as<CascadeSpec>();
    return cascade == nullptr || cascade->inner_dim == 0 ? dim : cascade->inner_dim;
  }
  /// Whether it is a product head whose digits are made this way.
  [[nodiscard]] bool has_code(ProductCode code) const noexcept {
    const auto* product = as<ProductSpec>();
    return product != nullptr && product->code == code;
  }
};

/// An array of a head, by name.
struct HeadTensor {
  using Data = std::variant<std::span<const float>, std::span<const std::uint32_t>>;
  std::string name;  ///< such as "table", "level1.table", "level1.bias", "label_at", "codes"
  std::vector<std::uint64_t> shape;
  Data data;
};

}  // namespace mhe::heads
