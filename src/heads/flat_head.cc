// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// One output a label: `onehot` scores all of them, `sampling` (MHS) groups of them: those that a
// batch's labels are in and some random ones, for all examples of the batch; or for each example
// those that its own labels are in and some random ones (MHS-S).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "heads/flat_pass.h"
#include "heads/group_pass.h"
#include "heads/group_sampler.h"
#include "heads/registry.h"
#include "heads/row_table.h"

namespace mhe::heads {
namespace {

void check_spec(const HeadSpec& spec) {
  require(spec.num_labels <= std::numeric_limits<std::uint32_t>::max(),
          "{} labels are too many for one output each", spec.num_labels);
  const auto* sampling = spec.as<SamplingSpec>();
  if (sampling == nullptr) {
    require(spec.lengths.size() == 1 && spec.lengths[0] == spec.num_labels,
            "a one-hot head of {} labels has one length, their number", spec.num_labels);
    return;
  }
  require(spec.lengths.size() == 2, "sampling takes two lengths, groups and labels in a group");
  const std::uint64_t groups = spec.lengths[0];
  const std::uint64_t size = spec.lengths[1];
  require(groups * size >= spec.num_labels, "{} groups of {} do not cover {} labels", groups, size,
          spec.num_labels);
  // Groups that no label would be in are never drawn.
  const std::uint64_t used = (spec.num_labels + size - 1) / size;
  require(sampling->extra_groups < used, "{} extra groups of {}: all would be scored",
          sampling->extra_groups, used);
  require(sampling->groups_per_example <= used, "{} groups an example of {} there are",
          sampling->groups_per_example, used);
  require(sampling->groups_per_example == 0 || sampling->extra_groups == 0,
          "groups are drawn for each example or for a batch, not both");
}

class FlatHead final : public DenseHead {
 public:
  FlatHead(const Context& context, HeadSpec spec, const HeadSetup& setup)
      : DenseHead(std::move(spec)),
        sampling_(this->spec().as<SamplingSpec>()),
        optimizer_(setup.optimizer),
        weigh_groups_(setup.weigh_groups),
        table_(context, "", this->spec().num_labels, this->spec().dim, optimizer_.rule),
        sampler_(this->spec().num_labels, this->spec().lengths.back()) {
    if (!setup.order || sampling_ == nullptr) return;
    require(setup.order->num_labels() == this->spec().num_labels,
            "the order has {} labels, the head {}", setup.order->num_labels(),
            this->spec().num_labels);
    // Rows without a label would only be in the way: labels stand side by side, in their order.
    row_of_.resize(this->spec().num_labels);
    for (const LabelId label : setup.order->labels()) {
      row_of_[index_of(label)] = static_cast<std::uint32_t>(label_at_.size());
      label_at_.push_back(static_cast<std::uint32_t>(label));
    }
  }

  [[nodiscard]] std::vector<HeadTensor> tensors() const override {
    std::vector<HeadTensor> tensors;
    table_.add_tensors(tensors);
    if (!label_at_.empty()) {
      tensors.push_back(
          {"label_at", {label_at_.size()}, std::span<const std::uint32_t>(label_at_)});
    }
    return tensors;
  }

  void visit_positives(const HeadBatch& batch,
                       const std::function<void(const TruePlaces&)>& visit) override {
    find_positives(batch);
    visit({&table_, positives_, 1.0});
  }

  void visit_state(const std::function<void(const StateArray&)>& visit) override {
    table_.visit_state(visit);
  }

  void release_scratch() override {
    pass_ = FlatPass();
    group_pass_ = GroupPass();
  }

  void end_training() override {
    release_scratch();
    table_.end_training();
  }

