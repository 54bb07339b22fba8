// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "labels/head_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace mhe::labels {
namespace {

constexpr double kFloatBytes = 4;
constexpr double kRowStateBytes = kFloatBytes;  // of every rule: one number a row

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
  // The levels take turns with the gradient of a projection.
  double state = kRowStateBytes * layout.projected;
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
    state += kRowStateBytes * table.rows;
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
