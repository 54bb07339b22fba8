// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include <mhe/label_space.h>

#include "base/check.h"

namespace mhe {
namespace {

constexpr std::size_t kMaxNames = std::numeric_limits<std::uint32_t>::max() - 1;

std::size_t hash_of(std::string_view name) noexcept {
  return std::hash<std::string_view>{}(name);  // orders nothing: it may differ between machines
}

}  // namespace

LabelNames LabelNames::numbered(std::size_t count) {
  LabelNames names;
  names.extend_numbered(count);
  return names;
}

void LabelNames::extend_numbered(std::size_t count) {
  if (count > kMaxNames) {
    fail(ErrorCode::kResourceLimit, "{} labels; at most {} are supported", count, kMaxNames);
  }
  if (count <= num_numbered_) return;
  if (strings_.rows() > 0) {
    fail(ErrorCode::kInvalidData,
         "labels numbered up to {} cannot follow named labels such as \"{}\"; give both files the "
         "same kind of labels",
         count - 1, string_at(strings_, 0));
  }
  num_numbered_ = count;
}

LabelId LabelNames::intern(std::string_view name) {
  if (const auto id = find_numbered(name)) return *id;
  if ((strings_.rows() + 1) * 2 > slots_.size()) grow();
  const std::size_t slot = slot_of(name);
  if (slots_[slot] == 0) {
    if (size() >= kMaxNames) {
      fail(ErrorCode::kResourceLimit, "more than {} labels are not supported", kMaxNames);
    }
    strings_.push_row({name.data(), name.size()});
    slots_[slot] = static_cast<std::uint32_t>(strings_.rows());
  }
  return LabelId{static_cast<std::uint32_t>(num_numbered_ + slots_[slot] - 1)};
}

std::optional<LabelId> LabelNames::find(std::string_view name) const {
  if (const auto id = find_numbered(name)) return id;
  if (slots_.empty()) return std::nullopt;
  const std::uint32_t entry = slots_[slot_of(name)];
  if (entry == 0) return std::nullopt;
  return LabelId{static_cast<std::uint32_t>(num_numbered_ + entry - 1)};
}

std::string LabelNames::name(LabelId id) const {
  const std::size_t index = index_of(id);
  require(index < size(), "label {} does not exist; there are {}", index, size());
  if (index < num_numbered_) return fmt::format("{}", index);
  return std::string(string_at(strings_, index - num_numbered_));
}

std::optional<LabelId> LabelNames::find_numbered(std::string_view name) const {
  if (num_numbered_ == 0 || name.empty()) return std::nullopt;
  if (name.size() > 1 && name.front() == '0') return std::nullopt;  // "007" is a name, not a number
  std::uint32_t number = 0;
  const auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (status != std::errc() || end != name.data() + name.size()) return std::nullopt;
  if (number >= num_numbered_) return std::nullopt;
  return LabelId{number};
}

std::size_t LabelNames::slot_of(std::string_view name) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash_of(name) & mask;
  while (slots_[slot] != 0 && string_at(strings_, slots_[slot] - 1) != name) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

void LabelNames::grow() {
  constexpr std::size_t kFirstSlots = 1024;  // a power of two, so that a mask replaces the modulus
  slots_.assign(std::max(kFirstSlots, slots_.size() * 2), 0);
  for (std::size_t row = 0; row < strings_.rows(); ++row) {
    slots_[slot_of(string_at(strings_, row))] = static_cast<std::uint32_t>(row + 1);
  }
}

}  // namespace mhe
