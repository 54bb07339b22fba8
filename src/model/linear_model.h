// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// A trained linear model: the weights of one cascade or of several whose scores are averaged.
// Written to one file, used mapped from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heads/neighbours.h"
#include "heads/sparse_cascade.h"
#include "labels/order.h"
#include "model/model.h"

namespace mhe::model {

/// One cascade of a model. Of a single level, it is the one-hot classifier.
struct TrainedMember {
  labels::Order order;
  std::vector<heads::SparseLevel> levels;
  heads::BeamOptions search;
};

/// What training hands over to be written.
struct TrainedLinear {
  TrainedParts parts;
  std::span<const TrainedMember> members;
  const heads::NeighbourIndex* neighbours = nullptr;  ///< none: their weight is 0
  float neighbour_weight = 0;
};

/// The label at every position of the tree, or 2^32 - 1 where there is none.
[[nodiscard]] std::vector<std::uint32_t> labels_by_position(const labels::Order& order);

/// Writes a model file; atomic. Throws kIo.
void write_linear(const std::string& path, const TrainedLinear& trained);

/// One cascade of a model as it lies in the file.
struct LinearMember {
  std::span<const std::uint32_t> label_at;  ///< by position; not checked: may be no label
  std::vector<heads::SparseLevelView> levels;
  heads::BeamOptions search;
};

/// All that scores labels.
struct Scorers {
  std::span<const LinearMember> members;
  heads::NeighbourMember neighbours = {};
};

/// A model as it lies in its file. Immutable; many threads may use one.
class LinearModel final : public Model {
 public:
  /// Throws kNotFound, kIo, or kInvalidData with the reason if the file is not a sound model.
  [[nodiscard]] static LinearModel open(const std::string& path);
  /// Looks at the header and the sizes of the tensors; their contents are taken as they come, and
  /// if they are damaged predictions are wrong, but finite. ModelFile::verify() finds damage.
  explicit LinearModel(ModelFile file);

  [[nodiscard]] HeadKind head_kind() const noexcept override;
  /// At least one.
  [[nodiscard]] std::span<const LinearMember> members() const noexcept { return members_; }
  /// The members, and the neighbours if there are any.
  [[nodiscard]] Scorers scorers() const noexcept { return {members_, neighbours_}; }

 private:
  void load_searches();
  void load_neighbours();
  [[nodiscard]] LinearMember load_member(std::size_t index) const;
  void check_level(const heads::SparseLevelView& level) const;

  std::vector<LinearMember> members_;
  heads::NeighbourMember neighbours_;
};

}  // namespace mhe::model
