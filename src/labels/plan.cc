// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <mhe/plan.h>

#include "base/check.h"
#include "labels/head_shape.h"

namespace mhe {
namespace {

using labels::HeadShape;

constexpr std::uint64_t kMaxDim = std::uint64_t{1} << 24;
constexpr std::uint64_t kMaxBatch = std::uint64_t{1} << 24;
std::string format_mb(double bytes) {
  if (bytes >= 1e9) return fmt::format("{:.2f} GB", bytes / 1e9);
  return bytes >= 1e6 ? fmt::format("{:.1f} MB", bytes / 1e6) : fmt::format("{:.0f} B", bytes);
}

void check_labels(const PlanOptions& options) {
  require(options.num_labels == 0 || options.num_binary_labels == 0,
          "give the number of labels or of binary labels, not both");
  require(options.num_labels != 0 || options.num_binary_labels != 0,
          "the number of labels is missing");
  constexpr std::uint64_t kMaxLabels = std::uint64_t{1} << 62;
  require(options.num_binary_labels != 0 ||
              (options.num_labels >= 2 && options.num_labels <= kMaxLabels),
          "expected 2 to 2^62 labels, got {}", options.num_labels);
  require(options.num_binary_labels == 0 || options.head == HeadKind::kProduct,
          "subsets of binary labels need product heads, not {}", head_kind_name(options.head));
  require(options.lengths.empty() || options.num_heads == 0 ||
              options.num_heads == (options.head == HeadKind::kSampling ? options.lengths[0]
                                                                        : options.lengths.size()),
          "{} heads do not agree with lengths {}", options.num_heads,
          fmt::join(options.lengths, ","));
}

void check_options(const PlanOptions& options) {
  check_labels(options);
  const auto in_range = [](std::uint64_t value, std::uint64_t most) {
    return value >= 1 && value <= most;
  };
  require(in_range(options.dim, kMaxDim), "dim must be 1 to {}, got {}", kMaxDim, options.dim);
  require(!options.inner_dim || in_range(*options.inner_dim, kMaxDim),
          "inner dim must be 1 to {}, got {}", kMaxDim, options.inner_dim.value_or(0));
  require(!options.inner_dim || options.head == HeadKind::kCascade,
          "an inner dim is for cascade heads, not {}", head_kind_name(options.head));
  require(!options.candidates || *options.candidates >= 1, "candidates must be at least 1, got 0");
  require(!options.candidates || options.head == HeadKind::kCascade ||
              options.head == HeadKind::kSampling,
          "candidates are for cascade and sampling heads, not {}", head_kind_name(options.head));
  require(in_range(options.batch, kMaxBatch), "batch must be 1 to {}, got {}", kMaxBatch,
          options.batch);
  require(options.state_vectors <= 2, "state vectors must be 0 to 2, got {}",
          options.state_vectors);
  require(!options.latency_us || *options.latency_us > 0, "the latency budget must be positive");
  require(options.memory_gb_per_s > 0 && options.gflops > 0 &&
              std::isfinite(options.memory_gb_per_s) && std::isfinite(options.gflops),
          "the machine's rates must be positive");
  const bool one_hot = options.head == HeadKind::kOneHot;
  require(!one_hot || (options.num_heads <= 1 && options.lengths.size() <= 1),
          "a one-hot classifier has one head");
  require(
      options.head != HeadKind::kSampling || options.lengths.empty() || options.lengths.size() == 2,
      "a sampling head has two lengths, groups and labels in a group; got {}",
      options.lengths.size());
}

bool fits(const HeadCost& cost, const PlanOptions& options) {
  return (!options.ram_bytes || cost.train_bytes <= static_cast<double>(*options.ram_bytes)) &&
         (!options.latency_us || cost.predict_us <= *options.latency_us);
}

std::string describe(const HeadShape& shape) {
  std::string text = fmt::format("lengths {}", shape.space.describe());
  if (shape.inner_dim != shape.dim) text += fmt::format(", inner dim {}", shape.inner_dim);
  return text;
}

struct Choice {
  HeadShape shape;
  HeadCost cost;
};

[[noreturn]] void fail_budget(const PlanOptions& options, const Choice& least_ram,
                              const Choice& least_latency) {
  std::string message =
      fmt::format("no {} head for these labels fits the budget", head_kind_name(options.head));
  if (options.ram_bytes) {
    message += fmt::format("; training takes at least {} ({}), allowed are {}",
                           format_mb(least_ram.cost.train_bytes), describe(least_ram.shape),
                           format_mb(static_cast<double>(*options.ram_bytes)));
  }
  if (options.latency_us) {
    message += fmt::format("; an example takes at least {:.1f} us ({}), allowed are {:.1f} us",
                           least_latency.cost.predict_us, describe(least_latency.shape),
                           *options.latency_us);
  }
  throw Error(ErrorCode::kResourceLimit, message);
}

// As measured on a part of EURLEX57K: docs/decisions/0009.
std::string expected_loss(const Choice& chosen) {
  constexpr std::pair<std::uint64_t, double> kLosses[] = {
      {2, 0.4}, {4, 0.7}, {8, 1.0}, {16, 2.2}, {32, 5.0}};
  const std::uint64_t times = chosen.shape.dim / chosen.shape.inner_dim;
  double points = 0;
  for (const auto& [share, loss] : kLosses) {
    if (share <= times) points = loss;
  }
  return fmt::format(
      "narrower levels lose accuracy: 1/{} of the width cost {} {:.1f} points of P@5 on 11,250 "
      "rows of EURLEX57K, with 512 features",
      times, times > 32 ? "more than" : "about", points);
}

void add_note(Plan& plan, const Choice& first, const Choice& chosen) {
  plan.notes.push_back(
      fmt::format("the budget asked for {} instead of {}, which takes {} to train and {:.1f} us "
                  "an example",
                  describe(chosen.shape), describe(first.shape), format_mb(first.cost.train_bytes),
                  first.cost.predict_us));
  if (chosen.shape.inner_dim < first.shape.inner_dim) plan.notes.push_back(expected_loss(chosen));
}

Choice choose(const PlanOptions& options, std::vector<Choice>& tried) {
  for (const std::uint64_t inner_dim : labels::inner_dims(options)) {
    for (const std::uint64_t num_heads : labels::head_counts(options)) {
      const LabelSpace space = labels::space_of(options, num_heads, inner_dim);
      const HeadShape shape = {
          options.head, space, options.dim, inner_dim, labels::candidates_of(options),
          options.batch};
      tried.push_back({shape, labels::head_cost(shape, options)});
      if (fits(tried.back().cost, options)) return tried.back();
    }
  }
  const auto least = [&](double HeadCost::*what) {
    return *std::min_element(tried.begin(), tried.end(), [&](const Choice& a, const Choice& b) {
      return a.cost.*what < b.cost.*what;
    });
  };
  fail_budget(options, least(&HeadCost::train_bytes), least(&HeadCost::predict_us));
}

}  // namespace

Plan make_plan(const PlanOptions& options) {
  check_options(options);
  std::vector<Choice> tried;
  const Choice chosen = choose(options, tried);
  Plan plan;
  plan.head = options.head;
  plan.space = chosen.shape.space;
  plan.dim = options.dim;
  plan.inner_dim = chosen.shape.inner_dim;
  plan.candidates = chosen.shape.candidates;
  plan.batch = options.batch;
  if (options.head != HeadKind::kOneHot) {
    plan.confusion_degree = confusion_degree(options.head, plan.space.lengths());
  }
  plan.cost = chosen.cost;
  HeadShape one_hot = chosen.shape;
  one_hot.kind = HeadKind::kOneHot;
  plan.one_hot = labels::head_cost(one_hot, options);
  if (tried.size() > 1) add_note(plan, tried.front(), chosen);
  return plan;
}

}  // namespace mhe
