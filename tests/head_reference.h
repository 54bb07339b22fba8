// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// One step of a head with dense rows, slowly, in double and straight from the equations: what the
// heads are tested against.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heads/dense_head.h"

namespace mhe::testing {

/// A table of a head and its gradient.
struct ReferenceTable {
  std::size_t dim = 0;
  std::vector<double> rows;
  std::vector<double> biases;  // none: a projection
  std::vector<double> row_gradients;
  std::vector<double> bias_gradients;

  [[nodiscard]] double score(std::size_t row, const std::vector<double>& x) const {
    double sum = biases.empty() ? 0 : biases[row];
    for (std::size_t i = 0; i < dim; ++i) sum += rows[row * dim + i] * x[i];
    return sum;
  }
  /// d(score) = g: adds to the gradients of the row and of the features.
  void add_gradient(std::size_t row, double g, const std::vector<double>& x,
                    std::vector<double>& x_gradient) {
    for (std::size_t i = 0; i < dim; ++i) {
      row_gradients[row * dim + i] += g * x[i];
      x_gradient[i] += g * rows[row * dim + i];
    }
    if (!biases.empty()) bias_gradients[row] += g;
  }
};

/// Tables by the beginning of their tensors' names, such as "" and "level1."; projections by
/// "level2.projection".
using ReferenceTables = std::map<std::string, ReferenceTable>;

inline ReferenceTables reference_tables(const heads::DenseHead& head) {
  ReferenceTables tables;
  for (const heads::HeadTensor& tensor : head.tensors()) {
    const auto* floats = std::get_if<std::span<const float>>(&tensor.data);
    if (floats == nullptr) continue;
    const std::vector<double> values(floats->begin(), floats->end());
    const std::size_t dot = tensor.name.rfind('.') + 1;  // 0 without a dot
    const std::string last = tensor.name.substr(dot);
    if (last == "bias") {
      ReferenceTable& table = tables[tensor.name.substr(0, dot)];
      table.biases = values;
      table.bias_gradients.assign(values.size(), 0);
    } else {
      ReferenceTable& table = tables[last == "table" ? tensor.name.substr(0, dot) : tensor.name];
      table.dim = tensor.shape[1];
      table.rows = values;
      table.row_gradients.assign(values.size(), 0);
    }
  }
  return tables;
}

struct ReferenceResult {
  double loss = 0;
  std::vector<std::vector<double>> feature_gradients;
  ReferenceTables tables;
};

/// The loss of scores of which some are true, and its gradient: the mean over the true ones of
/// their cross-entropy, or the sum of binary cross-entropies.
inline double reference_loss(heads::Loss loss, const std::vector<double>& scores,
                             const std::vector<bool>& is_true, std::vector<double>& gradient) {
  gradient.assign(scores.size(), 0);
  double result = 0;
  if (loss == heads::Loss::kSigmoid) {
    for (std::size_t i = 0; i < scores.size(); ++i) {
      result += std::log1p(std::exp(scores[i])) - (is_true[i] ? scores[i] : 0);
      gradient[i] = 1 / (1 + std::exp(-scores[i])) - (is_true[i] ? 1 : 0);
    }
    return result;
  }
  const auto num_true = static_cast<double>(std::count(is_true.begin(), is_true.end(), true));
  if (num_true == 0) return 0;
  double sum = 0;
  for (const double score : scores) sum += std::exp(score);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (is_true[i]) result += (std::log(sum) - scores[i]) / num_true;
    gradient[i] = std::exp(scores[i]) / sum - (is_true[i] ? 1 / num_true : 0);
  }
  return result;
}

