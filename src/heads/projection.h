// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// W^h of a cascade: the dense map from the features to the narrower ones that the rows of a later
// level see. It moves as a dense layer does and not as a table: every example uses all of it, and
// steps as long as those of a table's rows would turn what the rows see faster than they follow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/context.h>

#include "heads/dense_head.h"
#include "matrix/layer_optimizer.h"
#include "matrix/view.h"

namespace mhe::heads {

class Projection {
 public:
  /// Random rows that are orthonormal, so that projected features are about as far from each other
  /// as features are; fewer rows than columns. `level` begins the names of the tensors, such as
  /// "level2."; the Context's seed and it decide the rows.
  Projection(const Context& context, std::string_view level, std::size_t width, std::size_t dim);

  [[nodiscard]] static std::uint64_t weight_bytes(std::uint64_t width, std::uint64_t dim) {
    return sizeof(float) * width * dim;
  }
  /// The same with the optimiser's two numbers for each weight.
  [[nodiscard]] static std::uint64_t training_bytes(std::uint64_t width, std::uint64_t dim) {
    return 3 * weight_bytes(width, dim);
  }

  [[nodiscard]] MatrixView rows() const noexcept {
    return {weights_.values.data(), weights_.values.size() / dim_, dim_};
  }
  /// Moves all rows down their gradient.
  void update(const Context& context, const MatrixView& gradient, const LayerOptimizer& optimizer,
              const LayerStep& step);
  /// Frees what only updates need: there is none after it.
  void end_training();

  void add_tensors(std::vector<HeadTensor>& tensors) const;
  void visit_state(const std::function<void(const DenseHead::StateArray&)>& visit);

 private:
  std::size_t dim_;
  Parameters weights_;  // [row][column]
  std::string name_;
  std::string first_name_;
  std::string second_name_;
};

}  // namespace mhe::heads
