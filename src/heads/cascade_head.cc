// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// MHC with any number of levels. Its loss: at level 1 over all n_1 outputs; at each level after it
// over the children of the example's parents, all of them together, which are its true parents and
// as many of the best others as make `candidates`. Summed over the levels. Numbers that are no
// label are trained as negatives.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/parallel.h"
#include "heads/best_labels.h"
#include "heads/cascade_nodes.h"
#include "heads/flat_pass.h"
#include "heads/group_pass.h"
#include "heads/projection.h"
#include "heads/registry.h"
#include "heads/row_table.h"
#include "kernels/gemm.h"
#include "kernels/losses.h"
#include "matrix/gemm.h"

namespace mhe::heads {
namespace {

constexpr std::uint32_t kNoLabel = ~std::uint32_t{0};
constexpr std::size_t kExampleGrain = 16;

std::string level_name(std::size_t level) {
  return "level" + std::to_string(level + 1) + ".";
}

class CascadeHead final : public DenseHead {
 public:
  CascadeHead(const Context& context, HeadSpec spec, const HeadSetup& setup)
      : DenseHead(std::move(spec)),
        cascade_(std::get<CascadeSpec>(this->spec().own)),
        nodes_(this->spec()),
        optimizer_(setup.optimizer),
        layers_(setup.layers) {
    place_labels(setup);
    const std::size_t num_levels = nodes_.num_levels();
    for (std::size_t level = 0; level < num_levels; ++level) {
      const std::size_t width = level == 0 ? this->spec().dim : this->spec().inner_width();
      tables_.emplace_back(context, level_name(level), nodes_.num_nodes(level), width,
                           optimizer_.rule);
      if (level > 0 && width != this->spec().dim) {
        projections_.emplace_back(context, level_name(level), width, this->spec().dim);
      }
    }
    group_passes_.resize(num_levels - 1);
  }

  [[nodiscard]] std::vector<HeadTensor> tensors() const override {
    std::vector<HeadTensor> tensors;
    for (const RowTable& table : tables_) table.add_tensors(tensors);
    for (const Projection& projection : projections_) projection.add_tensors(tensors);
    if (!label_at_.empty()) {
      tensors.push_back(
          {"label_at", {label_at_.size()}, std::span<const std::uint32_t>(label_at_)});
    }
    return tensors;
  }

  void visit_positives(const HeadBatch& batch,
                       const std::function<void(const TruePlaces&)>& visit) override {
    for (std::size_t level = 0; level < nodes_.num_levels(); ++level) {
      find_positives(batch, level);
      const double parents = level == 0 ? 1.0 : static_cast<double>(nodes_.num_used(level - 1));
      const double chosen = level == 0 ? 1.0 : static_cast<double>(cascade_.candidates);
      visit({&tables_[level], positives_, std::min(1.0, chosen / parents), 1.0,
             level == 0 || projections_.empty() ? MatrixView() : projections_[level - 1].rows()});
    }
  }

  void visit_state(const std::function<void(const StateArray&)>& visit) override {
    for (RowTable& table : tables_) table.visit_state(visit);
    for (Projection& projection : projections_) projection.visit_state(visit);
  }

  void release_scratch() override {
    first_pass_ = FlatPass();
    group_passes_ = std::vector<GroupPass>(group_passes_.size());
    for (std::vector<float>* values :
         {&first_scores_, &projected_, &projected_gradient_, &row_gradients_}) {
      *values = std::vector<float>();
    }
  }

  void end_training() override {
    release_scratch();
    for (RowTable& table : tables_) table.end_training();
    for (Projection& projection : projections_) projection.end_training();
  }

 protected:
  double run(const Context& context, const HeadBatch& batch, const HeadStep& step,
             MatrixSpan gradient, Update update) override {
    if (batch.labels.empty()) return 0;
    layer_step_ = {step.layer_rate, step.number};
    LevelWork work;
    work.features = batch.features;
    work.loss = spec().loss;
    work.weight = 1.0F / static_cast<float>(batch.labels.size());
    if (update == Update::kYes) work.move = {&optimizer_, step.learning_rate};
    work.feature_gradient = gradient;
    double loss = run_first(context, batch, work);
    for (std::size_t level = 1; level < nodes_.num_levels(); ++level) {
      loss += run_later(context, batch, level, work);
    }
    return loss;
  }

