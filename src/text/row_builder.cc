// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "text/row_builder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace mhe::text {
namespace {

constexpr std::size_t kTabledCounts = 256;

// One digit of the sort has at most so many bits: 2048 counters of 4 bytes are a quarter of L1.
constexpr std::uint32_t kMaxDigitBits = 11;
// Below this many items comparing is cheaper than clearing and adding up the counters.
constexpr std::size_t kSmallSort = 64;

}  // namespace

Weighting::Weighting(const VectorizerOptions& options)
    : sublinear_tf_(options.sublinear_tf),
      binary_(options.binary),
      idf_(options.idf),
      l2_norm_(options.l2_norm),
      tf_(kTabledCounts) {
  for (const Part& part : make_parts(options)) part_weights_.push_back(part.weight);
  for (std::size_t count = 1; count < kTabledCounts; ++count) tf_[count] = compute_tf(count);
}

float Weighting::compute_tf(std::uint64_t count) const noexcept {
  if (binary_) return 1.0F;
  if (!sublinear_tf_) return static_cast<float>(count);
  return static_cast<float>(1.0 + std::log(static_cast<double>(count)));
}

float Weighting::idf(std::uint64_t df, std::uint64_t num_documents) const noexcept {
  if (!idf_) return 1.0F;
  const double share = (1.0 + static_cast<double>(num_documents)) / (1.0 + static_cast<double>(df));
  return static_cast<float>(std::log(share) + 1.0);
}

SparseRow RowBuilder::finish(const Weighting& weighting,
                             std::span<const std::uint64_t> part_offsets,
                             std::span<const float> idf) {
  sort(idf.size());
  merge(weighting, idf);
  scale(weighting, part_offsets);
  return {{columns_.data(), size_}, {values_.data(), size_}};
}

// By column. A radix sort, since comparisons of random columns mispredict half of their branches.
void RowBuilder::sort(std::uint64_t num_features) {
  if (num_items_ < kSmallSort) {
    std::sort(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(num_items_));
    return;
  }
  const auto key_bits = static_cast<std::uint32_t>(std::bit_width(num_features | 1));
  const std::uint32_t passes = (key_bits + kMaxDigitBits - 1) / kMaxDigitBits;
  const std::uint32_t digit_bits = (key_bits + passes - 1) / passes;
  make_room(sorted_, items_.size());  // as long as items_, since they change places
  for (std::uint32_t pass = 0; pass < passes; ++pass)
    sort_digit(32 + pass * digit_bits, digit_bits);
}

void RowBuilder::sort_digit(std::uint32_t shift, std::uint32_t bits) {
  std::array<std::uint32_t, std::size_t{1} << kMaxDigitBits> places;  // NOLINT: filled below
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::fill_n(places.begin(), mask + 1, 0U);
  const std::span<const std::uint64_t> items(items_.data(), num_items_);
  for (const std::uint64_t item : items) ++places[(item >> shift) & mask];
  std::uint32_t place = 0;
  for (std::size_t digit = 0; digit <= mask; ++digit) {
    place += places[digit];
    places[digit] = place - places[digit];
  }
  for (const std::uint64_t item : items) sorted_[places[(item >> shift) & mask]++] = item;
  items_.swap(sorted_);
}

void RowBuilder::merge(const Weighting& weighting, std::span<const float> idf) {
  make_room(columns_, num_items_);
  make_room(values_, num_items_);
  std::size_t size = 0;
  for (std::size_t i = 0; i < num_items_;) {
    const std::uint64_t feature = items_[i] >> 32;
    std::uint64_t count = 0;
    for (; i < num_items_ && items_[i] >> 32 == feature; ++i) count += items_[i] & 0xFFFFFFFF;
    columns_[size] = static_cast<std::uint32_t>(feature);
    values_[size++] = weighting.tf(count) * idf[feature];
  }
  size_ = size;
}

// Each part to length 1, times its weight, and the whole to length 1 again: one factor a part.
void RowBuilder::scale(const Weighting& weighting, std::span<const std::uint64_t> part_offsets) {
  const std::span<const double> weights = weighting.part_weights();
  const std::span<const std::uint32_t> columns(columns_.data(), size_);
  double whole = 0.0;  // squared length of the weighted parts
  const auto for_each_part = [&](const auto& body) {
    std::size_t begin = 0;
    for (std::size_t part = 0; part < weights.size(); ++part) {
      const auto first = columns.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = part + 1 == weights.size()
                            ? columns.end()
                            : std::lower_bound(first, columns.end(), part_offsets[part + 1]);
      const auto end = static_cast<std::size_t>(last - columns.begin());
      if (end > begin) body(part, std::span(values_).subspan(begin, end - begin));
      begin = end;
    }
  };
  for_each_part(
      [&](std::size_t part, std::span<float>) { whole += weights[part] * weights[part]; });
  for_each_part([&](std::size_t part, std::span<float> values) {
    double factor = weights[part];
    if (weighting.l2_norm()) {
      double squares = 0.0;
      for (const float value : values) squares += static_cast<double>(value) * value;
      factor /= std::sqrt(squares * whole);
    }
    for (float& value : values) value = static_cast<float>(value * factor);
  });
}

}  // namespace mhe::text
