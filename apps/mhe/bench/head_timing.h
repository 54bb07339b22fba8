// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// One head, timed: what `mhe bench heads` is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/context.h>
#include <mhe/plan.h>

#include "heads/head_spec.h"

namespace mhe::app {

/// A head that is timed.
struct TimedHead {
  std::string_view name;
  HeadKind kind = HeadKind::kOneHot;
  std::size_t groups_of_batch = 0;  ///< sampling: the batch's labels come from so many; 0: from all
};

struct TimingOptions {
  std::uint64_t num_labels = 0;
  std::size_t dim = 512;
  std::size_t batch = 256;
  std::size_t candidates = 10;
  heads::Loss loss = heads::Loss::kSoftmax;
  std::size_t repeat = 3;  ///< steps, of which the quickest counts; one more comes before
};

struct HeadTiming {
  std::string head;
  std::uint64_t num_labels = 0;
  std::vector<std::uint32_t> lengths;
  double step_s = 0;
  double predict_s = 0;            ///< of one example, on one thread
  double step_flops = 0;           ///< scores, dLoss/dF and gradients of rows
  double step_bytes = 0;           ///< of tables and of scores that are kept, read and written
  std::uint64_t memory_bytes = 0;  ///< parameters, optimiser state and scratch space
};

/// Rows that a step moved, and the floats in them.
struct MovedRows {
  double rows = 0;
  double floats = 0;
};

/// From the optimiser's numbers, which a step changes for every row it moves.
[[nodiscard]] MovedRows moved_rows(const heads::HeadSpec& spec, std::span<const float> before,
                                   std::span<const float> after);
/// Arithmetic of a step: scores, dLoss/dF and gradients of rows, those of projections too.
[[nodiscard]] double head_step_flops(const heads::HeadSpec& spec, std::size_t batch,
                                     const MovedRows& moved);
/// Memory of the rows that a step moves, read and written.
[[nodiscard]] double head_row_bytes(const heads::HeadSpec& spec, const MovedRows& moved);

/// The head as planned for these options.
[[nodiscard]] heads::HeadSpec timed_spec(const TimedHead& head, const TimingOptions& options);

/// Memory that timing it will need, in bytes.
[[nodiscard]] double timed_memory(const TimedHead& head, const TimingOptions& options);

/// Random features and labels, one each, drawn uniformly.
[[nodiscard]] HeadTiming time_head(const Context& context, const TimedHead& head,
                                   const TimingOptions& options);

}  // namespace mhe::app
