// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// An encoder and a head with dense rows.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "encoders/batch_encoder.h"
#include "heads/dense_search.h"
#include "heads/head_spec.h"
#include "model/member.h"

namespace mhe::model {

inline constexpr std::string_view kDenseKind = "learned";

/// What a dense member shows, in memory or in a file.
struct DenseParts {
  encoders::EncoderView encoder;
  heads::HeadSpec head;
  std::vector<heads::HeadTensor> tensors;  ///< of the head
};

class DenseMember final : public Member {
 public:
  /// The arrays must live as long.
  explicit DenseMember(DenseParts parts) : parts_(std::move(parts)) {}

  [[nodiscard]] const DenseParts& parts() const noexcept { return parts_; }
  /// The arrays of the head by name; valid as long as this.
  [[nodiscard]] heads::FindTensor find_tensor() const;

  [[nodiscard]] std::string_view kind() const noexcept override { return kDenseKind; }
  [[nodiscard]] HeadKind head_kind() const noexcept override { return parts_.head.kind(); }
  [[nodiscard]] InputKind input_kind() const noexcept override { return parts_.encoder.spec.input; }
  [[nodiscard]] bool predicts_sets() const noexcept override;
  [[nodiscard]] std::unique_ptr<MemberSearch> make_search(std::size_t num_labels) const override;
  [[nodiscard]] std::optional<HeadTargets> head_targets(std::size_t num_labels) const override;
  void write(ModelFileWriter& writer, const std::string& prefix, std::size_t index,
             nlohmann::ordered_json& card) const override;

 private:
  DenseParts parts_;
};

[[nodiscard]] Members open_dense_members(const MembersPlace& place, const nlohmann::json& card);

}  // namespace mhe::model
