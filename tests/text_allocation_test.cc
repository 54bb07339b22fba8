// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Turning a document into a vector allocates nothing after warm-up. A program of its own, because
// it replaces operator new.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "count_allocations.h"
#include "text/builder.h"

namespace mhe::text {
namespace {

std::size_t count_allocations(std::uint32_t hash_bits) {
  TextOptions options;
  options.fields = {{.name = "title", .own = true, .char_min = 2, .char_max = 4}, {.name = "text"}};
  options.word_ngrams = 2;
  options.hash_bits = hash_bits;
  std::string text;
  for (int i = 0; i < 500; ++i)
    text += "Caf\u00e9 cafe\u0301 \u4e2d\u56fd word" + std::to_string(i) + ", ";
  const std::vector<std::string_view> fields = {"Common \ufb01sheries policy", text};
  const Context context({.threads = 1});
  VectorizerBuilder builder(context, options);
  builder.add(Documents(fields, 2));
  const Fitted fitted = builder.finish();
  Vectorizer::Scratch scratch(fitted.vectorizer);
  const std::size_t size = fitted.vectorizer.transform_one(fields, scratch).size();
  const std::vector<std::string_view> shorter = {"policy", "caf\u00e9"};

  const std::size_t before = num_allocations;
  EXPECT_EQ(fitted.vectorizer.transform_one(fields, scratch).size(), size);
  EXPECT_GT(fitted.vectorizer.transform_one(shorter, scratch).size(), 0U);
  EXPECT_EQ(fitted.vectorizer.transform_one(fields, scratch).size(), size);
  return num_allocations - before;
}

TEST(TransformOne, AllocatesNothingAfterWarmUp) {
  EXPECT_EQ(count_allocations(0), 0U);
  EXPECT_EQ(count_allocations(12), 0U);
}

TEST(TransformOne, IsWatchedByACounterThatCounts) {
  const std::size_t before = num_allocations;
  const std::vector<int> some(100);
  EXPECT_EQ(num_allocations - before, some.empty() ? 0U : 1U);
}

}  // namespace
}  // namespace mhe::text
