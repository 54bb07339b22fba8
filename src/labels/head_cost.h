// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <mhe/label_space.h>
#include <mhe/plan.h>

namespace mhe::labels {

/// A head, all choices made.
struct HeadShape {
  HeadKind kind = HeadKind::kCascade;
  LabelSpace space;
  std::uint64_t dim = 0;
  std::uint64_t inner_dim = 0;   ///< cascade, levels 2 and on
  std::uint64_t candidates = 0;  ///< cascade: parents a level; sampling: groups an example
  std::uint64_t batch = 0;
};

/// C, rounded where it does not fit a double.
[[nodiscard]] double count_labels(const LabelSpace& space);

/// The formulas of docs/plan.md. `machine` gives the rates behind predict_us.
[[nodiscard]] HeadCost head_cost(const HeadShape& shape, const PlanOptions& machine);

}  // namespace mhe::labels
