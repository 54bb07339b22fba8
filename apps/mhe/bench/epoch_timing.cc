// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/epoch_timing.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/parallel.h"
#include "bench/head_timing.h"
#include "kernels/roof.h"
#include "kernels/rows.h"
#include "output/stopwatch.h"
#include "text/huge_page_allocator.h"
#include "train/member_trainer.h"

namespace mhe::app {
namespace {

// The features that each batch of the first epoch touches, in the order in which they occur.
std::vector<std::vector<std::uint32_t>> touched_features(train::MemberTrainer& trainer,
                                                         const train::Examples& examples) {
  std::vector<std::vector<std::uint32_t>> batches(trainer.steps_per_epoch());
  std::vector<std::size_t> seen_in(examples.features.num_columns, 0);  // step + 1
  for (std::size_t step = 0; step < batches.size(); ++step) {
    for (const std::uint32_t row : trainer.rows_of(step)) {
      for (const std::uint32_t feature : examples.features[row].columns) {
        if (std::exchange(seen_in[feature], step + 1) != step + 1) {
          batches[step].push_back(feature);
        }
      }
    }
  }
  return batches;
}

struct FarSeconds {
  double read = 0;
  double move = 0;
};

// The rows of the batches, first read, then moved, and nothing else: whatever the caches keep from
// one batch to the next they keep here too.
FarSeconds replay(const Context& context, const std::vector<std::vector<std::uint32_t>>& batches,
                  std::size_t dim, std::vector<float>& table) {
  constexpr std::size_t kGrain = 256;  // rows
  const std::vector<float> gradient(dim, 1.0F);
  FarSeconds total;
  for (const std::vector<std::uint32_t>& rows : batches) {
    const Clock::time_point reading = Clock::now();
    std::vector<float> sums(context.threads());
    parallel_blocks(context, rows.size(), kGrain, [&](const Block& block) {
      for (std::size_t i = block.begin; i < block.end; ++i) {
        sums[block.worker] += kernels::run_reads(table.data() + rows[i] * dim, dim);
      }
    });
    total.read += seconds_since(reading);
    const Clock::time_point moving = Clock::now();
    parallel_blocks(context, rows.size(), kGrain, [&](const Block& block) {
      for (std::size_t i = block.begin; i < block.end; ++i) {
        kernels::move_row(table.data() + rows[i] * dim, gradient.data(), dim, 0.999F, 0.001F);
      }
    });
    total.move += seconds_since(moving);
  }
  return total;
}

// The best of some tries, part by part.
FarSeconds measure_far(const Context& context,
                       const std::vector<std::vector<std::uint32_t>>& batches, std::size_t rows,
                       std::size_t dim) {
  constexpr int kTries = 3;
  std::vector<float> table;
  text::resize_on_huge_pages(table, rows * dim);
  FarSeconds best = replay(context, batches, dim, table);
  for (int i = 1; i < kTries; ++i) {
    const FarSeconds again = replay(context, batches, dim, table);
    best.read = std::min(best.read, again.read);
    best.move = std::min(best.move, again.move);
  }
  return best;
}

std::vector<float> head_states(train::MemberTrainer& trainer) {
  std::vector<float> states;
  for (const train::NamedArray& array : trainer.arrays()) {
    if (array.is_parameter || !array.name.starts_with("head.")) continue;
    states.insert(states.end(), array.values.begin(), array.values.end());
  }
  return states;
}

// What the dense layers of the encoder multiply and add for one example on the way forward.
double layer_flops(const encoders::EncoderSpec& spec) {
  const auto* const mlp = std::get_if<encoders::MlpSpec>(&spec.own);
  const auto dim = static_cast<double>(spec.dim);
  const bool is_dense = spec.input == InputKind::kDense;
  double flops = 0;
  for (std::size_t layer = is_dense ? 0 : 1; mlp != nullptr && layer < mlp->layers; ++layer) {
    flops += 2 * dim * (layer == 0 ? static_cast<double>(spec.num_inputs) : dim);
  }
  return flops;
}

void count_encoder(const train::Examples& examples, const train::GradientPlan& plan,
                   double all_touched, EpochPart& forward, EpochPart& backward) {
  const auto dim = static_cast<double>(plan.encoder.dim);
  const auto rows = static_cast<double>(examples.rows());
  const auto nonzeros = static_cast<double>(examples.features.nonzeros());
  forward.flops = 2 * dim * nonzeros + rows * layer_flops(plan.encoder);
  forward.near_bytes = sizeof(float) * dim * nonzeros;
  forward.far_bytes = sizeof(float) * dim * all_touched;
  // The length of a row's gradient, and the row moved; layers get a gradient each way.
  backward.flops =
      2 * dim * nonzeros + 4 * dim * all_touched + 2 * rows * layer_flops(plan.encoder);
  backward.near_bytes = forward.near_bytes;
  backward.far_bytes = 2 * forward.far_bytes;
}

train::StepSeconds difference(const train::StepSeconds& a, const train::StepSeconds& b) {
  return {a.batch - b.batch, a.forward - b.forward, a.head - b.head, a.backward - b.backward};
}

double sum_of(const train::StepSeconds& s) {
  return s.batch + s.forward + s.head + s.backward;
}

}  // namespace

EpochTiming time_epoch(const Context& context, const train::Examples& examples,
                       const train::GradientPlan& plan, const TrainOptions& options,
                       std::size_t repeat) {
  train::MemberTrainer trainer(context, examples, plan, options, {.seed = context.seed()});
  const auto batches = touched_features(trainer, examples);
  EpochTiming timing;
  timing.steps = trainer.steps_per_epoch();
  double all_touched = 0;
  for (const auto& rows : batches) all_touched += static_cast<double>(rows.size());
  timing.touched_features = all_touched / static_cast<double>(timing.steps);

  const std::vector<float> before = head_states(trainer);
  MovedRows moved;
  train::StepSeconds best;
  for (std::size_t epoch = 0; epoch < repeat; ++epoch) {
    const train::StepSeconds start = trainer.seconds();
    for (std::size_t i = 0; i < timing.steps; ++i) {
      (void)trainer.train_step(epoch * timing.steps + i);
      if (epoch > 0 || i > 0) continue;
      moved = moved_rows(plan.head, before, head_states(trainer));
    }
    const train::StepSeconds spent = difference(trainer.seconds(), start);
    if (epoch == 0 || sum_of(spent) < sum_of(best)) best = spent;
  }

  EpochPart forward = {"encoder forward", best.forward};
  EpochPart head = {"head", best.head};
  EpochPart backward = {"encoder backward", best.backward};
  count_encoder(examples, plan, all_touched, forward, backward);
  timing.touched_head_rows = moved.rows;
  head.flops = head_step_flops(plan.head, examples.rows(), moved);
  head.far_bytes = head_row_bytes(plan.head, moved) * static_cast<double>(timing.steps);
  if (all_touched > 0) {
    const FarSeconds far = measure_far(context, batches, plan.encoder.num_inputs, plan.encoder.dim);
    forward.far_seconds = far.read;
    backward.far_seconds = far.move;
  }
  timing.parts = {{"batch", best.batch}, forward, head, backward};
  return timing;
}

double roof_seconds(const EpochPart& part, const MachineRoof& roof, double near_gb_per_s) {
  const double near = part.near_bytes / (near_gb_per_s * 1e9);
  const double far =
      part.far_seconds > 0 ? part.far_seconds : part.far_bytes / (roof.gb_per_s * 1e9);
  return std::max({part.flops / (roof.gflops * 1e9), near, far});
}

}  // namespace mhe::app
