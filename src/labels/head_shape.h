// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What each kind of head may look like, and what it costs: all that make_plan() asks by kind.
#pragma once

#include <cstdint>
#include <vector>

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

/// As the options say, or what the kind has by default; 0 where it has none.
[[nodiscard]] std::uint64_t candidates_of(const PlanOptions& options);
/// The numbers of heads to try, fewest first; for sampling, of groups.
[[nodiscard]] std::vector<std::uint64_t> head_counts(const PlanOptions& options);
/// Widths of the later levels to try, widest first.
[[nodiscard]] std::vector<std::uint64_t> inner_dims(const PlanOptions& options);
/// The lengths of this many heads.
[[nodiscard]] LabelSpace space_of(const PlanOptions& options, std::uint64_t num_heads,
                                  std::uint64_t inner_dim);

/// C, rounded where it does not fit a double.
[[nodiscard]] double count_labels(const LabelSpace& space);

/// The formulas of docs/plan.md. `machine` gives the rates behind predict_us.
[[nodiscard]] HeadCost head_cost(const HeadShape& shape, const PlanOptions& machine);

}  // namespace mhe::labels
