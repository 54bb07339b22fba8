// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/head_timing.h"

#include <algorithm>
#include <numeric>
#include <span>

#include <mhe/context.h>

#include "base/memory.h"
#include "base/random.h"
#include "heads/dense_head.h"
#include "heads/dense_search.h"
#include "heads/registry.h"
#include "output/stopwatch.h"

namespace mhe::app {
namespace {

Plan plan_of(const TimedHead& head, const TimingOptions& options) {
  PlanOptions plan;
  plan.num_labels = options.num_labels;
  plan.head = head.kind;
  plan.dim = options.dim;
  plan.batch = options.batch;
  if (head.kind == HeadKind::kCascade) plan.candidates = options.candidates;
  return make_plan(plan);
}

// A batch of examples with a label each.
class TimedBatch {
 public:
  TimedBatch(const TimedHead& head, const heads::HeadSpec& spec, std::size_t size,
             std::uint64_t number)
      : dim_(spec.dim), features_(size * spec.dim), gradient_(size * spec.dim) {
    RandomStream random(1, "bench.heads", number);
    for (float& value : features_) value = static_cast<float>(2 * random.uniform() - 1);
    std::vector<std::uint64_t> groups(head.groups_of_batch);
    const std::uint64_t group_size = spec.lengths.back();
    for (std::uint64_t& group : groups) {
      group = random.below((spec.num_labels + group_size - 1) / group_size);
    }
    for (std::size_t i = 0; i < size; ++i) {
      std::uint64_t label = random.below(spec.num_labels);
      if (!groups.empty()) {
        const std::uint64_t begin = groups[random.below(groups.size())] * group_size;
        label = begin + random.below(std::min(group_size, spec.num_labels - begin));
      }
      labels_.push_back(LabelId{static_cast<std::uint32_t>(label)});
    }
    for (const LabelId& label : labels_) spans_.emplace_back(&label, 1);
  }

  [[nodiscard]] heads::HeadBatch view() const {
    return {{features_.data(), labels_.size(), dim_}, spans_};
  }
  [[nodiscard]] MatrixSpan gradient() { return {gradient_.data(), labels_.size(), dim_}; }

