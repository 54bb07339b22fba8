// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/members.h"

#include <optional>
#include <utility>

#include "train/linear_rules.h"

namespace mhe::train {
namespace {

constexpr float kDefaultWeight = 0.3F;

TrainedCascade train_one(const Context& context, const Examples& examples,
                         const OrderedLabels& labels, const TrainOptions& options,
                         std::size_t number, const CascadeWork& work) {
  const std::vector<std::uint32_t> lengths = member_lengths(options, labels.count, number);
  LabelOrder order = order_labels(context, examples, labels, options.order, lengths);
  std::optional<MemberStore> store;
  if (work.file != nullptr) store.emplace(*work.file, work.first_number + number);
  heads::CascadeOptions cascade = cascade_options(options);
  cascade.solvers = work.solvers;
  cascade.trace = work.trace;
  std::vector<heads::SparseLevel> levels =
      heads::train_cascade(context, {examples.features, examples.labels, order.positions()},
                           lengths, cascade, store ? &*store : nullptr);
  const float weight = options.parent_weight > 0 ? options.parent_weight : kDefaultWeight;
  return {std::move(order), std::move(levels), {.beam = options.beam, .parent_power = weight}};
}

}  // namespace

std::vector<TrainedCascade> train_cascades(const Context& context, const Examples& examples,
                                           const OrderedLabels& labels, const TrainOptions& options,
                                           const CascadeWork& work) {
  std::vector<TrainedCascade> cascades;
  for (std::size_t m = 0; m < options.ensemble; ++m) {
    const Context seeded = context.with_seed(context.seed() + m * 0x10001);
    cascades.push_back(train_one(seeded, examples, labels, options, m, work));
  }
  return cascades;
}

MemberViews::MemberViews(std::span<const TrainedCascade> trained) {
  label_at.reserve(trained.size());
  for (const TrainedCascade& member : trained) {
    label_at.push_back(model::labels_by_position(member.order));
    model::Cascade& view = cascades.emplace_back();
    view.label_at = label_at.back();
    for (const heads::SparseLevel& level : member.levels) view.levels.push_back(level.view());
    view.search = member.search;
  }
}

}  // namespace mhe::train