/// The rows that an example is scored on: loss times `weight` and all gradients. `shift_of(row)` is
/// added to a row's score. Returns the scores.
inline std::vector<double> reference_level(
    heads::Loss loss, double weight, const std::vector<std::size_t>& rows,
    const std::set<std::size_t>& true_rows, const std::vector<double>& x, ReferenceTable& table,
    std::vector<double>& x_gradient, double& total,
    const std::function<double(std::size_t)>& shift_of = [](std::size_t) { return 0.0; }) {
  std::vector<double> scores;
  std::vector<bool> is_true;
  for (const std::size_t row : rows) {
    scores.push_back(table.score(row, x) + shift_of(row));
    is_true.push_back(true_rows.count(row) > 0);
  }
  std::vector<double> gradient;
  total += weight * reference_loss(loss, scores, is_true, gradient);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    table.add_gradient(rows[i], weight * gradient[i], x, x_gradient);
  }
  return scores;
}

/// log of a node's probability among those it was scored with.
inline double reference_log_probability(heads::Loss loss, const std::vector<double>& scores,
                                        std::size_t i) {
  if (loss == heads::Loss::kSigmoid) return -std::log1p(std::exp(-scores[i]));
  double sum = 0;
  for (const double score : scores) sum += std::exp(score);
  return scores[i] - std::log(sum);
}

/// Where labels stand: [label]; empty: the label itself.
using Positions = std::vector<std::uint64_t>;

/// The first position beyond all labels: from there on there are only phantoms.
inline std::uint64_t end_of(const Positions& positions, std::uint64_t num_labels) {
  return positions.empty() ? num_labels : *std::max_element(positions.begin(), positions.end()) + 1;
}

/// What an example of a one-hot or sampling head is scored on. `chance`: that of a group to be
/// among the rows if no label of the example is in it; where it is given, rows of other groups
/// count as often as they are missing.
struct ReferenceRows {
  std::vector<std::size_t> rows;
  double chance = 1;
};

/// One-hot and MHS: each example against rows of its own.
inline ReferenceResult reference_rows(const heads::DenseHead& head, const heads::HeadBatch& batch,
                                      const std::vector<ReferenceRows>& scored,
                                      const Positions& positions) {
  const std::size_t group_size = head.spec().lengths.back();
  ReferenceResult result;
  result.tables = reference_tables(head);
  const double weight = 1.0 / static_cast<double>(batch.labels.size());
  for (std::size_t e = 0; e < batch.labels.size(); ++e) {
    const std::vector<double> x(batch.features[e].begin(), batch.features[e].end());
    std::set<std::size_t> true_rows;
    for (const LabelId label : batch.labels[e]) {
      true_rows.insert(positions.empty() ? index_of(label) : positions[index_of(label)]);
    }
    std::set<std::size_t> own_groups;
    for (const std::size_t row : true_rows) own_groups.insert(row / group_size);
    std::vector<double> gradient(x.size());
    // The example's own groups times the chance, for the others divided by it: the same softmax.
    const double log_chance = std::log(scored[e].chance);
    reference_level(head.spec().loss, weight, scored[e].rows, true_rows, x, result.tables[""],
                    gradient, result.loss, [&](std::size_t row) {
                      return own_groups.count(row / group_size) > 0 ? log_chance : 0.0;
                    });
    result.feature_gradients.push_back(gradient);
  }
  return result;
}

/// The same with all examples against the same rows.
inline ReferenceResult reference_flat(const heads::DenseHead& head, const heads::HeadBatch& batch,
                                      const std::vector<std::size_t>& rows,
                                      const Positions& positions, double chance = 1) {
  return reference_rows(head, batch,
                        std::vector<ReferenceRows>(batch.labels.size(), {rows, chance}), positions);
}

/// MHC for one example: adds to the result.
class ReferenceCascade {
 public:
  /// Nodes whose positions lie at `end` or beyond are never chosen.
  ReferenceCascade(const heads::HeadSpec& spec, std::uint64_t end, ReferenceResult& result)
      : spec_(spec), cascade_(*spec.as<heads::CascadeSpec>()), end_(end), result_(result) {}

