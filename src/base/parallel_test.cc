// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/error.h>

namespace mhe {
namespace {

TEST(ParallelBlocks, CoversEveryIndexOnceForAnyGrain) {
  const Context context({.threads = 3});
  for (const std::size_t grain : {1, 2, 7, 100, 1000}) {
    std::vector<int> visits(100, 0);
    parallel_blocks(context, visits.size(), grain, [&](const Block& block) {
      EXPECT_EQ(block.begin, block.index * grain);
      EXPECT_LT(block.worker, context.threads());
      for (std::size_t i = block.begin; i < block.end; ++i) ++visits[i];
    });
    EXPECT_EQ(visits, std::vector<int>(100, 1)) << "grain " << grain;
  }
}

TEST(ParallelBlocks, DoesNothingForNoWork) {
  const Context context({.threads = 2});
  parallel_blocks(context, 0, 4, [](const Block&) { FAIL(); });
}

TEST(ParallelFor, CarriesAnExceptionOutAndStaysUsable) {
  const Context context({.threads = 4});
  EXPECT_THROW(parallel_for(context, 100,
                            [](std::size_t i) {
                              if (i == 17) throw std::runtime_error("17");
                            }),
               std::runtime_error);
  std::atomic<std::size_t> sum = 0;
  parallel_for(context, 10, [&](std::size_t i) { sum += i; });
  EXPECT_EQ(sum, 45U);
}

TEST(Context, RefusesAbsurdNumbersOfThreads) {
  EXPECT_THROW(Context({.threads = 1'000'000}), Error);
}

TEST(ParallelFor, RunsNestedCallsOnTheCallingThread) {
  const Context context({.threads = 2});
  std::vector<std::size_t> sums(8, 0);
  parallel_for(context, sums.size(), [&](std::size_t outer) {
    parallel_for(context, 10, [&](std::size_t inner) { sums[outer] += inner; });
  });
  EXPECT_EQ(sums, std::vector<std::size_t>(8, 45));
}

}  // namespace
}  // namespace mhe
