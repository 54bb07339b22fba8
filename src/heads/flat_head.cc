// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// One output a label: `onehot` scores all of them, `sampling` (MHS) groups of them: those that a
// batch's labels are in and some random ones, for all examples of the batch; or for each example
// those that its own labels are in and some random ones (MHS-S).
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "heads/flat_pass.h"
#include "heads/group_pass.h"
#include "heads/group_sampler.h"
#include "heads/make_heads.h"
#include "heads/row_table.h"

namespace mhe::heads {
namespace {

void check_spec(const HeadSpec& spec) {
  require(spec.num_labels <= std::numeric_limits<std::uint32_t>::max(),
          "{} labels are too many for one output each", spec.num_labels);
  if (spec.kind == HeadKind::kOneHot) {
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
  require(spec.extra_groups < used, "{} extra groups of {}: all would be scored", spec.extra_groups,
          used);
  require(spec.groups_per_example <= used, "{} groups an example of {} there are",
          spec.groups_per_example, used);
  require(spec.groups_per_example == 0 || spec.extra_groups == 0,
          "groups are drawn for each example or for a batch, not both");
}

class FlatHead final : public DenseHead {
 public:
  FlatHead(const Context& context, HeadSpec spec, HeadSetup setup)
      : DenseHead(std::move(spec)),
        optimizer_(setup.optimizer),
        weigh_groups_(setup.weigh_groups),
        table_(context, "", this->spec().num_labels, this->spec().dim),
        sampler_(this->spec().num_labels, this->spec().lengths.back()) {
    if (!setup.order || this->spec().kind == HeadKind::kOneHot) return;
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
    return spec().groups_per_example > 0 ? run_own_groups(context, work, random)
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
    if (spec().kind == HeadKind::kOneHot) {
      ranges_.assign(1, {0, table_.num_rows()});
    } else {
      sampler_.choose_for_batch(positives_, spec().extra_groups, random, ranges_);
      if (weigh_groups_) shift = sampler_.own_shift(positives_);
    }
    pass_.select(ranges_, spec().dim);
    if (work.loss == Loss::kSoftmax) pass_.score(context, table_, work.features, shift);
    return pass_.backward(context, table_, work);
  }

  // MHS-S: each example against groups of its own.
  double run_own_groups(const Context& context, const LevelWork& work, RandomStream random) {
    const bool softmax = work.loss == Loss::kSoftmax;
    sampler_.choose_for_examples(
        positives_, work.features.num_rows, spec().groups_per_example - 1, random,
        softmax && weigh_groups_ ? GroupSampler::Weigh::kYes : GroupSampler::Weigh::kNo, pairs_);
    group_pass_.select(pairs_, table_.num_rows(), sampler_.group_size(), work.features.num_rows);
    if (softmax) {
      group_pass_.score(context, table_, work.features, GroupPass::Groups::kShared);
      group_pass_.normalize(context);
    }
    return group_pass_.backward(context, table_, work);
  }

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
  GroupPass group_pass_;  // of examples with groups of their own
  std::vector<Pair> pairs_;
};

}  // namespace

std::unique_ptr<DenseHead> make_flat_head(const Context& context, HeadSpec spec, HeadSetup setup) {
  check_spec(spec);
  return std::make_unique<FlatHead>(context, std::move(spec), std::move(setup));
}

}  // namespace mhe::heads
