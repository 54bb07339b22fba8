// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mhe::heads {

/// A number and how good it is.
struct Scored {
  float score = 0;
  std::uint32_t id = 0;
};

/// Higher scores first, equal ones by the smaller id.
[[nodiscard]] inline bool is_better(const Scored& a, const Scored& b) noexcept {
  return a.score != b.score ? a.score > b.score : a.id < b.id;
}

/// The k best of what it is offered. Allocates nothing once it has seen the largest k.
class BestK {
 public:
  void reset(std::size_t k) {
    k_ = k;
    heap_.clear();
    heap_.reserve(k);
  }
  /// Whether something of this score may be among the best.
  [[nodiscard]] bool may_enter(float score) const noexcept {
    return heap_.size() < k_ || (k_ > 0 && score >= heap_.front().score);
  }
  /// NaN is never taken.
  void offer(const Scored& item) {
    if (item.score != item.score) return;  // NOLINT(misc-redundant-expression): true for NaN
    if (heap_.size() < k_) {
      heap_.push_back(item);
      std::push_heap(heap_.begin(), heap_.end(), is_better);
    } else if (k_ > 0 && is_better(item, heap_.front())) {
      std::pop_heap(heap_.begin(), heap_.end(), is_better);
      heap_.back() = item;
      std::push_heap(heap_.begin(), heap_.end(), is_better);
    }
  }
  /// Best first; ends the collection.
  [[nodiscard]] std::span<const Scored> sort() {
    std::sort_heap(heap_.begin(), heap_.end(), is_better);
    return heap_;
  }

 private:
  std::size_t k_ = 0;
  std::vector<Scored> heap_;  // the worst in front
};

}  // namespace mhe::heads
