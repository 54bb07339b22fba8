// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/label_codes.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mhe/error.h>

#include "toy_training.h"
#include "train/options.h"

namespace mhe::train {
namespace {

using ::testing::ElementsAre;

constexpr std::uint32_t kLabels = 30;

TrainOptions quick() {
  TrainOptions options;
  options.encoder = "bag";
  options.head = "product";
  options.redundant_heads = 4;
  options.dim = 24;
  options.batch = 32;
  return options;
}

TEST(RedundantLengths, ShareTwelveRootsOfTheLabels) {
  EXPECT_THAT(redundant_lengths(3000, 3), ElementsAre(219, 219, 219));
  EXPECT_EQ(redundant_lengths(3000, 12), std::vector<std::uint32_t>(12, 54));
  EXPECT_EQ(redundant_lengths(3000, 64), std::vector<std::uint32_t>(64, 10));
  EXPECT_THAT(redundant_lengths(1000, 1), ElementsAre(1000));  // fewer would not do
  EXPECT_EQ(redundant_lengths(9, 64), std::vector<std::uint32_t>(64, 2));
}

TEST(LabelCodes, FollowTheOptionsAndNotTheThreads) {
  const TrainingSet set = testing::toy_set(testing::toy_rows(300, kLabels), kLabels);
  const auto codes_for = [&](TrainOptions options, std::size_t threads) {
    const Context context({.threads = threads});
    validate_gradient(options);
    options = resolve_gradient(options, set.examples.rows(), set.names.size());
    return make_label_codes(context, set.examples, plan_gradient(set, options, 0), options).codes;
  };
  TrainOptions random = quick();
  random.order = "random";
  TrainOptions trained = quick();
  trained.code_epochs = 2;
  TrainOptions tight = quick();
  tight.redundant_heads = 0;
  tight.order = "product";
  std::vector<std::vector<std::uint32_t>> all;
  for (const TrainOptions& options : {quick(), random, trained, tight}) {
    all.push_back(codes_for(options, 1));
    EXPECT_EQ(all.back(), codes_for(options, 3));
    EXPECT_EQ(std::count(all.begin(), all.end(), all.back()), 1);
    EXPECT_EQ(all.back().size(), kLabels * (options.redundant_heads > 0 ? 4U : 2U));
  }
  TrainOptions plain = quick();
  plain.redundant_heads = 0;
  EXPECT_TRUE(codes_for(plain, 1).empty());
}

TEST(LabelCodes, RefuseOptionsThatContradictEachOther) {
  const auto expect_refused = [](const auto& change) {
    TrainOptions options = quick();
    change(options);
    options.encoder = "bag";
    EXPECT_THROW(validate(options), Error);
  };
  expect_refused([](TrainOptions& o) { o.head = "cascade"; });
  expect_refused([](TrainOptions& o) { o.heads = 2; });
  expect_refused([](TrainOptions& o) { o.lengths = {6, 6}; });
  expect_refused([](TrainOptions& o) { o.order = "frequency"; });
  expect_refused([](TrainOptions& o) { o.redundant_heads = 65; });
  expect_refused([](TrainOptions& o) {
    o.order = "random";
    o.code_epochs = 1;
  });
  expect_refused([](TrainOptions& o) {
    o.redundant_heads = 0;
    o.code_epochs = 1;
  });
}

}  // namespace
}  // namespace mhe::train
