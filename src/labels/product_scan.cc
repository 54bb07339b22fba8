// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "labels/product_scan.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace mhe::labels {
namespace {

constexpr std::size_t kScanBlock = 512;  // 4 KiB of sums stay in the first cache

bool precedes(const ProductScan::Found& a, const ProductScan::Found& b) noexcept {
  return a.probability != b.probability ? a.probability > b.probability : a.label < b.label;
}

}  // namespace

ProductScan::ProductScan(LabelSpace space, std::size_t rank)
    : space_(std::move(space)), rank_(rank), strides_(space_.num_heads(), 1) {
  for (const std::uint32_t length : space_.lengths()) {
    head_begin_.push_back(group_size_);
    group_size_ += length;
  }
  for (std::size_t h = strides_.size() - 1; h > 0; --h) {
    strides_[h - 1] = strides_[h] * space_.lengths()[h];
  }
}

const float* ProductScan::head(std::size_t group, std::size_t head) const noexcept {
  return probabilities_.data() + group * group_size_ + head_begin_[head];
}

std::span<const ProductScan::Found> ProductScan::run(std::span<const float> probabilities,
                                                     std::span<const float> gates, std::size_t k,
                                                     double least) {
  MHE_ASSERT(space_.num_labels() && k > 0);
  probabilities_ = probabilities;
  k_ = k;
  least_ = least;
  best_.clear();
  sums_.resize(kScanBlock);
  most_.resize(space_.num_heads() * rank_);
  products_.resize(most_.size());
  for (std::size_t h = 0; h < space_.num_heads(); ++h) {
    for (std::size_t g = 0; g < rank_; ++g) {
      const float* of_head = head(g, h);
      most_[h * rank_ + g] =
          static_cast<double>(*std::max_element(of_head, of_head + space_.lengths()[h]));
    }
  }
  std::copy(gates.begin(), gates.end(), products_.begin());
  extend(0, 0);
  std::sort_heap(best_.begin(), best_.end(), precedes);
  return best_;
}

// Labels come in ascending order, so one that is merely equal does not displace another.
bool ProductScan::may_enter(double probability) const noexcept {
  return probability >= least_ && (best_.size() < k_ || probability > best_.front().probability);
}

// The most that a label can have whose first `num_heads` digits are decided. Multiplies and adds in
// the order in which labels are summed up: rounding never falls where its operands rise, so that
// no label exceeds this, not even by a rounding.
double ProductScan::bound(std::size_t num_heads) const noexcept {
  double sum = 0;
  for (std::size_t g = 0; g < rank_; ++g) {
    double product = products_[num_heads * rank_ + g];
    for (std::size_t h = num_heads; h < space_.num_heads(); ++h) product *= most_[h * rank_ + g];
    sum += product;
  }
  return sum;
}

// `prefix` is the number that the digits before this head make.
void ProductScan::extend(std::size_t head, std::uint64_t prefix) {
  if (head + 1 == space_.num_heads()) return scan_last(prefix);
  const std::uint64_t length = space_.lengths()[head];
  for (std::uint64_t digit = 0; digit < length; ++digit) {
    const std::uint64_t number = prefix * length + digit;
    if (number * strides_[head] >= *space_.num_labels()) return;  // phantoms from here on
    for (std::size_t g = 0; g < rank_; ++g) {
      products_[(head + 1) * rank_ + g] =
          products_[head * rank_ + g] * static_cast<double>(this->head(g, head)[digit]);
    }
    if (may_enter(bound(head + 1))) extend(head + 1, number);
  }
}

void ProductScan::scan_last(std::uint64_t prefix) {
  const std::size_t last = space_.num_heads() - 1;
  const std::uint64_t first = prefix * space_.lengths()[last];
  const std::uint64_t count =
      std::min<std::uint64_t>(space_.lengths()[last], *space_.num_labels() - first);
  for (std::uint64_t begin = 0; begin < count; begin += kScanBlock) {
    const std::size_t size = std::min<std::uint64_t>(kScanBlock, count - begin);
    std::fill_n(sums_.begin(), size, 0.0);
    for (std::size_t g = 0; g < rank_; ++g) {
      const double product = products_[last * rank_ + g];
      const float* of_head = head(g, last) + begin;
      for (std::size_t i = 0; i < size; ++i) sums_[i] += product * static_cast<double>(of_head[i]);
    }
    for (std::size_t i = 0; i < size; ++i) {
      if (may_enter(sums_[i])) offer({sums_[i], first + begin + i});
    }
  }
}

void ProductScan::offer(const Found& item) {
  if (best_.size() == k_) {
    std::pop_heap(best_.begin(), best_.end(), precedes);
    best_.back() = item;
  } else {
    best_.push_back(item);
  }
  std::push_heap(best_.begin(), best_.end(), precedes);
}

}  // namespace mhe::labels
