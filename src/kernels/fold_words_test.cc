// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/fold_words.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "base/random.h"

namespace mhe::kernels {
namespace {

// The meaning of fold_words(): every target is tested against this loop.
bool fold_words_reference(const char* text, std::size_t size, char* folded,
                          std::uint64_t* masks) noexcept {
  const std::size_t blocks = num_fold_blocks(size);
  std::fill_n(folded, blocks * kFoldBlock, '\0');
  std::fill_n(masks, blocks, 0);
  bool is_ascii = true;
  for (std::size_t i = 0; i < size; ++i) {
    const char byte = text[i];
    const bool is_capital = byte >= 'A' && byte <= 'Z';
    const bool is_high = static_cast<unsigned char>(byte) >= 0x80;
    const bool is_word =
        is_capital || is_high || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9');
    folded[i] = is_capital ? static_cast<char>(byte - 'A' + 'a') : byte;
    if (is_word) masks[i / kFoldBlock] |= std::uint64_t{1} << (i % kFoldBlock);
    is_ascii = is_ascii && !is_high;
  }
  return is_ascii;
}

struct Folded {
  bool is_ascii = false;
  std::string bytes;
  std::vector<std::uint64_t> masks;

  friend bool operator==(const Folded&, const Folded&) = default;
};

template <class Fold>
Folded run(const Fold& fold, const char* text, std::size_t size) {
  Folded out;
  out.bytes.assign(num_fold_blocks(size) * kFoldBlock, '?');
  out.masks.assign(num_fold_blocks(size), 0x5555);
  out.is_ascii = fold(text, size, out.bytes.data(), out.masks.data());
  return out;
}

// One that asks each bit whether it differs from the one before it.
std::vector<std::uint32_t> edges_reference(const std::vector<std::uint64_t>& masks) {
  std::vector<std::uint32_t> edges;
  bool before = false;
  for (std::size_t i = 0; i < masks.size() * kFoldBlock; ++i) {
    const bool now = (masks[i / kFoldBlock] >> (i % kFoldBlock) & 1) != 0;
    if (now != before) edges.push_back(static_cast<std::uint32_t>(i));
    before = now;
  }
  return edges;
}

std::vector<std::uint32_t> run_edges(const std::vector<std::uint64_t>& masks) {
  std::vector<std::uint32_t> edges(masks.size() * kFoldBlock + kEdgeSlack);
  edges.resize(find_word_edges(masks.data(), masks.size(), edges.data()));
  return edges;
}

template <class Body>
void for_every_target(const Body& body) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(FoldWords, TakesEveryByteAsTheReferenceDoes) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  const Folded expected = run(fold_words_reference, all.data(), all.size());
  EXPECT_FALSE(expected.is_ascii);
  EXPECT_EQ(expected.bytes.substr(0, 128).find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
            std::string::npos);
  for_every_target([&] { EXPECT_EQ(run(fold_words, all.data(), all.size()), expected); });
}

TEST(FoldWords, AnyLengthAtAnyAddress) {
  RandomStream random(1, "fold_words_test");
  std::string text(400, ' ');
  for (char& byte : text) byte = static_cast<char>(random.below(128));
  for_every_target([&] {
    for (std::size_t size = 0; size <= 260; ++size) {
      const char* begin = text.data() + size % 67;
      ASSERT_EQ(run(fold_words, begin, size), run(fold_words_reference, begin, size)) << size;
    }
  });
}

TEST(FoldWords, OneHighByteIsNoticedAnywhere) {
  for_every_target([&] {
    for (std::size_t at = 0; at < 200; ++at) {
      std::string text(200, 'a');
      EXPECT_TRUE(run(fold_words, text.data(), text.size()).is_ascii);
      text[at] = '\x80';
      ASSERT_FALSE(run(fold_words, text.data(), text.size()).is_ascii) << at;
    }
  });
}

TEST(FindWordEdges, DenseSparseAndNone) {
  RandomStream random(2, "fold_words_test");
  std::vector<std::vector<std::uint64_t>> cases = {
      {0}, {1}, {0x5555555555555555}, {0xAAAAAAAAAAAAAAAA, 0}, {~std::uint64_t{0}, 1}};
  for (int i = 0; i < 200; ++i) {
    std::vector<std::uint64_t> masks(1 + random.below(5));
    for (std::uint64_t& mask : masks) mask = i % 2 == 0 ? random() : random() & random() & random();
    cases.push_back(std::move(masks));
  }
  for_every_target([&] {
    for (const auto& masks : cases) ASSERT_EQ(run_edges(masks), edges_reference(masks));
  });
}

}  // namespace
}  // namespace mhe::kernels
