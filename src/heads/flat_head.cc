// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// One output a label: `onehot` scores all of them, `sampling` (MHS) the groups that a batch's
// labels are in and some random ones, for all examples of the batch.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "heads/flat_pass.h"
#include "heads/make_heads.h"
#include "heads/row_table.h"
#include "kernels/losses.h"

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
}

class FlatHead final : public DenseHead {
 public:
  FlatHead(const Context& context, HeadSpec spec, HeadSetup setup)
      : DenseHead(std::move(spec)),
        optimizer_(setup.optimizer),
        weigh_groups_(setup.weigh_groups),
        table_(context, "", this->spec().num_labels, this->spec().dim) {
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

  void release_scratch() override { pass_ = FlatPass(); }

 protected:
  double run(const Context& context, const HeadBatch& batch, const HeadStep& step,
             MatrixSpan gradient, Update update) override {
    if (batch.labels.empty()) return 0;
    find_positives(batch);
    if (spec().kind == HeadKind::kOneHot) {
      ranges_.assign(1, {0, table_.num_rows()});
    } else {
      choose_groups(context, step);
    }
    pass_.select(ranges_, spec().dim);
    if (spec().loss == Loss::kSoftmax) pass_.score(context, table_, batch.features, own_groups());
    LevelWork work;
    work.features = batch.features;
    work.targets = {positives_, weights_};
    work.loss = spec().loss;
    work.weight = 1.0F / static_cast<float>(batch.labels.size());
    if (update == Update::kYes) work.move = {&optimizer_, step.learning_rate};
    work.feature_gradient = gradient;
    return pass_.backward(context, table_, work);
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

  void choose_groups(const Context& context, const HeadStep& step) {
    const std::size_t size = spec().lengths[1];
    const std::size_t num_groups = num_all_groups();
    std::vector<std::uint32_t> groups;
    for (const Positive& p : positives_) {
      const auto group = static_cast<std::uint32_t>(p.row / size);
      if (groups.empty() || groups.back() != group) groups.push_back(group);
    }
    const std::size_t wanted = std::min(num_groups, groups.size() + spec().extra_groups);
    RandomStream random(context.seed(), "head.groups", step.number);
    while (groups.size() < wanted) {
      const auto group = static_cast<std::uint32_t>(random.below(num_groups));
      const auto at = std::lower_bound(groups.begin(), groups.end(), group);
      if (at == groups.end() || *at != group) groups.insert(at, group);
    }
    num_chosen_ = groups.size();
    ranges_.clear();
    for (const std::uint32_t group : groups) {
      const std::size_t end = std::min(table_.num_rows(), (group + 1) * size);
      if (!ranges_.empty() && ranges_.back().end == group * size) {
        ranges_.back().end = end;
      } else {
        ranges_.push_back({group * size, end});
      }
    }
  }

  // An example's own groups are always among those chosen, another one with the chance q only. To
  // count all others, those that were chosen weigh 1 / q: the softmax then is, in the mean, the one
  // over all labels. Against them its own count q.
  GroupShift own_groups() {
    if (spec().kind == HeadKind::kOneHot || !weigh_groups_) return {};
    own_groups_.clear();
    const std::size_t num_groups = num_all_groups();
    if (num_chosen_ < 2 || num_chosen_ == num_groups) return {};
    const std::size_t size = spec().lengths[1];
    for (const Positive& p : positives_) {
      own_groups_.push_back({static_cast<std::uint32_t>(p.row / size), p.example});
    }
    std::sort(own_groups_.begin(), own_groups_.end());
    own_groups_.erase(std::unique(own_groups_.begin(), own_groups_.end()), own_groups_.end());
    const double chance =
        static_cast<double>(num_chosen_ - 1) / static_cast<double>(num_groups - 1);
    return {own_groups_, size, static_cast<float>(kernels::portable_log(chance))};
  }

  [[nodiscard]] std::size_t num_all_groups() const {
    const std::size_t size = spec().lengths[1];
    return (table_.num_rows() + size - 1) / size;
  }

  TableOptimizer optimizer_;
  bool weigh_groups_;
  RowTable table_;
  std::vector<std::uint32_t> row_of_;    // [label]; empty: the label itself
  std::vector<std::uint32_t> label_at_;  // [row]
  FlatPass pass_;
  std::vector<Positive> positives_;
  std::vector<float> weights_;
  std::size_t num_chosen_ = 0;        // sampling: groups
  std::vector<Positive> own_groups_;  // see own_groups()
  std::vector<RowRange> ranges_;
};

}  // namespace

std::unique_ptr<DenseHead> make_flat_head(const Context& context, HeadSpec spec, HeadSetup setup) {
  check_spec(spec);
  return std::make_unique<FlatHead>(context, std::move(spec), std::move(setup));
}

}  // namespace mhe::heads
