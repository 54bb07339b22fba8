// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <mhe/label_space.h>

#include "base/check.h"

namespace mhe {
namespace {

constexpr std::size_t kMaxBitsPerHead = 31;  // a length of 2^32 does not fit 32 bits

std::optional<std::uint64_t> product_of(std::span<const std::uint32_t> lengths) {
  std::uint64_t product = 1;
  for (const std::uint32_t length : lengths) {
    if (__builtin_mul_overflow(product, std::uint64_t{length}, &product)) return std::nullopt;
  }
  return product;
}

void check_lengths(std::span<const std::uint32_t> lengths) {
  require(!lengths.empty() && lengths.size() <= LabelSpace::kMaxHeads,
          "a label space has 1 to {} heads, got {}", LabelSpace::kMaxHeads, lengths.size());
  for (std::size_t h = 0; h < lengths.size(); ++h) {
    require(lengths[h] >= 1, "the length of head {} is 0; it must be at least 1", h + 1);
  }
}

std::vector<std::uint32_t> digits_of_largest(std::span<const std::uint32_t> lengths) {
  std::vector<std::uint32_t> digits(lengths.begin(), lengths.end());
  for (std::uint32_t& digit : digits) --digit;
  return digits;
}

// Horner's rule for Eq. 11; nothing if the number needs more than 64 bits.
std::optional<std::uint64_t> number_of(std::span<const std::uint32_t> lengths,
                                       std::span<const std::uint32_t> digits) {
  std::uint64_t number = 0;
  for (std::size_t h = 0; h < lengths.size(); ++h) {
    if (__builtin_mul_overflow(number, std::uint64_t{lengths[h]}, &number)) return std::nullopt;
    if (__builtin_add_overflow(number, std::uint64_t{digits[h]}, &number)) return std::nullopt;
  }
  return number;
}

std::size_t bits_of(std::uint32_t length, std::size_t head) {
  require(std::has_single_bit(length),
          "sets of binary labels need heads whose lengths are powers of two; head {} has length {}",
          head + 1, length);
  return static_cast<std::size_t>(std::countr_zero(length));
}

}  // namespace

LabelSpace::LabelSpace(std::vector<std::uint32_t> lengths, std::vector<std::uint32_t> last_label)
    : lengths_(std::move(lengths)),
      last_label_(std::move(last_label)),
      capacity_(product_of(lengths_)) {
  const std::optional<std::uint64_t> last = number_of(lengths_, last_label_);
  if (last && *last != std::numeric_limits<std::uint64_t>::max()) num_labels_ = *last + 1;
}

LabelSpace::LabelSpace(std::uint64_t num_labels, std::vector<std::uint32_t> lengths)
    : lengths_(std::move(lengths)), num_labels_(num_labels) {
  check_lengths(lengths_);
  require(num_labels >= 1, "a label space needs at least 1 label, got 0");
  capacity_ = product_of(lengths_);
  require(!capacity_ || *capacity_ >= num_labels,
          "heads of lengths {} cover {} labels, fewer than the {} there are", describe(),
          capacity_.value_or(0), num_labels);
  last_label_.resize(lengths_.size());
  digits_unchecked(num_labels - 1, last_label_);
}

LabelSpace LabelSpace::full(std::vector<std::uint32_t> lengths) {
  check_lengths(lengths);
  std::vector<std::uint32_t> last = digits_of_largest(lengths);
  return {std::move(lengths), std::move(last)};
}

LabelSpace LabelSpace::powerset(std::size_t num_binary_labels, std::size_t num_heads) {
  require(num_heads >= 1 && num_heads <= kMaxHeads, "a label space has 1 to {} heads, got {}",
          kMaxHeads, num_heads);
  require(num_binary_labels >= num_heads,
          "{} binary labels cannot fill {} heads; each holds at least one", num_binary_labels,
          num_heads);
  const std::size_t share = num_binary_labels / num_heads;
  const std::size_t longer = num_binary_labels % num_heads;
  require(share + (longer > 0 ? 1 : 0) <= kMaxBitsPerHead,
          "{} binary labels in {} heads are more than {} a head; {} heads are enough",
          num_binary_labels, num_heads, kMaxBitsPerHead,
          num_binary_labels / kMaxBitsPerHead + (num_binary_labels % kMaxBitsPerHead > 0 ? 1 : 0));
  std::vector<std::uint32_t> lengths(num_heads, std::uint32_t{1} << share);
  for (std::size_t h = 0; h < longer; ++h) lengths[h] *= 2;
  return full(std::move(lengths));
}

void LabelSpace::check_digits(std::span<const std::uint32_t> digits) const {
  require(digits.size() == num_heads(), "expected {} digits, one for each head, got {}",
          num_heads(), digits.size());
  for (std::size_t h = 0; h < digits.size(); ++h) {
    require(digits[h] < lengths_[h], "digit {} of head {} is out of range; its length is {}",
            digits[h], h + 1, lengths_[h]);
  }
}

void LabelSpace::check_label(std::uint64_t label) const {
  require(!num_labels_ || label < *num_labels_, "label {} is out of range; there are {} labels",
          label, num_labels_.value_or(0));
}

bool LabelSpace::is_phantom_unchecked(std::span<const std::uint32_t> digits) const noexcept {
  return std::lexicographical_compare(last_label_.begin(), last_label_.end(), digits.begin(),
                                      digits.end());
}

bool LabelSpace::is_phantom(std::span<const std::uint32_t> digits) const {
  check_digits(digits);
  return is_phantom_unchecked(digits);
}

void LabelSpace::digits_unchecked(std::uint64_t label,
                                  std::span<std::uint32_t> out) const noexcept {
  for (std::size_t h = lengths_.size(); h-- > 0;) {
    out[h] = static_cast<std::uint32_t>(label % lengths_[h]);
    label /= lengths_[h];
  }
}

void LabelSpace::digits(std::uint64_t label, std::span<std::uint32_t> out) const {
  require(out.size() == num_heads(), "{} digits do not fit an output of {}", num_heads(),
          out.size());
  check_label(label);
  digits_unchecked(label, out);
}

std::uint64_t LabelSpace::label(std::span<const std::uint32_t> digits) const {
  check_digits(digits);
  require(!is_phantom_unchecked(digits), "digits ({}) stand for no label; the last label is ({})",
          fmt::join(digits, ", "), fmt::join(last_label_, ", "));
  const std::optional<std::uint64_t> number = number_of(lengths_, digits);
  require(number.has_value(), "the label with digits ({}) has a number beyond 64 bits",
          fmt::join(digits, ", "));
  return *number;
}

std::size_t LabelSpace::num_binary_labels() const {
  std::size_t count = 0;
  for (std::size_t h = 0; h < num_heads(); ++h) count += bits_of(lengths_[h], h);
  return count;
}

void LabelSpace::set_digits(std::span<const std::uint32_t> members,
                            std::span<std::uint32_t> out) const {
  require(out.size() == num_heads(), "{} digits do not fit an output of {}", num_heads(),
          out.size());
  const std::size_t count = num_binary_labels();
  std::fill(out.begin(), out.end(), 0);
  for (const std::uint32_t member : members) {
    require(member < count, "binary label {} is out of range; there are {}", member, count);
    std::size_t head = 0;
    std::size_t offset = member;  // from the most significant bit of `head`
    for (std::size_t bits = bits_of(lengths_[0], 0); offset >= bits;) {
      offset -= bits;
      ++head;
      bits = bits_of(lengths_[head], head);
    }
    const std::uint32_t bit = lengths_[head] >> (offset + 1);
    require((out[head] & bit) == 0, "binary label {} is named twice in a set", member);
    out[head] |= bit;
  }
  require(!is_phantom_unchecked(out), "the set with digits ({}) is no label of this space",
          fmt::join(out, ", "));
}

std::vector<std::uint32_t> LabelSpace::set_members(std::span<const std::uint32_t> digits) const {
  check_digits(digits);
  std::vector<std::uint32_t> members;
  std::uint32_t first = 0;  // the binary label of the head's most significant bit
  for (std::size_t h = 0; h < num_heads(); ++h) {
    const auto bits = static_cast<std::uint32_t>(bits_of(lengths_[h], h));
    for (std::uint32_t b = 0; b < bits; ++b) {
      if ((digits[h] >> (bits - 1 - b) & 1U) != 0) members.push_back(first + b);
    }
    first += bits;
  }
  return members;
}

std::string LabelSpace::describe() const {
  return fmt::format("{}", fmt::join(lengths_, " x "));
}

}  // namespace mhe
