// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "labels/head_shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/checked.h"
#include "labels/head_lengths.h"

namespace mhe::labels {
namespace {

constexpr std::array<std::pair<HeadKind, std::string_view>, 4> kHeadNames = {{
    {HeadKind::kOneHot, "onehot"},
    {HeadKind::kProduct, "product"},
    {HeadKind::kCascade, "cascade"},
    {HeadKind::kSampling, "sampling"},
}};
constexpr std::uint64_t kDefaultParents = 20;     // docs/decisions/0009 has other values
constexpr std::uint64_t kNarrowestInnerDim = 16;  // one AVX-512 register of floats
constexpr std::size_t kBitsPerHead = 5;           // Table 1: 5 bits a head on COCO, 4 on VOC
// A batch of a sampling head touches at most an eighth of the groups: the speed-up of Fig. 7.
constexpr std::uint64_t kGroupsPerTouched = 8;
// But it scores about so many labels, where there are as many: fewer save no time worth having.
constexpr double kLeastScored = 2048;

constexpr double kFloatBytes = 4;

// One table of rows: what is stored and how much of it an example touches.
struct Table {
  double rows = 0;
  double width = 0;
  double train_outputs = 0;
  double predict_outputs = 0;
};

struct Layout {
  std::vector<Table> tables;
  double projections = 0;  // weights of the dense maps from d to d_h
  double projected = 0;    // their outputs, a row of weights each
};

std::vector<Table> cascade_tables(const HeadShape& shape) {
  std::vector<Table> tables;
  double parents = 1;
  for (const std::uint32_t length : shape.space.lengths()) {
    const bool first = tables.empty();
    const double outputs = std::min(parents, static_cast<double>(shape.candidates)) * length;
    parents *= length;
    tables.push_back(
        {parents, static_cast<double>(first ? shape.dim : shape.inner_dim), outputs, outputs});
  }
  return tables;
}

Layout layout_of(const HeadShape& shape) {
  const auto dim = static_cast<double>(shape.dim);
  const std::span<const std::uint32_t> lengths = shape.space.lengths();
  Layout layout;
  switch (shape.kind) {
    case HeadKind::kOneHot: {
      const double labels = count_labels(shape.space);
      layout.tables = {{labels, dim, labels, labels}};
      break;
    }
    case HeadKind::kProduct: {
      double sum = 0;
      for (const std::uint32_t length : lengths) sum += length;
      layout.tables = {{sum, dim, sum, sum}};
      break;
    }
    case HeadKind::kCascade:
      layout.tables = cascade_tables(shape);
      if (shape.inner_dim != shape.dim) {
        const auto later_heads = static_cast<double>(lengths.size() - 1);
        layout.projected = later_heads * static_cast<double>(shape.inner_dim);
        layout.projections = layout.projected * dim;
      }
      break;
    case HeadKind::kSampling: {
      const double touched = std::min<double>(
          lengths[0], static_cast<double>(shape.candidates) * static_cast<double>(shape.batch));
      const double labels = count_labels(shape.space);
      layout.tables = {{double{1} * lengths[0] * lengths[1], dim, touched * lengths[1], labels}};
      break;
    }
  }
  return layout;
}

}  // namespace

std::uint64_t candidates_of(const PlanOptions& options) {
  if (options.head == HeadKind::kCascade) return options.candidates.value_or(kDefaultParents);
  return options.head == HeadKind::kSampling ? options.candidates.value_or(1) : 0;
}

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
    most = std::max<std::uint64_t>(fewest, max_heads(options.num_labels));
  }
  std::vector<std::uint64_t> counts;
  const bool groups = options.head == HeadKind::kSampling;
  for (std::uint64_t n = fewest; n <= most; n = groups ? 2 * n : n + 1) counts.push_back(n);
  return counts;
}

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
      return {count, balanced_lengths(count, num_heads)};
    case HeadKind::kCascade:
      return {count, cascade_lengths(count, num_heads,
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

double count_labels(const LabelSpace& space) {
  if (space.num_labels()) return static_cast<double>(*space.num_labels());
  double last = 0;
  for (std::size_t h = 0; h < space.num_heads(); ++h) {
    last = last * space.lengths()[h] + space.last_label()[h];
  }
  return last + 1;
}

HeadCost head_cost(const HeadShape& shape, const PlanOptions& machine) {
  const Layout layout = layout_of(shape);
  HeadCost cost;
  cost.parameters = layout.projections;
  cost.model_bytes = kFloatBytes * layout.projections;
  cost.predict_flops = 2 * layout.projections;
  cost.predict_bytes = kFloatBytes * layout.projections;
  double train_forward = 2 * layout.projections;
  // The levels take turns with the gradient of a projection; each has two moments a weight.
  double state = 2 * kFloatBytes * layout.projections;
  if (layout.projections > 0) {
    state += kFloatBytes * static_cast<double>(shape.dim) * static_cast<double>(shape.inner_dim);
  }
  double scores = 2 * (static_cast<double>(shape.dim) + layout.projected);  // F and its gradient
  for (const Table& table : layout.tables) {
    const double row_bytes = kFloatBytes * (table.width + 1);  // with its bias
    cost.parameters += table.rows * (table.width + 1);
    cost.model_bytes += table.rows * row_bytes;
    cost.predict_flops += 2 * table.predict_outputs * table.width;
    cost.predict_bytes += table.predict_outputs * row_bytes;
    train_forward += 2 * table.train_outputs * table.width;
    const double vectors = static_cast<double>(machine.state_vectors);
    state +=
        machine.state_vectors == 0 ? kFloatBytes * table.rows : vectors * table.rows * row_bytes;
    scores += table.train_outputs;  // gradients overwrite them
  }
  cost.train_flops = 3 * train_forward;  // scores, gradient of F, gradient of the weights
  cost.train_bytes =
      cost.model_bytes + state + kFloatBytes * static_cast<double>(shape.batch) * scores;
  cost.predict_us = std::max(cost.predict_flops / (machine.gflops * 1e3),
                             cost.predict_bytes / (machine.memory_gb_per_s * 1e3));
  return cost;
}

}  // namespace mhe::labels

namespace mhe {

std::string_view head_kind_name(HeadKind kind) noexcept {
  return labels::kHeadNames[static_cast<std::size_t>(kind)].second;
}

HeadKind parse_head_kind(std::string_view name) {
  for (const auto& [kind, kind_name] : labels::kHeadNames) {
    if (kind_name == name) return kind;
  }
  fail(ErrorCode::kInvalidArgument,
       "\"{}\" is no kind of head; expected onehot, product, cascade or sampling", name);
}

double confusion_degree(HeadKind kind, std::span<const std::uint32_t> lengths) {
  std::vector<double> n(lengths.begin(), lengths.end());
  // Length j (from 1) occurs j - 1 times above and, but for the last, once below: the exponents
  // rise with j, so the arrangement with the greatest D is the ascending one.
  if (kind == HeadKind::kProduct) std::sort(n.begin(), n.end());
  double degree = 1;
  double tail = 1;
  for (std::size_t h = n.size(); h-- > 1;) {
    tail *= n[h];
    degree *= tail / n[h - 1];
  }
  return degree;
}

}  // namespace mhe
