// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/checksum.h"

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace mhe {
namespace {

std::uint64_t checksum_of(std::string_view text) {
  return checksum64(std::as_bytes(std::span(text)));
}

// Values that `xxhsum -H1` prints: files must stay readable whatever library computes them.
TEST(Checksum64, IsXxh64WithSeedZero) {
  EXPECT_EQ(checksum_of(""), 0xef46db3751d8e999U);
  EXPECT_EQ(checksum_of("abc"), 0x44bc2cf5ad770999U);
  EXPECT_EQ(checksum_of("Nobody inspects the spammish repetition"), 0xfbcea83c8a378bf1U);
}

TEST(Checksum64, DoesNotDependOnAlignment) {
  const std::string_view text = "a text that is longer than the 32 bytes of one round of XXH64";
  std::vector<char> shifted(text.size() + 8);
  for (std::size_t shift = 0; shift < 8; ++shift) {
    text.copy(shifted.data() + shift, text.size());
    EXPECT_EQ(checksum_of({shifted.data() + shift, text.size()}), checksum_of(text));
  }
}

TEST(Checksum64, OfPartsIsThatOfTheWhole) {
  const std::string_view text = "a text that is longer than the 32 bytes of one round of XXH64";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Checksum64 parts;
    parts.add(std::as_bytes(std::span(text.substr(0, cut))));
    parts.add(std::as_bytes(std::span(text.substr(cut))));
    EXPECT_EQ(parts.value(), checksum_of(text)) << cut;
  }
  EXPECT_EQ(Checksum64().value(), checksum_of(""));
}

}  // namespace
}  // namespace mhe
