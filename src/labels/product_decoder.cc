// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "labels/product_decoder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
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

ProductDecoder::ProductDecoder(const LabelSpace& space, std::size_t rank)
    : groups_(rank, KBestDecoder(space)),
      group_size_(std::accumulate(space.lengths().begin(), space.lengths().end(), std::size_t{0})) {
  require(rank >= 1, "product heads have at least 1 group, got 0");
}

std::size_t ProductDecoder::decode(std::span<const float> probabilities,
                                   std::span<const float> gates, std::size_t k) {
  require(probabilities.size() == groups_.size() * group_size_,
          "{} groups of {} outputs need {} probabilities, got {}", groups_.size(), group_size_,
          groups_.size() * group_size_, probabilities.size());
  size_ = 0;
  if (groups_.size() == 1) {
    return size_ = groups_[0].decode(probabilities, k);
  }
  require(gates.size() == groups_.size(), "expected a gate for each of {} groups, got {}",
          groups_.size(), gates.size());
  const std::uint64_t labels =
      space().num_labels().value_or(std::numeric_limits<std::uint64_t>::max());
  k = std::min<std::uint64_t>(k, labels);
  if (k == 0) return 0;
  const bool can_scan = labels <= kMostScanned;
  const std::size_t most =
      can_scan ? std::clamp(k, kScanDepth, kMostDepth) : std::max(k, kMostDepth);
  for (std::size_t depth = std::min(k, most);; depth = std::min(2 * depth, most)) {
    const double bound = collect(probabilities, gates, depth);
    if (depth >= labels) break;
    if (candidates_.size() >= k && candidates_[k - 1].probability > bound) break;
    if (depth < most) continue;
    if (can_scan) scan(probabilities, gates, k);
    break;
  }
  return size_ = std::min(k, candidates_.size());
}

void ProductDecoder::scan(std::span<const float> probabilities, std::span<const float> gates,
                          std::size_t k) {
  const double least = candidates_.size() >= k ? candidates_[k - 1].probability : 0;
  const std::size_t heads = space().num_heads();
  if (!scan_) scan_.emplace(space(), groups_.size());
  const std::span<const ProductScan::Found> found = scan_->run(probabilities, gates, k, least);
  candidates_.clear();
  scanned_digits_.resize(found.size() * heads);
  for (std::uint32_t rank = 0; rank < found.size(); ++rank) {
    space().digits(found[rank].label, std::span(scanned_digits_).subspan(rank * heads, heads));
    candidates_.push_back({found[rank].probability, kScanned, rank});
  }
}

// The `depth` best of each group, as labels of the whole, best first; returns the most that any
// other label can have.
double ProductDecoder::collect(std::span<const float> probabilities, std::span<const float> gates,
                               std::size_t depth) {
  candidates_.clear();
  double bound = 0;
  for (std::uint32_t g = 0; g < groups_.size(); ++g) {
    const std::size_t found =
        groups_[g].decode(probabilities.subspan(g * group_size_, group_size_), depth);
    for (std::uint32_t rank = 0; rank < found; ++rank) {
      candidates_.push_back(
          {probability_of(groups_[g].digits(rank), probabilities, gates), g, rank});
    }
    if (found == depth && found > 0) {
      bound += static_cast<double>(gates[g]) * std::exp(groups_[g].log_prob(found - 1));
    }
  }
  std::sort(candidates_.begin(), candidates_.end(),
            [this](const Candidate& a, const Candidate& b) { return is_before(a, b); });
  const auto same = [this](const Candidate& a, const Candidate& b) {
    return a.probability == b.probability &&
           std::equal(digits_of(a).begin(), digits_of(a).end(), digits_of(b).begin());
  };
  candidates_.erase(std::unique(candidates_.begin(), candidates_.end(), same), candidates_.end());
  // Logs are rounded to 10^-12, products are not.
  constexpr double kSlack = 1 + 1e-10;
  return kSlack * bound;
}

double ProductDecoder::probability_of(std::span<const std::uint32_t> digits,
                                      std::span<const float> probabilities,
                                      std::span<const float> gates) const {
  double sum = 0;
  const float* head = probabilities.data();
  for (const float gate : gates) {
    auto product = static_cast<double>(gate);
    for (std::size_t h = 0; h < digits.size(); ++h) {
      product *= static_cast<double>(head[digits[h]]);
      head += space().lengths()[h];
    }
    sum += product;
  }
  return sum;
}

bool ProductDecoder::is_before(const Candidate& a, const Candidate& b) const {
  if (a.probability != b.probability) return a.probability > b.probability;
  const auto digits_a = digits_of(a);
  const auto digits_b = digits_of(b);
  return std::lexicographical_compare(digits_a.begin(), digits_a.end(), digits_b.begin(),
                                      digits_b.end());
}

std::span<const std::uint32_t> ProductDecoder::digits_of(const Candidate& candidate) const {
  if (candidate.group != kScanned) return groups_[candidate.group].digits(candidate.rank);
  const std::size_t heads = space().num_heads();
  return std::span(scanned_digits_).subspan(candidate.rank * heads, heads);
}

std::span<const std::uint32_t> ProductDecoder::digits(std::size_t rank) const {
  require(rank < size_, "rank {} is out of range; {} labels were decoded", rank, size_);
  return groups_.size() == 1 ? groups_[0].digits(rank) : digits_of(candidates_[rank]);
}

double ProductDecoder::probability(std::size_t rank) const {
  require(rank < size_, "rank {} is out of range; {} labels were decoded", rank, size_);
  return groups_.size() == 1 ? std::exp(groups_[0].log_prob(rank)) : candidates_[rank].probability;
}

// Digits of no label agree with the last label up to some head, and are greater there.
double phantom_mass(const LabelSpace& space, std::span<const float> probabilities) {
  double mass = 0;
  double agreeing = 1;
  for (std::size_t h = 0; h < space.num_heads(); ++h) {
    const std::span<const float> head = probabilities.first(space.lengths()[h]);
    const std::uint32_t last = space.last_label()[h];
    double greater = 0;
    for (const float p : head.subspan(last + 1)) greater += static_cast<double>(p);
    mass += agreeing * greater;
    agreeing *= static_cast<double>(head[last]);
    probabilities = probabilities.subspan(head.size());
  }
  return mass;
}

}  // namespace mhe::labels