 private:
  std::size_t dim_;
  std::vector<float> features_;
  std::vector<float> gradient_;
  std::vector<LabelId> labels_;
  std::vector<std::span<const LabelId>> spans_;
};

// The optimiser's numbers: a row that a step moved has another one after.
std::vector<float> row_states(heads::DenseHead& head) {
  std::vector<float> states;
  head.visit_state([&](const heads::DenseHead::StateArray& array) {
    if (!array.is_parameter) {
      states.insert(states.end(), array.values.begin(), array.values.end());
    }
  });
  return states;
}

// Outputs that an example is scored on.
double outputs_of(const heads::HeadSpec& spec, double touched_rows) {
  const auto* cascade = spec.as<heads::CascadeSpec>();
  if (cascade == nullptr) return touched_rows;
  double outputs = spec.lengths[0];
  for (std::size_t level = 1; level < spec.lengths.size(); ++level) {
    outputs += static_cast<double>(cascade->candidates) * spec.lengths[level];
  }
  return outputs;
}

// Rows of the projections that lead to the inner width.
std::size_t projection_rows(const heads::HeadSpec& spec) {
  const std::size_t inner = spec.inner_width();
  return inner == spec.dim ? 0 : (spec.lengths.size() - 1) * inner;
}

void count_work(const heads::HeadSpec& spec, std::size_t batch, const MovedRows& moved,
                HeadTiming& timing) {
  timing.step_flops = head_step_flops(spec, batch, moved);
  timing.step_bytes = head_row_bytes(spec, moved);
  if (spec.loss == heads::Loss::kSoftmax) {
    timing.step_bytes +=
        3 * sizeof(float) * static_cast<double>(batch) * outputs_of(spec, moved.rows);
  }
}

// The mean over some documents, as many as half a second has room for.
double time_predictions(heads::DenseHead& head, const TimedBatch& batch) {
  const auto search = heads::make_search(head);
  const heads::HeadBatch view = batch.view();
  constexpr std::size_t kBest = 5;
  constexpr double kSeconds = 0.5;
  (void)search->search(view.features[0], kBest, 0);
  double best = 0;
  const Clock::time_point start = Clock::now();
  for (std::size_t pass = 0; pass < 3 || seconds_since(start) < kSeconds; ++pass) {
    const Clock::time_point begin = Clock::now();
    std::size_t done = 0;
    while (done < view.features.num_rows && (done == 0 || seconds_since(begin) < kSeconds / 4)) {
      (void)search->search(view.features[done++], kBest, 0);
    }
    const double mean = seconds_since(begin) / static_cast<double>(done);
    if (pass == 0 || mean < best) best = mean;
  }
  return best;
}

}  // namespace

MovedRows moved_rows(const heads::HeadSpec& spec, std::span<const float> before,
                     std::span<const float> after) {
  // The first level and the projections, which come last, have the width of the features.
  const std::size_t inner_begin = spec.kind() == HeadKind::kCascade ? spec.lengths[0] : 0;
  const std::size_t inner_end = after.size() - projection_rows(spec);
  MovedRows moved;
  for (std::size_t row = 0; row < after.size(); ++row) {
    if (before[row] == after[row]) continue;
    const bool is_inner = row >= inner_begin && row < inner_end;
    moved.rows += 1;
    moved.floats += static_cast<double>(is_inner ? spec.inner_width() : spec.dim);
  }
  return moved;
}

double head_step_flops(const heads::HeadSpec& spec, std::size_t batch, const MovedRows& moved) {
  const auto dim = static_cast<double>(spec.dim);
  const auto inner = static_cast<double>(spec.inner_width());
  const double first = spec.kind() == HeadKind::kCascade ? spec.lengths[0] : moved.rows;
  const double later = outputs_of(spec, moved.rows) - first;
  const auto projected = static_cast<double>(projection_rows(spec));
  return 6 * static_cast<double>(batch) * (dim * (first + projected) + inner * later);
}

double head_row_bytes(const heads::HeadSpec& spec, const MovedRows& moved) {
  // A softmax needs all scores before the first gradient: rows are read twice, written once.
  const double passes = spec.loss == heads::Loss::kSoftmax ? 3 : 2;
  return passes * static_cast<double>(sizeof(float)) * moved.floats;
}

heads::HeadSpec timed_spec(const TimedHead& head, const TimingOptions& options) {
  const Plan plan = plan_of(head, options);
  heads::HeadSpec spec;
  spec.num_labels = options.num_labels;
  const std::span<const std::uint32_t> lengths = plan.space.lengths();
  spec.lengths.assign(lengths.begin(), lengths.end());
  spec.dim = plan.dim;
  spec.loss = options.loss;
  spec.own = heads::head_type(head.kind).own;
  if (auto* cascade = spec.as<heads::CascadeSpec>()) {
    cascade->inner_dim = plan.inner_dim;
    cascade->candidates = std::min<std::size_t>(options.candidates, spec.lengths[0]);
  }
  return spec;
}

double timed_memory(const TimedHead& head, const TimingOptions& options) {
  return plan_of(head, options).cost.train_bytes;
}

HeadTiming time_head(const Context& context, const TimedHead& head, const TimingOptions& options) {
  HeadTiming timing;
  const heads::HeadSpec spec = timed_spec(head, options);
  timing.head = head.name;
  timing.num_labels = options.num_labels;
  timing.lengths = spec.lengths;
  release_free_memory();
  const std::uint64_t before = process_memory().resident;
  const auto dense = heads::make_dense_head(context, spec, {});
  TimedBatch batch(head, spec, options.batch, 0);
  // The first step meets fresh memory.
  (void)dense->step(context, batch.view(), {.learning_rate = 0.01F, .number = 0}, batch.gradient());
  const std::vector<float> first = row_states(*dense);
  for (std::size_t i = 1; i <= options.repeat; ++i) {
    batch = TimedBatch(head, spec, options.batch, i);
    const Clock::time_point start = Clock::now();
    (void)dense->step(context, batch.view(), {.learning_rate = 0.01F, .number = i},
                      batch.gradient());
    const double seconds = seconds_since(start);
    if (i == 1 || seconds < timing.step_s) timing.step_s = seconds;
    if (i > 1) continue;
    count_work(spec, options.batch, moved_rows(spec, first, row_states(*dense)), timing);
  }
  const std::uint64_t after = process_memory().resident;
  timing.memory_bytes = after > before ? after - before : 0;
  timing.predict_s = time_predictions(*dense, batch);
  return timing;
}

}  // namespace mhe::app