 private:
  void place_labels(const HeadSetup& setup) {
    if (!setup.order) return;
    const LabelOrder& order = *setup.order;
    require(order.num_labels() == spec().num_labels, "the order has {} labels, the head {}",
            order.num_labels(), spec().num_labels);
    const std::vector<std::uint32_t>& lengths = spec().lengths;
    require(std::equal(lengths.begin(), lengths.end(), order.space().lengths().begin(),
                       order.space().lengths().end()),
            "the order's lengths are {}, not those of the head", order.space().describe());
    label_at_.assign(nodes_.num_positions(), kNoLabel);
    position_of_.resize(order.num_labels());
    for (const LabelId label : order.labels()) {
      const std::size_t position = order.positions()[index_of(label)];
      label_at_[position] = static_cast<std::uint32_t>(label);
      nodes_.set_end(position + 1);
      position_of_[index_of(label)] = static_cast<std::uint32_t>(position);
    }
  }

  // The distinct nodes of a level that the labels lie in: by node for the loss, by example for the
  // choice of parents.
  void find_positives(const HeadBatch& batch, std::size_t level) {
    positives_.clear();
    weights_.clear();
    true_begins_.assign(1, 0);
    true_nodes_.clear();
    for (std::size_t example = 0; example < batch.labels.size(); ++example) {
      const auto first = static_cast<std::ptrdiff_t>(true_nodes_.size());
      for (const LabelId label : batch.labels[example]) {
        const std::size_t position =
            position_of_.empty() ? index_of(label) : position_of_[index_of(label)];
        true_nodes_.push_back(static_cast<std::uint32_t>(nodes_.node_of(position, level)));
      }
      std::sort(true_nodes_.begin() + first, true_nodes_.end());
      true_nodes_.erase(std::unique(true_nodes_.begin() + first, true_nodes_.end()),
                        true_nodes_.end());
      const std::size_t count = true_nodes_.size() - true_begins_.back();
      weights_.push_back(count == 0 ? 0.0F : 1.0F / static_cast<float>(count));
      true_begins_.push_back(true_nodes_.size());
      for (const std::uint32_t node : true_of(example)) {
        positives_.push_back({node, static_cast<std::uint32_t>(example)});
      }
    }
    sort_positives_(positives_, nodes_.num_nodes(level), [](const Positive& p) { return p.row; });
  }

  [[nodiscard]] std::span<const std::uint32_t> true_of(std::size_t example) const {
    return std::span(true_nodes_)
        .subspan(true_begins_[example], true_begins_[example + 1] - true_begins_[example]);
  }

  double run_first(const Context& context, const HeadBatch& batch, LevelWork& work) {
    find_positives(batch, 0);
    work.targets = {positives_, weights_};
    const RowRange all = {0, nodes_.length(0)};
    first_pass_.select({&all, 1}, spec().dim);
    first_pass_.score(context, tables_[0], batch.features);
    choose_first_parents(context, batch.labels.size());
    return first_pass_.backward(context, tables_[0], work);
  }

  double run_later(const Context& context, const HeadBatch& batch, std::size_t level,
                   LevelWork& work) {
    GroupPass& pass = group_passes_[level - 1];
    pass.select(pairs_, nodes_.num_nodes(level), nodes_.length(level), batch.labels.size());
    find_positives(batch, level);
    work.targets = {positives_, weights_};
    const MatrixSpan outer_gradient = work.feature_gradient;
    if (!projections_.empty()) project(context, batch.features, level, work);
    const bool is_last = level + 1 == nodes_.num_levels();
    if (!is_last || work.loss == Loss::kSoftmax) {
      pass.score(context, tables_[level], work.features,
                 is_last ? GroupPass::Groups::kShared : GroupPass::Groups::kAll);
      if (work.loss == Loss::kSoftmax) pass.normalize(context);
    }
    if (!is_last) choose_later_parents(context, pass, level);
    const double loss = pass.backward(context, tables_[level], work);
    if (!projections_.empty()) {
      work.features = batch.features;
      unproject(context, level, outer_gradient, work);
    }
    return loss;
  }

