// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <mhe/plan.h>

#include "base/check.h"
#include "base/checked.h"
#include "labels/head_cost.h"
#include "labels/head_lengths.h"

namespace mhe {
namespace {

using labels::HeadShape;

constexpr std::array<std::pair<HeadKind, std::string_view>, 4> kHeadNames = {{
    {HeadKind::kOneHot, "onehot"},
    {HeadKind::kProduct, "product"},
    {HeadKind::kCascade, "cascade"},
    {HeadKind::kSampling, "sampling"},
}};
constexpr std::uint64_t kMaxDim = std::uint64_t{1} << 24;
constexpr std::uint64_t kMaxBatch = std::uint64_t{1} << 24;
constexpr std::uint64_t kDefaultParents = 20;     // docs/decisions/0009 has other values
constexpr std::uint64_t kNarrowestInnerDim = 16;  // one AVX-512 register of floats
constexpr std::size_t kBitsPerHead = 5;           // the paper: 5 bits a head on COCO, 4 on VOC
// A batch of a sampling head touches at most an eighth of the groups: the paper's speed-up.
constexpr std::uint64_t kGroupsPerTouched = 8;
// But it scores about so many labels, where there are as many: fewer save no time worth having.
constexpr double kLeastScored = 2048;

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

std::uint64_t candidates_of(const PlanOptions& options) {
  if (options.head == HeadKind::kCascade) return options.candidates.value_or(kDefaultParents);
  return options.head == HeadKind::kSampling ? options.candidates.value_or(1) : 0;
}

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b == 0 ? 0 : 1);
}

// The numbers of heads to try, fewest first; for sampling, of groups.
std::vector<std::uint64_t> head_counts(const PlanOptions& options) {
  if (options.head == HeadKind::kOneHot || !options.lengths.empty()) return {1};
  if (options.num_heads > 0) return {options.num_heads};
  std::uint64_t fewest = 2;
  std::uint64_t most = 0;
  if (options.num_binary_labels > 0) {
    fewest = ceil_div(options.num_binary_labels, kBitsPerHead);
    most = std::min<std::uint64_t>(options.num_binary_labels, LabelSpace::kMaxHeads);
    fewest = std::min(fewest, most);
  } else if (options.head == HeadKind::kSampling) {
    const auto root =
        static_cast<std::uint64_t>(std::ceil(std::sqrt(static_cast<double>(options.num_labels))));
    most = ceil_div(options.num_labels, 2);
    const double touched =
        static_cast<double>(candidates_of(options)) * static_cast<double>(options.batch);
    const double size = std::max(2.0, kLeastScored / touched);
    fewest = static_cast<std::uint64_t>(
        std::min(static_cast<double>(options.num_labels) / size, kGroupsPerTouched * touched));
    fewest = std::max(root, fewest);
    most = std::max(most, fewest);
  } else {
    most = std::max<std::uint64_t>(fewest, labels::max_heads(options.num_labels));
  }
  std::vector<std::uint64_t> counts;
  const bool groups = options.head == HeadKind::kSampling;
  for (std::uint64_t n = fewest; n <= most; n = groups ? 2 * n : n + 1) counts.push_back(n);
  return counts;
}

// Widths of the later levels to try, widest first.
std::vector<std::uint64_t> inner_dims(const PlanOptions& options) {
  if (options.head != HeadKind::kCascade) return {options.dim};
  if (options.inner_dim) return {*options.inner_dim};
  std::vector<std::uint64_t> dims = {options.dim};
  while (dims.back() / 2 >= kNarrowestInnerDim) dims.push_back(dims.back() / 2);
  return dims;
}

LabelSpace space_of(const PlanOptions& options, std::uint64_t num_heads, std::uint64_t inner_dim) {
  if (options.num_binary_labels > 0) {
    if (options.lengths.empty()) {
      return LabelSpace::powerset(options.num_binary_labels, num_heads);
    }
    LabelSpace space = LabelSpace::full(options.lengths);
    require(space.num_binary_labels() == options.num_binary_labels,
            "heads of lengths {} hold {} binary labels as bits, not {}", space.describe(),
            space.num_binary_labels(), options.num_binary_labels);
    return space;
  }
  const std::uint64_t count = options.num_labels;
  if (!options.lengths.empty()) return {count, options.lengths};
  switch (options.head) {
    case HeadKind::kOneHot:
    case HeadKind::kProduct:
      return {count, labels::balanced_lengths(count, num_heads)};
    case HeadKind::kCascade:
      return {count, labels::cascade_lengths(count, num_heads,
                                             {static_cast<double>(options.dim),
                                              static_cast<double>(candidates_of(options)) *
                                                  static_cast<double>(inner_dim)})};
    case HeadKind::kSampling:
      break;
  }
  const std::uint64_t group_length = ceil_div(count, num_heads);
  // Rounding the length up may leave whole groups empty: drop them, unless they were asked for.
  if (options.num_heads == 0) num_heads = ceil_div(count, group_length);
  return {count,
          {checked_cast<std::uint32_t>(num_heads, "number of groups"),
           checked_cast<std::uint32_t>(group_length, "labels in a group")}};
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

void add_note(Plan& plan, const Choice& first, const Choice& chosen) {
  plan.notes.push_back(
      fmt::format("the budget asked for {} instead of {}, which takes {} to train and {:.1f} us "
                  "an example",
                  describe(chosen.shape), describe(first.shape), format_mb(first.cost.train_bytes),
                  first.cost.predict_us));
}

Choice choose(const PlanOptions& options, std::vector<Choice>& tried) {
  for (const std::uint64_t inner_dim : inner_dims(options)) {
    for (const std::uint64_t num_heads : head_counts(options)) {
      const LabelSpace space = space_of(options, num_heads, inner_dim);
      const HeadShape shape = {options.head,           space,         options.dim,      inner_dim,
                               candidates_of(options), options.batch};
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

std::string_view head_kind_name(HeadKind kind) noexcept {
  return kHeadNames[static_cast<std::size_t>(kind)].second;
}

HeadKind parse_head_kind(std::string_view name) {
  for (const auto& [kind, kind_name] : kHeadNames) {
    if (kind_name == name) return kind;
  }
  fail(ErrorCode::kInvalidArgument,
       "\"{}\" is no kind of head; expected onehot, product, cascade or sampling", name);
}

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