 protected:
  double run(const Context& context, const HeadBatch& batch, const HeadStep& step,
             MatrixSpan gradient, Update update) override {
    if (batch.labels.empty()) return 0;
    find_positives(batch);
    LevelWork work;
    work.features = batch.features;
    work.targets = {positives_, weights_};
    work.loss = spec().loss;
    work.weight = 1.0F / static_cast<float>(batch.labels.size());
    if (update == Update::kYes) work.move = {&optimizer_, step.learning_rate};
    work.feature_gradient = gradient;
    RandomStream random(context.seed(), "head.groups", step.number);
    return sampling_ != nullptr && sampling_->groups_per_example > 0
               ? run_own_groups(context, work, random)
               : run_common_rows(context, work, random);
  }

 private:
  void find_positives(const HeadBatch& batch) {
    positives_.clear();
    weights_.clear();
    for (std::size_t example = 0; example < batch.labels.size(); ++example) {
      const std::span<const LabelId> labels = batch.labels[example];
      weights_.push_back(labels.empty() ? 0.0F : 1.0F / static_cast<float>(labels.size()));
      for (const LabelId label : labels) {
        const std::size_t row = row_of_.empty() ? index_of(label) : row_of_[index_of(label)];
        positives_.push_back(
            {static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(example)});
      }
    }
    std::sort(positives_.begin(), positives_.end());
  }

  // All examples against the same rows.
  double run_common_rows(const Context& context, const LevelWork& work, RandomStream random) {
    GroupShift shift;
    if (sampling_ == nullptr) {
      ranges_.assign(1, {0, table_.num_rows()});
    } else {
      sampler_.choose_for_batch(positives_, sampling_->extra_groups, random, ranges_);
      if (weigh_groups_) shift = sampler_.own_shift(positives_);
    }
    pass_.select(ranges_, spec().dim);
    if (work.loss == Loss::kSoftmax) pass_.score(context, table_, work.features, shift);
    return pass_.backward(context, table_, work);
  }

  // MHS-S: each example against its own groups.
  double run_own_groups(const Context& context, const LevelWork& work, RandomStream random) {
    const bool softmax = work.loss == Loss::kSoftmax;
    sampler_.choose_for_examples(
        positives_, work.features.num_rows, sampling_->groups_per_example - 1, random,
        softmax && weigh_groups_ ? GroupSampler::Weigh::kYes : GroupSampler::Weigh::kNo, pairs_);
    group_pass_.select(pairs_, table_.num_rows(), sampler_.group_size(), work.features.num_rows);
    if (softmax) {
      group_pass_.score(context, table_, work.features, GroupPass::Groups::kShared);
      group_pass_.normalize(context);
    }
    return group_pass_.backward(context, table_, work);
  }