  // Features as the level sees them, and room for their gradient.
  void project(const Context& context, const MatrixView& features, std::size_t level,
               LevelWork& work) {
    const std::size_t width = spec().inner_width();
    projected_.resize(features.num_rows * width);
    projected_gradient_.assign(features.num_rows * width, 0.0F);
    const MatrixSpan projected = {projected_.data(), features.num_rows, width};
    multiply(context, rows_of(features), transpose_of(projections_[level - 1].rows()), spec().dim,
             projected);
    work.features = projected;
    work.feature_gradient = {projected_gradient_.data(), features.num_rows, width};
  }

  void unproject(const Context& context, std::size_t level, const MatrixSpan& gradient,
                 LevelWork& work) {
    Projection& projection = projections_[level - 1];
    const MatrixView inner = work.feature_gradient;
    multiply(context, rows_of(inner), rows_of(projection.rows()), spec().inner_width(), gradient,
             Sum::kAdd);
    work.feature_gradient = gradient;
    if (work.move.optimizer == nullptr) return;
    row_gradients_.resize(projection.rows().size());
    const MatrixSpan rows = {row_gradients_.data(), spec().inner_width(), spec().dim};
    multiply(context, transpose_of(inner), rows_of(work.features), inner.num_rows, rows);
    projection.update(context, rows, layers_, layer_step_);
  }

  // Pairs of an example with its true nodes and the best others, K in all, or more if more are
  // true. `offer(best)` offers all candidates; `path_of(node)` is the score of a node's path.
  template <class Offer, class PathOf>
  void choose(std::size_t example, BestK& best, std::vector<Pair>& pairs, const Offer& offer,
              const PathOf& path_of) const {
    const std::span<const std::uint32_t> nodes = true_of(example);
    const auto id = static_cast<std::uint32_t>(example);
    for (const std::uint32_t node : nodes) pairs.push_back({node, id, path_of(node)});
    best.reset(cascade_.candidates > nodes.size() ? cascade_.candidates - nodes.size() : 0);
    offer(best);
    for (const Scored& other : best.sort()) pairs.push_back({other.id, id, other.score});
  }

  void offer_nodes(BestK& best, std::size_t example, const float* scores, std::size_t first,
                   std::size_t size) const {
    const std::span<const std::uint32_t> true_nodes = true_of(example);
    for (std::size_t i = 0; i < size; ++i) {
      if (!best.may_enter(scores[i])) continue;
      const auto node = static_cast<std::uint32_t>(first + i);
      if (std::binary_search(true_nodes.begin(), true_nodes.end(), node)) continue;
      best.offer({scores[i], node});
    }
  }

  // `prepare(examples)` comes before the choices of some.
  template <class Prepare, class Choose>
  void choose_for_all(const Context& context, std::size_t batch, const Prepare& prepare,
                      const Choose& choose_for) {
    const std::size_t num_blocks = (batch + kExampleGrain - 1) / kExampleGrain;
    std::vector<std::vector<Pair>> chosen(num_blocks);
    parallel_blocks(context, batch, kExampleGrain, [&](const Block& examples) {
      BestK best;
      prepare(examples);
      for (std::size_t example = examples.begin; example < examples.end; ++example) {
        choose_for(example, best, chosen[examples.index]);
      }
    });
    pairs_.clear();
    for (const std::vector<Pair>& part : chosen) {
      pairs_.insert(pairs_.end(), part.begin(), part.end());
    }
  }

  void choose_first_parents(const Context& context, std::size_t batch) {
    const std::size_t length = nodes_.length(0);
    const std::size_t used = nodes_.num_used(0);
    first_scores_.resize(batch * length);
    const auto turn = [&](const Block& examples) {
      kernels::transpose(first_pass_.scores().data() + examples.begin, batch, length,
                         examples.end - examples.begin,
                         first_scores_.data() + examples.begin * length, length);
    };
    choose_for_all(
        context, batch, turn, [&](std::size_t example, BestK& best, std::vector<Pair>& pairs) {
          float* scores = first_scores_.data() + example * length;
          to_log_probabilities(scores, length);
          choose(
              example, best, pairs, [&](BestK& to) { offer_nodes(to, example, scores, 0, used); },
              [&](std::uint32_t node) { return scores[node]; });
        });
  }

