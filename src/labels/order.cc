// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "labels/order.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

#include "base/check.h"
#include "base/random.h"

namespace mhe {
namespace labels {
namespace {

__extension__ using Wide = unsigned __int128;

}  // namespace

Slots::Slots(std::size_t num_labels, std::span<const std::uint32_t> lengths, Placement placement)
    : num_labels_(num_labels), placement_(placement) {
  const LabelSpace space(num_labels, {lengths.begin(), lengths.end()});
  require(space.capacity().has_value(), "an order needs fewer than 2^64 positions; lengths are {}",
          space.describe());
  capacity_ = *space.capacity();
}

std::size_t Slots::before(std::uint64_t position) const noexcept {
  if (placement_ == Placement::kCompact) return std::min(position, num_labels_);
  return static_cast<std::size_t>(Wide{position} * num_labels_ / capacity_);
}

// The least p with before(p + 1) > slot.
std::uint64_t Slots::position(std::size_t slot) const noexcept {
  if (placement_ == Placement::kCompact) return slot;
  const Wide end = (Wide{slot} + 1) * capacity_;
  return static_cast<std::uint64_t>((end + num_labels_ - 1) / num_labels_ - 1);
}

}  // namespace labels

namespace {

using labels::Slots;

std::vector<LabelId> all_labels(std::size_t count) {
  std::vector<LabelId> labels(count);
  for (std::size_t i = 0; i < count; ++i) labels[i] = static_cast<LabelId>(i);
  return labels;
}

// The i-th of `labels` goes to slot i.
LabelOrder order_from(std::span<const LabelId> labels, std::vector<std::uint32_t> lengths,
                      const Slots& slots) {
  std::vector<std::uint64_t> positions(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    positions[index_of(labels[i])] = slots.position(i);
  }
  return {std::move(lengths), std::move(positions)};
}

// Deals labels, most frequent first, to the groups of one level after another.
class Dealer {
 public:
  Dealer(std::span<const std::uint64_t> counts, std::span<const std::uint32_t> lengths,
         const Slots& slots)
      : counts_(counts), lengths_(lengths), slots_(slots) {}

  // Rearranges `labels`, those of the slots from position `begin` to `end`, by group.
  void deal(std::span<LabelId> labels, std::uint64_t begin, std::uint64_t end, std::size_t level) {
    if (level + 1 >= lengths_.size() || labels.size() <= 1) return;
    const std::uint64_t stride = (end - begin) / lengths_[level];
    deal_to_groups(labels, begin, stride, lengths_[level]);
    const std::size_t first_slot = slots_.before(begin);
    for (std::uint64_t group = begin; group < end; group += stride) {
      const std::size_t from = slots_.before(group) - first_slot;
      const std::size_t to = slots_.before(group + stride) - first_slot;
      deal(labels.subspan(from, to - from), group, group + stride, level + 1);
    }
  }

 private:
  void deal_to_groups(std::span<LabelId> labels, std::uint64_t begin, std::uint64_t stride,
                      std::uint32_t num_groups) {
    using Load = std::pair<std::uint64_t, std::uint32_t>;  // examples so far, group
    std::priority_queue<Load, std::vector<Load>, std::greater<>> lightest;
    std::vector<std::size_t> next(num_groups);  // the next free place of each group
    std::vector<std::size_t> last(num_groups);
    const std::size_t first_slot = slots_.before(begin);
    for (std::uint32_t group = 0; group < num_groups; ++group) {
      next[group] = slots_.before(begin + group * stride) - first_slot;
      last[group] = slots_.before(begin + (group + 1) * stride) - first_slot;
      if (next[group] < last[group]) lightest.push({0, group});
    }
    const std::vector<LabelId> by_count(labels.begin(), labels.end());
    for (const LabelId label : by_count) {
      const auto [load, group] = lightest.top();
      lightest.pop();
      labels[next[group]++] = label;
      if (next[group] < last[group]) lightest.push({load + counts_[index_of(label)], group});
    }
  }

  std::span<const std::uint64_t> counts_;
  std::span<const std::uint32_t> lengths_;
  const Slots& slots_;
};

}  // namespace

LabelOrder::LabelOrder(std::vector<std::uint32_t> lengths, std::vector<std::uint64_t> positions)
    : space_(LabelSpace::full(std::move(lengths))), positions_(std::move(positions)) {
  require(space_.capacity().has_value(), "an order needs fewer than 2^64 positions; lengths are {}",
          space_.describe());
  require(!positions_.empty(), "an order needs at least 1 label");
  require(positions_.size() <= std::numeric_limits<std::uint32_t>::max(),
          "an order holds at most 2^32 - 1 labels, got {}", positions_.size());
  labels_ = all_labels(positions_.size());
  std::sort(labels_.begin(), labels_.end(), [this](LabelId a, LabelId b) {
    return positions_[index_of(a)] < positions_[index_of(b)];
  });
  const auto at = [this](std::size_t i) { return positions_[index_of(labels_[i])]; };
  require(at(labels_.size() - 1) < *space_.capacity(),
          "position {} of label {} is out of range; lengths {} have {} positions",
          at(labels_.size() - 1), index_of(labels_.back()), space_.describe(), *space_.capacity());
  for (std::size_t i = 1; i < labels_.size(); ++i) {
    require(at(i - 1) != at(i), "labels {} and {} both have position {}", index_of(labels_[i - 1]),
            index_of(labels_[i]), at(i));
  }
}

std::uint64_t LabelOrder::position(LabelId label) const {
  require(index_of(label) < num_labels(), "label {} is out of range; there are {} labels",
          index_of(label), num_labels());
  return positions_[index_of(label)];
}

std::optional<LabelId> LabelOrder::label_at(std::uint64_t position) const {
  require(position < *space_.capacity(), "position {} is out of range; there are {}", position,
          *space_.capacity());
  const auto found = std::lower_bound(
      labels_.begin(), labels_.end(), position,
      [this](LabelId label, std::uint64_t p) { return positions_[index_of(label)] < p; });
  if (found == labels_.end() || positions_[index_of(*found)] != position) return std::nullopt;
  return *found;
}

void LabelOrder::digits(LabelId label, std::span<std::uint32_t> out) const {
  space_.digits(position(label), out);
}

LabelOrder identity_order(std::size_t num_labels, std::vector<std::uint32_t> lengths) {
  const Slots slots(num_labels, lengths, Placement::kCompact);
  return order_from(all_labels(num_labels), std::move(lengths), slots);
}

LabelOrder random_order(std::size_t num_labels, std::vector<std::uint32_t> lengths,
                        std::uint64_t seed, Placement placement) {
  const Slots slots(num_labels, lengths, placement);
  std::vector<LabelId> labels = all_labels(num_labels);
  RandomStream(seed, "order.random").shuffle(std::span(labels));
  return order_from(labels, std::move(lengths), slots);
}

LabelOrder frequency_order(std::span<const std::uint64_t> counts,
                           std::vector<std::uint32_t> lengths, Placement placement) {
  const Slots slots(counts.size(), lengths, placement);
  std::vector<LabelId> labels = all_labels(counts.size());
  std::sort(labels.begin(), labels.end(), [&](LabelId a, LabelId b) {
    const std::uint64_t count_a = counts[index_of(a)];
    const std::uint64_t count_b = counts[index_of(b)];
    return count_a != count_b ? count_a > count_b : a < b;
  });
  Dealer(counts, lengths, slots).deal(labels, 0, slots.capacity(), 0);
  return order_from(labels, std::move(lengths), slots);
}

}  // namespace mhe
