// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mhe::heads {

/// Sorts stably by key(item), which is below `num_keys`: counts where these are not many times as
/// many as the items, as groups of a batch are. Keeps its scratch space.
template <class Item>
class SortByKey {
 public:
  template <class Key>
  void operator()(std::vector<Item>& items, std::size_t num_keys, const Key& key) {
    constexpr std::size_t kKeysPerItem = 8;  // counting costs a pass over the keys
    if (num_keys > kKeysPerItem * items.size()) {
      std::stable_sort(items.begin(), items.end(),
                       [&](const Item& a, const Item& b) { return key(a) < key(b); });
      return;
    }
    begins_.assign(num_keys + 1, 0);
    for (const Item& item : items) ++begins_[key(item) + 1];
    for (std::size_t i = 0; i < num_keys; ++i) begins_[i + 1] += begins_[i];
    sorted_.resize(items.size());
    for (const Item& item : items) sorted_[begins_[key(item)]++] = item;
    std::swap(items, sorted_);
  }

 private:
  std::vector<std::uint32_t> begins_;
  std::vector<Item> sorted_;
};

}  // namespace mhe::heads