  void to_log_probabilities(float* scores, std::size_t size) const {
    if (spec().loss == Loss::kSigmoid) return kernels::log_sigmoid(scores, size);
    const kernels::MaxSum all = kernels::max_sum(scores, size);
    const float log_sum =
        all.max + static_cast<float>(kernels::portable_log(static_cast<double>(all.sum)));
    for (std::size_t i = 0; i < size; ++i) scores[i] -= log_sum;
  }

  void choose_later_parents(const Context& context, const GroupPass& pass, std::size_t level) {
    const std::size_t length = nodes_.length(level);
    const std::size_t used = nodes_.num_used(level);
    choose_for_all(
        context, true_begins_.size() - 1, [](const Block& /*examples*/) {},
        [&](std::size_t example, BestK& best, std::vector<Pair>& pairs) {
          const std::span<const std::uint32_t> own = pass.pairs_of(example);
          std::vector<float> scores(own.size() * length);
          for (std::size_t i = 0; i < own.size(); ++i) {
            float* of_pair = scores.data() + i * length;
            std::copy_n(pass.scores(own[i]).data(), length, of_pair);
            if (spec().loss == Loss::kSigmoid) kernels::log_sigmoid(of_pair, length);
            const float add = cascade_.parent_power * pass.pairs()[own[i]].path -
                              (spec().loss == Loss::kSigmoid ? 0.0F : pass.log_sum(example));
            for (std::size_t j = 0; j < length; ++j) of_pair[j] += add;
          }
          choose(
              example, best, pairs,
              [&](BestK& to) {
                for (std::size_t i = 0; i < own.size(); ++i) {
                  const std::size_t first = pass.pairs()[own[i]].parent * length;
                  if (first >= used) continue;
                  offer_nodes(to, example, scores.data() + i * length, first,
                              std::min(length, used - first));
                }
              },
              [&](std::uint32_t node) {
                std::size_t i = 0;
                while (pass.pairs()[own[i]].parent != node / length) ++i;
                return scores[i * length + node % length];
              });
        });
  }

  const CascadeSpec& cascade_;  // of the spec
  CascadeNodes nodes_;
  TableOptimizer optimizer_;
  LayerOptimizer layers_;
  LayerStep layer_step_;
  std::vector<std::uint32_t> position_of_;  // [label]; empty: the label itself
  std::vector<std::uint32_t> label_at_;     // [position]
  std::vector<RowTable> tables_;            // [level]
  std::vector<Projection> projections_;     // [level - 1], or none
  FlatPass first_pass_;
  std::vector<GroupPass> group_passes_;  // [level - 1]
  std::vector<Pair> pairs_;              // for the next level
  std::vector<Positive> positives_;
  SortByKey<Positive> sort_positives_;
  std::vector<float> weights_;
  std::vector<std::size_t> true_begins_;
  std::vector<std::uint32_t> true_nodes_;
  std::vector<float> first_scores_;  // [example][node]
  std::vector<float> projected_;
  std::vector<float> projected_gradient_;
  std::vector<float> row_gradients_;
};

std::unique_ptr<DenseHead> make_cascade_head(const Context& context, HeadSpec spec,
                                             const HeadSetup& setup) {
  std::get<CascadeSpec>(spec.own).inner_dim = spec.inner_width();
  return std::make_unique<CascadeHead>(context, std::move(spec), setup);
}

}  // namespace

constexpr std::string_view kCascadeOptions[] = {"heads",      "lengths",      "leaf",
                                                "candidates", "beam",         "parent_weight",
                                                "inner_dim",  "order_epochs", "order"};

const HeadType kCascadeHead = {.own = CascadeSpec(),
                               .options = kCascadeOptions,
                               .make = make_cascade_head,
                               .open = make_cascade_search,
                               .weight_bytes = cascade_weight_bytes,
                               .training_bytes = cascade_training_bytes};

}  // namespace mhe::heads
