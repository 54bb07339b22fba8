// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "text/hash.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace mhe::text {
namespace {

constexpr std::size_t kWords = 100000;

// Pinned, because the columns of models with hashed features depend on these numbers.
TEST(Hash, NeverChangesItsNumbers) {
  EXPECT_EQ(hash_bytes(""), 7423383483382639721U);
  EXPECT_EQ(hash_bytes("fisheries"), 11709430906128939515U);
  EXPECT_EQ(hash_bytes("a word of more than sixteen bytes"), 16130607770738319425U);
  EXPECT_EQ(hash_term("common fisheries"), 13357455215446734913U);
  EXPECT_EQ(hash_in_part(hash_bytes("fisheries"), 1), 11418167206544492344U);
}

TEST(Hash, PaddedGivesTheSameWhateverFollows) {
  const std::string text = "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz";
  for (std::size_t size = 0; size <= 40; ++size) {
    EXPECT_EQ(hash_padded(text.data(), size), hash_bytes(text.substr(0, size))) << size;
    EXPECT_EQ(head_padded(text.data(), size), head_of(text.substr(0, size))) << size;
  }
}

TEST(Hash, JoinsWordsInOrder) {
  const std::uint64_t a = hash_bytes("a");
  const std::uint64_t b = hash_bytes("b");
  EXPECT_EQ(hash_term("a b"), join_hashes(a, b));
  EXPECT_EQ(hash_term("a b a"), join_hashes(join_hashes(a, b), a));
  EXPECT_NE(hash_term("a b"), hash_term("b a"));
  EXPECT_NE(hash_term("#<a"), hash_term("<a"));
}

TEST(Hash, FillsBucketsEvenly) {
  std::set<std::uint32_t> buckets;
  for (std::size_t i = 0; i < kWords; ++i)
    buckets.insert(bucket_of(hash_bytes(std::to_string(i)), 20));
  // With n words in m = 2^20 buckets, m (1 - exp(-n / m)) = 95,370 are met; the standard deviation
  // is below sqrt(n) = 316, and this is five of them.
  EXPECT_NEAR(static_cast<double>(buckets.size()), 95370.0, 1580.0);
}

}  // namespace
}  // namespace mhe::text
