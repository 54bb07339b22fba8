// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "text/row_builder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/parallel.h"
#include "text/huge_page_allocator.h"

namespace mhe::text {
namespace {

constexpr std::size_t kTabledCounts = 256;

// One digit of the sort has at most so many bits: 2048 counters of 4 bytes are a quarter of L1.
constexpr std::uint32_t kMaxDigitBits = 11;
// Below this many items comparing is cheaper than clearing and adding up the counters.
constexpr std::size_t kSmallSort = 64;
// Rows that are sorted together: with up to 2^17 features, row and feature are then two digits.
constexpr std::size_t kMaxRows = 32;

// Into how many digits to cut keys, so that sorting takes least. A pass counts and moves every
// item, measured to take four times as long as clearing and adding up one of its counters.
std::uint32_t best_passes(std::uint32_t key_bits, std::size_t num_items) noexcept {
  std::uint32_t best = 0;
  std::size_t best_cost = std::numeric_limits<std::size_t>::max();
  const std::uint32_t fewest = (key_bits + kMaxDigitBits - 1) / kMaxDigitBits;
  for (std::uint32_t passes = fewest; passes <= fewest + 1; ++passes) {
    const std::uint32_t digit_bits = (key_bits + passes - 1) / passes;
    const std::size_t cost = passes * (4 * num_items + (std::size_t{1} << digit_bits));
    if (cost < best_cost) {
      best = passes;
      best_cost = cost;
    }
  }
  return best;
}

// Each part to length 1, times its weight, and the whole to length 1 again: one factor a part.
void scale_row(const Weighting& weighting, std::span<const std::uint64_t> part_offsets,
               std::span<const std::uint32_t> columns, std::span<float> row) {
  const std::span<const double> weights = weighting.part_weights();
  double whole = 0.0;  // squared length of the weighted parts
  const auto for_each_part = [&](const auto& body) {
    std::size_t begin = 0;
    for (std::size_t part = 0; part < weights.size(); ++part) {
      const auto first = columns.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = part + 1 == weights.size()
                            ? columns.end()
                            : std::lower_bound(first, columns.end(), part_offsets[part + 1]);
      const auto end = static_cast<std::size_t>(last - columns.begin());
      if (end > begin) body(part, row.subspan(begin, end - begin));
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

}  // namespace

Weighting::Weighting(const TextOptions& options)
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

void RowBuilder::start(std::uint64_t num_features) {
  feature_bits_ = static_cast<std::uint32_t>(std::bit_width(num_features | 1));
  MHE_ASSERT(feature_bits_ < 32);
  row_step_ = std::uint64_t{1} << feature_bits_;
  max_rows_ = std::min(kMaxRows, std::size_t{1} << (32 - feature_bits_));
  row_base_ = 0;
  num_items_ = 0;
  row_ends_.clear();
}

// Hands the items to put(place, item) by row, then column. A radix sort, since comparisons of
// random columns mispredict half of their branches.
template <class Put>
void RowBuilder::sort(const Put& put) {
  if (num_items_ < kSmallSort) {
    std::sort(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(num_items_));
    for (std::size_t i = 0; i < num_items_; ++i) put(i, items_[i]);
    return;
  }
  const auto row_bits = static_cast<std::uint32_t>(std::bit_width(row_ends_.size() - 1));
  const std::uint32_t key_bits = feature_bits_ + row_bits;
  const std::uint32_t passes = best_passes(key_bits, num_items_);
  const std::uint32_t digit_bits = (key_bits + passes - 1) / passes;
  make_room(sorted_, items_.size());  // as long as items_, since they change places
  std::uint32_t shift = 32;
  for (std::uint32_t pass = 1; pass < passes; ++pass, shift += digit_bits) {
    std::uint64_t* const sorted = sorted_.data();
    sort_digit(shift, digit_bits,
               [sorted](std::size_t place, std::uint64_t item) { sorted[place] = item; });
    items_.swap(sorted_);
  }
  sort_digit(shift, digit_bits, put);
}

template <class Put>
void RowBuilder::sort_digit(std::uint32_t shift, std::uint32_t bits, const Put& put) {
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
  for (const std::uint64_t item : items) put(places[(item >> shift) & mask]++, item);
}

BuiltRows RowBuilder::finish_counts(const Weighting& weighting,
                                    std::span<const std::uint64_t> part_offsets,
                                    std::span<const float> idf) {
  make_room(sorted_, items_.size());
  sort([this](std::size_t place, std::uint64_t item) { sorted_[place] = item; });
  make_room(columns_, num_items_);
  make_room(values_, num_items_);
  const std::uint64_t feature_mask = row_step_ - 1;
  std::uint32_t size = 0;
  std::size_t i = 0;
  for (std::uint32_t& row_end : row_ends_) {
    for (const std::size_t end = row_end; i < end;) {
      const std::uint64_t key = sorted_[i] >> 32;
      std::uint64_t count = 0;
      for (; i < end && sorted_[i] >> 32 == key; ++i) count += sorted_[i] & 0xFFFFFFFF;
      const std::uint64_t feature = key & feature_mask;
      columns_[size] = static_cast<std::uint32_t>(feature);
      values_[size++] = weighting.tf(count) * idf[feature];
    }
    row_end = size;
  }
  scale_all(weighting, part_offsets, columns_, values_);
  return {{columns_.data(), size}, {values_.data(), size}, row_ends_};
}

void RowBuilder::finish_values(const Weighting& weighting,
                               std::span<const std::uint64_t> part_offsets,
                               std::span<std::uint32_t> columns, std::span<float> values) {
  MHE_ASSERT(columns.size() == num_items_ && values.size() == num_items_);
  const std::uint64_t feature_mask = row_step_ - 1;
  sort([=](std::size_t place, std::uint64_t item) {
    columns[place] = static_cast<std::uint32_t>(item >> 32 & feature_mask);
    values[place] = std::bit_cast<float>(static_cast<std::uint32_t>(item));
  });
  scale_all(weighting, part_offsets, columns, values);
}

void RowBuilder::scale_all(const Weighting& weighting, std::span<const std::uint64_t> part_offsets,
                           std::span<const std::uint32_t> columns, std::span<float> values) const {
  std::size_t begin = 0;
  for (const std::uint32_t end : row_ends_) {
    scale_row(weighting, part_offsets, columns.subspan(begin, end - begin),
              values.subspan(begin, end - begin));
    begin = end;
  }
}

void make_nonzeros(const Context& context, SparseMatrix& matrix) {
  const std::size_t size = matrix.offsets.back();
  parallel_for(context, 2, [&](std::size_t i) {
    if (i == 0) {
      resize_on_huge_pages(matrix.columns, size);
    } else {
      resize_on_huge_pages(matrix.values, size);
    }
  });
}

}  // namespace mhe::text
