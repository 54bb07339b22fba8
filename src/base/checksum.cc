// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/checksum.h"

#define XXH_INLINE_ALL  // NOLINT(readability-identifier-naming): the library's own switch
#include <xxhash.h>

namespace mhe {
namespace {

constexpr XXH64_hash_t kSeed = 0;

}  // namespace

struct Checksum64::State {
  XXH64_state_t hash;
};

Checksum64::Checksum64() : state_(std::make_unique<State>()) {
  (void)XXH64_reset(&state_->hash, kSeed);
}

Checksum64::~Checksum64() = default;

void Checksum64::add(std::span<const std::byte> bytes) noexcept {
  if (!bytes.empty()) (void)XXH64_update(&state_->hash, bytes.data(), bytes.size());
}

std::uint64_t Checksum64::value() const noexcept {
  return XXH64_digest(&state_->hash);
}

std::uint64_t checksum64(std::span<const std::byte> bytes) noexcept {
  // An empty span may hold no address, which XXH64 need not accept.
  const std::byte nothing{};
  const std::byte* begin = bytes.data();
  return XXH64(begin == nullptr ? &nothing : begin, bytes.size(), kSeed);
}

}  // namespace mhe
