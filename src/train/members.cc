// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/members.h"

#include <optional>
#include <utility>

namespace mhe::train {
namespace {

constexpr float kDefaultPower = 0.3F;

TrainedCascade train_member(const Context& context, const Examples& examples,
                            std::size_t num_labels, const LinearOptions& options,
                            const std::vector<std::uint32_t>& lengths, heads::BlockStore* store) {
  labels::Order order = order_labels(context, examples, num_labels, lengths);
  std::vector<heads::SparseLevel> levels =
      heads::train_cascade(context, {examples.features, examples.labels, order.positions()},
                           lengths, options.cascade, store);
  const float power = options.parent_power > 0 ? options.parent_power : kDefaultPower;
  return {std::move(order), std::move(levels), {.beam = options.beam, .parent_power = power}};
}

}  // namespace

std::vector<TrainedCascade> train_members(const Context& context, const Examples& examples,
                                          std::size_t num_labels, const LinearOptions& options,
                                          PartialFile* partial, std::size_t first_number) {
  std::vector<TrainedCascade> members;
  for (std::size_t m = 0; m < options.ensemble; ++m) {
    const Context seeded = context.with_seed(context.seed() + m * 0x10001);
    std::optional<MemberStore> store;
    if (partial != nullptr) store.emplace(*partial, first_number + m);
    members.push_back(train_member(seeded, examples, num_labels, options,
                                   member_lengths(options, num_labels, m),
                                   store ? &*store : nullptr));
  }
  return members;
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
