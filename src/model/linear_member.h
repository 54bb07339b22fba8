// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Cascades on the sparse input itself, whose scores are averaged, and the nearest neighbours among
// the training rows that may be mixed in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <mhe/label_space.h>

#include "heads/neighbours.h"
#include "heads/sparse_cascade.h"
#include "model/member.h"

namespace mhe::model {

inline constexpr std::string_view kLinearKind = "linear";

/// One cascade, in memory or in a file. Of a single level, it is the one-hot classifier.
struct Cascade {
  std::span<const std::uint32_t> label_at;  ///< by position; not checked: may be no label
  std::vector<heads::SparseLevelView> levels;
  heads::BeamOptions search;

  /// Length of the head of each level.
  [[nodiscard]] std::vector<std::uint32_t> lengths() const;
};

/// The label at every position of the tree, or 2^32 - 1 where there is none.
[[nodiscard]] std::vector<std::uint32_t> labels_by_position(const LabelOrder& order);

class LinearMember final : public Member {
 public:
  /// What the cascades and neighbours show must live as long. There is at least one cascade.
  explicit LinearMember(std::vector<Cascade> cascades, heads::NeighbourMember neighbours = {});

  [[nodiscard]] std::span<const Cascade> cascades() const noexcept { return cascades_; }
  [[nodiscard]] const heads::NeighbourMember& neighbours() const noexcept { return neighbours_; }

  [[nodiscard]] std::string_view kind() const noexcept override { return kLinearKind; }
  [[nodiscard]] HeadKind head_kind() const noexcept override;
  // The cascades of an ensemble are in one member.
  [[nodiscard]] bool shares_part() const noexcept override { return false; }
  [[nodiscard]] InputKind input_kind() const noexcept override { return InputKind::kSparse; }
  [[nodiscard]] std::unique_ptr<MemberSearch> make_search(std::size_t num_labels) const override;
  [[nodiscard]] std::optional<HeadTargets> head_targets(std::size_t num_labels) const override;
  void write(ModelFileWriter& writer, const std::string& prefix, std::size_t index,
             nlohmann::ordered_json& card) const override;

 private:
  std::vector<Cascade> cascades_;
  heads::NeighbourMember neighbours_;
};

[[nodiscard]] Members open_linear_members(const MembersPlace& place, const nlohmann::json& card);

}  // namespace mhe::model