  void add(const std::vector<double>& x, const std::vector<std::uint64_t>& positions,
           double weight) {
    std::vector<double> gradient(x.size());
    std::uint64_t stride = 1;
    for (const std::uint32_t length : spec_.lengths) stride *= length;
    std::vector<std::size_t> parents = {0};  // the root
    std::vector<double> paths = {0};
    for (std::size_t level = 0; level < spec_.lengths.size(); ++level) {
      const std::size_t length = spec_.lengths[level];
      stride /= length;
      std::set<std::size_t> true_nodes;
      for (const std::uint64_t position : positions) true_nodes.insert(position / stride);
      std::vector<std::size_t> nodes;
      for (const std::size_t parent : parents) {
        for (std::size_t j = 0; j < length; ++j) nodes.push_back(parent * length + j);
      }
      const std::vector<double> scores = run_level(level, nodes, true_nodes, x, weight, gradient);
      choose(stride, nodes, true_nodes, scores, parents, paths);
    }
    result_.feature_gradients.push_back(gradient);
  }

 private:
  std::vector<double> run_level(std::size_t level, const std::vector<std::size_t>& nodes,
                                const std::set<std::size_t>& true_nodes,
                                const std::vector<double>& x, double weight,
                                std::vector<double>& gradient) {
    const std::string name = "level" + std::to_string(level + 1) + ".";
    ReferenceTable& table = result_.tables[name];
    if (level == 0 || spec_.inner_width() == spec_.dim) {
      return reference_level(spec_.loss, weight, nodes, true_nodes, x, table, gradient,
                             result_.loss);
    }
    ReferenceTable& projection = result_.tables[name + "projection"];
    std::vector<double> inner(spec_.inner_width());
    std::vector<double> inner_gradient(spec_.inner_width());
    for (std::size_t i = 0; i < inner.size(); ++i) inner[i] = projection.score(i, x);
    const std::vector<double> scores = reference_level(spec_.loss, weight, nodes, true_nodes, inner,
                                                       table, inner_gradient, result_.loss);
    for (std::size_t i = 0; i < inner.size(); ++i) {
      projection.add_gradient(i, inner_gradient[i], x, gradient);
    }
    return scores;
  }

  // The true nodes, and the best others until there are K; `parents` ascend.
  void choose(std::uint64_t stride, const std::vector<std::size_t>& nodes,
              const std::set<std::size_t>& true_nodes, const std::vector<double>& scores,
              std::vector<std::size_t>& parents, std::vector<double>& paths) const {
    const std::size_t length = nodes.size() / parents.size();
    std::vector<std::pair<double, std::size_t>> ranked;
    std::map<std::size_t, double> path_of;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      path_of[nodes[i]] = reference_log_probability(spec_.loss, scores, i) +
                          cascade_.parent_power * paths[i / length];
      if (true_nodes.count(nodes[i]) == 0 && nodes[i] * stride < end_) {
        ranked.emplace_back(-path_of[nodes[i]], nodes[i]);
      }
    }
    std::sort(ranked.begin(), ranked.end());
    std::set<std::size_t> chosen = true_nodes;
    for (const auto& [score, node] : ranked) {
      if (chosen.size() < cascade_.candidates) chosen.insert(node);
    }
    parents.assign(chosen.begin(), chosen.end());
    paths.clear();
    for (const std::size_t node : parents) paths.push_back(path_of[node]);
  }

  const heads::HeadSpec& spec_;
  const heads::CascadeSpec& cascade_;
  std::uint64_t end_;
  ReferenceResult& result_;
};

/// MHC.
inline ReferenceResult reference_cascade(const heads::DenseHead& head,
                                         const heads::HeadBatch& batch,
                                         const Positions& positions) {
  ReferenceResult result;
  result.tables = reference_tables(head);
  ReferenceCascade cascade(head.spec(), end_of(positions, head.spec().num_labels), result);
  for (std::size_t e = 0; e < batch.labels.size(); ++e) {
    std::vector<std::uint64_t> own;
    for (const LabelId label : batch.labels[e]) {
      own.push_back(positions.empty() ? index_of(label) : positions[index_of(label)]);
    }
    cascade.add({batch.features[e].begin(), batch.features[e].end()}, own,
                1.0 / static_cast<double>(batch.labels.size()));
  }
  return result;
}

}  // namespace mhe::testing
