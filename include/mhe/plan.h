// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a classifier will cost, before anything is spent: number and length of heads, parameters,
// memory, arithmetic. docs/plan.md holds the formulas.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/label_space.h>

namespace mhe {

enum class HeadKind : std::uint8_t {
  kOneHot,    ///< one output a label: the yardstick
  kProduct,   ///< parallel heads, a label is a combination of digits (MHP)
  kCascade,   ///< each head chooses among the children of the best K before it (MHC)
  kSampling,  ///< one output a label, trained on the groups a batch touches (MHS)
};

/// "onehot", "product", "cascade", "sampling".
[[nodiscard]] std::string_view head_kind_name(HeadKind kind) noexcept;
/// The kind of that name. Throws kInvalidArgument, listing the names, if there is none.
[[nodiscard]] HeadKind parse_head_kind(std::string_view name);

/// What is known and what is wanted. What is left open is chosen by make_plan().
struct PlanOptions {
  std::uint64_t num_labels = 0;       ///< 2 .. 2^62, one-hot below 2^32; or 0 and:
  std::size_t num_binary_labels = 0;  ///< the labels are all subsets of these; product only
  HeadKind head = HeadKind::kCascade;
  std::size_t num_heads = 0;  ///< sampling: groups. 0: as few as the budgets allow
  std::vector<std::uint32_t> lengths =
      {};                   ///< empty: chosen. Sampling: {groups, labels in a group}
  std::uint64_t dim = 512;  ///< width d of the feature vector
  std::optional<std::uint64_t> inner_dim = {};  ///< cascade: width d_h of levels 2 and on; none: d,
                                                ///< less if the budgets ask
  std::optional<std::uint64_t> candidates = {};  ///< K parents a level (cascade, 20), groups an
                                                 ///< example (sampling, 1)
  std::uint64_t batch = 256;                     ///< examples trained at once
  /// The optimiser's state of a row: 0, one number; else this many vectors as long as the row.
  std::uint64_t state_vectors = 0;
  std::optional<std::uint64_t> ram_bytes = {};  ///< to train the head
  std::optional<double> latency_us = {};        ///< to score one example alone
  double memory_gb_per_s = 23;  ///< the machine, for latency: as measured on a 2-core Intel server
  double gflops = 330;          ///< the same
};

/// What a head costs. Doubles, since one-hot over 2^80 labels does not fit 64 bits; whole numbers
/// below 2^53 are exact. The encoder is not part of it.
struct HeadCost {
  double parameters = 0;
  double model_bytes = 0;    ///< in the file, and in memory to predict
  double train_bytes = 0;    ///< weights, optimiser state and the scores of a batch
  double train_flops = 0;    ///< per example; a multiplication and an addition are two
  double predict_flops = 0;  ///< per example
  double predict_bytes = 0;  ///< weights read to score one example alone
  double predict_us = 0;     ///< estimate: the slower of arithmetic and memory
};

struct Plan {
  HeadKind head = HeadKind::kCascade;
  LabelSpace space = LabelSpace(1, {1});
  std::uint64_t dim = 0;
  std::uint64_t inner_dim = 0;   ///< equal to dim where the head has none of its own
  std::uint64_t candidates = 0;  ///< 0 where the head has none
  std::uint64_t batch = 0;
  std::optional<double> confusion_degree;  ///< none for one-hot, which confuses nothing
  HeadCost cost;
  HeadCost one_hot;                ///< the same labels, dim and batch
  std::vector<std::string> notes;  ///< what the budgets changed, a sentence each
};

/// Chooses what is open and computes the costs. Heads: as few as possible. If a budget is broken,
/// gives way in this order: more heads, narrower inner levels, as training does. Throws
/// kInvalidArgument for options that contradict each other and kResourceLimit, with the least that
/// is needed and what was allowed, if nothing fits.
///
/// Plans are for heads with dense rows. The rows of the `linear` encoder are sparse and as long as
/// pruning leaves them, which depends on the data: `mhe plan DATA` looks at it.
[[nodiscard]] Plan make_plan(const PlanOptions& options);

/// Eq. 15: D = prod_{h=2..H} (n_h * ... * n_H) / n_{h-1}, how many labels share what a head
/// predicts. For product heads the greatest over all arrangements; 1 head: 1. May be infinite.
[[nodiscard]] double confusion_degree(HeadKind kind, std::span<const std::uint32_t> lengths);

}  // namespace mhe
