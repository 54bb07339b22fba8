// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// A trained model of an encoder and a head with dense rows, or of several whose scores are
// averaged. Written to one file, used mapped from it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "encoders/encoder_view.h"
#include "heads/dense_search.h"
#include "heads/head_spec.h"
#include "model/model.h"

namespace mhe::model {

inline constexpr std::string_view kLearnedKind = "learned";

/// An encoder and a head as they lie in memory or in a file.
struct LearnedMember {
  encoders::EncoderView encoder;
  heads::HeadSpec head;
  std::vector<heads::HeadTensor> tensors;  ///< of the head

  /// For DenseSearch::make(); the member must outlive it.
  [[nodiscard]] heads::FindTensor find_tensor() const;
};

/// What training hands over to be written.
struct TrainedLearned {
  TrainedParts parts;
  std::span<const LearnedMember> members;
};

/// Writes a model file; atomic. Throws kIo.
void write_learned(const std::string& path, const TrainedLearned& trained);

/// A model as it lies in its file. Immutable; many threads may use one.
class LearnedModel final : public Model {
 public:
  /// Looks at the header and the sizes of the tensors; their contents are taken as they come, and
  /// if they are damaged predictions are wrong, but finite. Throws kInvalidData with the reason if
  /// the file is not a sound model.
  explicit LearnedModel(ModelFile file);

  [[nodiscard]] HeadKind head_kind() const noexcept override {
    return members_.front().head.kind();
  }
  /// At least one; all take the same input.
  [[nodiscard]] std::span<const LearnedMember> members() const noexcept { return members_; }

 private:
  [[nodiscard]] LearnedMember load_member(std::size_t index, const nlohmann::json& card) const;
  void check_member(const LearnedMember& member) const;

  std::vector<LearnedMember> members_;
};

}  // namespace mhe::model
