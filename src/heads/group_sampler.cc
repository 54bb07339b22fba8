// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/group_sampler.h"

#include <algorithm>

#include "kernels/losses.h"

namespace mhe::heads {
namespace {

float log_chance(std::size_t chosen, std::size_t all) {
  return static_cast<float>(
      kernels::portable_log(static_cast<double>(chosen) / static_cast<double>(all)));
}

}  // namespace

void GroupSampler::choose_for_batch(std::span<const Positive> positives, std::size_t extra,
                                    RandomStream random, std::vector<RowRange>& ranges) {
  std::vector<std::uint32_t> groups;
  for (const Positive& p : positives) {
    const auto group = static_cast<std::uint32_t>(p.row / group_size_);
    if (groups.empty() || groups.back() != group) groups.push_back(group);
  }
  const std::size_t wanted = std::min(num_groups(), groups.size() + extra);
  while (groups.size() < wanted) {
    const auto group = static_cast<std::uint32_t>(random.below(num_groups()));
    const auto at = std::lower_bound(groups.begin(), groups.end(), group);
    if (at == groups.end() || *at != group) groups.insert(at, group);
  }
  num_chosen_ = groups.size();
  ranges.clear();
  for (const std::uint32_t group : groups) {
    const std::size_t begin = group * group_size_;
    const std::size_t end = std::min(num_rows_, begin + group_size_);
    if (!ranges.empty() && ranges.back().end == begin) {
      ranges.back().end = end;
    } else {
      ranges.push_back({begin, end});
    }
  }
}

void GroupSampler::find_own_groups(std::span<const Positive> positives) {
  own_groups_.clear();
  for (const Positive& p : positives) {
    own_groups_.push_back({static_cast<std::uint32_t>(p.row / group_size_), p.example});
  }
  std::sort(own_groups_.begin(), own_groups_.end());
  own_groups_.erase(std::unique(own_groups_.begin(), own_groups_.end()), own_groups_.end());
}

GroupShift GroupSampler::own_shift(std::span<const Positive> positives) {
  if (num_chosen_ < 2 || num_chosen_ == num_groups()) return {};
  find_own_groups(positives);
  return {own_groups_, group_size_, log_chance(num_chosen_ - 1, num_groups() - 1)};
}

void GroupSampler::choose_for_examples(std::span<const Positive> positives, std::size_t batch,
                                       std::size_t others, RandomStream random, Weigh weigh,
                                       std::vector<Pair>& pairs) {
  find_own_groups(positives);
  std::stable_sort(own_groups_.begin(), own_groups_.end(),
                   [](const Positive& a, const Positive& b) { return a.example < b.example; });
  pairs.clear();
  auto own = own_groups_.begin();
  for (std::uint32_t example = 0; example < batch; ++example) {
    const auto first = static_cast<std::ptrdiff_t>(pairs.size());
    for (; own != own_groups_.end() && own->example == example; ++own) {
      pairs.push_back({own->row, example});
    }
    const std::size_t num_own = pairs.size() - static_cast<std::size_t>(first);
    const std::size_t drawn = std::min(others, num_groups() - num_own);
    if (weigh == Weigh::kYes && drawn > 0) {
      const float shift = log_chance(drawn, num_groups() - num_own);
      for (auto pair = pairs.begin() + first; pair != pairs.end(); ++pair) pair->shift = shift;
    }
    const std::size_t wanted = pairs.size() + drawn;
    while (pairs.size() < wanted) {
      const auto group = static_cast<std::uint32_t>(random.below(num_groups()));
      const auto at =
          std::lower_bound(pairs.begin() + first, pairs.end(), group,
                           [](const Pair& pair, std::uint32_t g) { return pair.parent < g; });
      if (at == pairs.end() || at->parent != group) pairs.insert(at, {group, example});
    }
  }
}

}  // namespace mhe::heads
