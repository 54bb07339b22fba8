// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/checksum.h"

#define XXH_INLINE_ALL  // NOLINT(readability-identifier-naming): the library's own switch
#include <xxhash.h>

namespace mhe {

std::uint64_t checksum64(std::span<const std::byte> bytes) noexcept {
  constexpr XXH64_hash_t kSeed = 0;
  return XXH64(bytes.data(), bytes.size(), kSeed);
}

}  // namespace mhe