  const SamplingSpec* sampling_;  // of the spec; none: all rows are scored
  TableOptimizer optimizer_;
  bool weigh_groups_;
  RowTable table_;
  GroupSampler sampler_;
  std::vector<std::uint32_t> row_of_;    // [label]; empty: the label itself
  std::vector<std::uint32_t> label_at_;  // [row]
  FlatPass pass_;
  std::vector<Positive> positives_;
  std::vector<float> weights_;
  std::vector<RowRange> ranges_;
  GroupPass group_pass_;  // of examples with their own groups
  std::vector<Pair> pairs_;
};

// Of all rows of the table; those of a short last group, too, that no label has.
std::uint64_t num_flat_rows(const HeadSpec& spec) {
  check_spec(spec);
  return std::accumulate(spec.lengths.begin(), spec.lengths.end(), std::uint64_t{1},
                         std::multiplies<>());
}

std::uint64_t flat_weight_bytes(const HeadSpec& spec) {
  return RowTable::weight_bytes(num_flat_rows(spec), spec.dim);
}

// Sigmoids are made block by block and never kept.
std::uint64_t flat_pass_bytes(const HeadSpec& spec, std::size_t ranges, std::size_t rows_per_range,
                              std::size_t batch) {
  const std::size_t work = FlatPass::work_bytes(ranges, rows_per_range, spec.dim, batch);
  if (spec.loss == Loss::kSigmoid) return work;
  return work + FlatPass::score_bytes(ranges, rows_per_range, spec.dim, batch);
}

std::uint64_t one_hot_training_bytes(const HeadSpec& spec, const BatchShape& shape) {
  return RowTable::training_bytes(num_flat_rows(spec), spec.dim, shape.rule) +
         flat_pass_bytes(spec, 1, spec.num_labels, shape.batch);
}

// Groups of a batch in the mean over batches and orders: those of its labels, and the extra ones.
double mean_groups(const HeadSpec& spec, const SamplingSpec& sampling, const BatchShape& shape) {
  const auto hit = [](double chance, double times) {
    return -std::expm1(times * std::log1p(-chance));
  };
  const Ragged<LabelId>& labels = shape.labels;
  std::vector<std::uint32_t> counts(spec.num_labels);
  for (const LabelId label : labels.items) ++counts[index_of(label)];
  double seen = 0;  // different labels of a batch
  for (const std::uint32_t count : counts) {
    seen += hit(static_cast<double>(count) / static_cast<double>(labels.rows()),
                static_cast<double>(std::min(shape.batch, labels.rows())));
  }
  const double all = spec.lengths[0];
  const double share = hit(seen / static_cast<double>(spec.num_labels), spec.lengths[1]);
  return std::min(all, std::ceil(all * share) + static_cast<double>(sampling.extra_groups));
}

// Of the groups that each example is scored on alone.
std::uint64_t own_group_bytes(const HeadSpec& spec, const SamplingSpec& sampling,
                              const BatchShape& shape) {
  // As if no two labels of an example shared a group, which nearly holds with many groups.
  const double own =
      static_cast<double>(shape.labels.items.size()) / static_cast<double>(shape.labels.rows());
  const double groups =
      std::min<double>(spec.lengths[0], own + static_cast<double>(sampling.groups_per_example) - 1);
  const double kept = spec.loss == Loss::kSoftmax ? spec.lengths[1] : 0;
  return static_cast<std::uint64_t>(sizeof(float) * groups * static_cast<double>(shape.batch) *
                                    (static_cast<double>(spec.dim) + kept));
}

std::uint64_t sampling_training_bytes(const HeadSpec& spec, const BatchShape& shape) {
  const auto& sampling = std::get<SamplingSpec>(spec.own);
  const std::uint64_t table = RowTable::training_bytes(num_flat_rows(spec), spec.dim, shape.rule);
  if (sampling.groups_per_example > 0) return table + own_group_bytes(spec, sampling, shape);
  const double groups = mean_groups(spec, sampling, shape);
  // Neighbours make one range: it begins where the group before was not drawn.
  const double all = spec.lengths[0];
  const double ranges = std::ceil(groups * (all - groups + 1) / all);
  const double rows_per_range = std::ceil(groups / ranges * spec.lengths[1]);
  return table + flat_pass_bytes(spec, static_cast<std::size_t>(ranges),
                                 static_cast<std::size_t>(rows_per_range), shape.batch);
}

std::unique_ptr<DenseHead> make_flat_head(const Context& context, HeadSpec spec,
                                          const HeadSetup& setup) {
  check_spec(spec);
  return std::make_unique<FlatHead>(context, std::move(spec), setup);
}

}  // namespace

const HeadType kOneHotHead = {.own = OneHotSpec(),
                              .options = {},
                              .make = make_flat_head,
                              .open = make_flat_search,
                              .weight_bytes = flat_weight_bytes,
                              .training_bytes = one_hot_training_bytes};

constexpr std::string_view kSamplingOptions[] = {
    "heads",        "lengths",      "extra_groups", "groups_per_example",
    "weigh_groups", "order_epochs", "order"};

const HeadType kSamplingHead = {.own = SamplingSpec(),
                                .options = kSamplingOptions,
                                .make = make_flat_head,
                                .open = make_flat_search,
                                .weight_bytes = flat_weight_bytes,
                                .training_bytes = sampling_training_bytes};

}  // namespace mhe::heads
