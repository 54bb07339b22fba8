// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/linear_rules.h"

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <mhe/error.h>

namespace mhe::train {
namespace {

std::string complaint(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.what();
  }
  return "";
}

std::string complaint_about(const std::function<void(TrainOptions&)>& change) {
  TrainOptions options;
  change(options);
  return complaint([&] { validate(options); });
}

TEST(LinearPresets, AreValidAndDiffer) {
  for (const char* name : {"fast", "default", "best"}) EXPECT_NO_THROW(validate(preset(name)));
  EXPECT_EQ(to_json(preset("default")), to_json(TrainOptions()));
  EXPECT_NE(to_json(preset("fast")), to_json(preset("default")));
  EXPECT_GT(preset("best").ensemble, 1U);
}

TEST(LinearPresets, RefuseOtherNames) {
  EXPECT_EQ(complaint([] { (void)preset("turbo"); }),
            "preset \"turbo\"; expected fast, default or best");
}

TEST(TrainOptions, SayWhatIsWrong) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(complaint_about([](auto&) {}), "");
  EXPECT_EQ(complaint_about([](auto& o) { o.head = "product"; }),
            "head \"product\"; the linear encoder has cascade and onehot");
  EXPECT_EQ(complaint_about([](auto& o) {
              o.head = "onehot";
              o.lengths = {3, 4};
            }),
            "onehot is a single head; lengths belong to cascade");
  EXPECT_EQ(complaint_about([](auto& o) { o.lengths = {3}; }),
            "a cascade has at least 2 heads; 1 length was given");
  EXPECT_EQ(complaint_about([](auto& o) { o.lengths = {3, 0}; }), "a head of length 0");
  EXPECT_EQ(complaint_about([](auto& o) { o.leaf = 1; }), "leaf 1; expected at least 2, or 0");
  EXPECT_EQ(complaint_about([](auto& o) { o.ensemble = 0; }), "ensemble 0; expected 1 to 64");
  EXPECT_EQ(complaint_about([](auto& o) { o.ensemble = 65; }), "ensemble 65; expected 1 to 64");
  EXPECT_EQ(complaint_about([](auto& o) { o.beam = 0; }), "beam 0; expected 1 to 1000000");
  EXPECT_EQ(complaint_about([](auto& o) { o.beam = 1'000'001; }),
            "beam 1000001; expected 1 to 1000000");
  EXPECT_EQ(complaint_about([](auto& o) { o.parent_power = -1; }),
            "parent power -1; expected 0 or more");
  EXPECT_EQ(complaint_about([](auto& o) { o.loss_weight = -1; }),
            "loss weight -1; expected 0 or more");
  EXPECT_EQ(complaint_about([](auto& o) { o.cascade.solver.sweeps = 0; }),
            "sweeps 0; expected at least 1");
  EXPECT_EQ(complaint_about([&](auto& o) { o.prune = infinity; }),
            "prune inf; expected 0 or more, or -1");
  EXPECT_EQ(complaint_about([](auto& o) { o.held_out = 0.6; }), "held out 0.6; expected 0 to 0.5");
  EXPECT_NE(complaint_about([](auto& o) { o.held_out = std::nan(""); }), "");
}

TEST(TrainOptions, AllAreInTheJson) {
  TrainOptions options;
  options.lengths = {3, 5};
  options.text.fields = {{.name = "title", .own = true}};
  const auto json = nlohmann::json::parse(to_json(options));
  EXPECT_EQ(json.at("lengths"), nlohmann::json({3, 5}));
  EXPECT_EQ(json.at("head"), "auto");
  EXPECT_EQ(json.at("fields").at(0).at("name"), "title");
  std::size_t visited = 0;
  options.visit([&](const char* name, auto&, const char*) {
    ++visited;
    EXPECT_TRUE(json.contains(name)) << name;
  });
  EXPECT_EQ(json.size(), visited);
}

TEST(DefaultLengths, CoverTheLabelsWithFewHeads) {
  for (const std::size_t labels : {2U, 39U, 40U, 41U, 159U, 4271U, 10'240U, 10'241U, 5'000'000U}) {
    for (const std::size_t leaf : {2U, 25U, 40U}) {
      const auto lengths = default_lengths(labels, leaf);
      ASSERT_GE(lengths.size(), 2U);
      double covered = 1;
      for (const std::uint32_t length : lengths) covered *= length;
      EXPECT_GE(covered, static_cast<double>(labels)) << labels << " " << leaf;
      EXPECT_LE(lengths.back(), leaf);
      EXPECT_LE(lengths.front(), 256U);
    }
  }
  EXPECT_EQ(default_lengths(4271, 40).size(), 2U);
}

TEST(LeafRule, GrowsWithTheLabelsWithinBounds) {
  TrainOptions options;
  EXPECT_EQ(leaf_of(options, 100), 40U);
  EXPECT_EQ(leaf_of(options, 10'000), 65U);
  EXPECT_EQ(leaf_of(options, 10'000'000), 100U);
  options.leaf = 7;
  EXPECT_EQ(leaf_of(options, 10'000), 7U);
}

SparseMatrix with_nonzeros(std::size_t nonzeros) {
  SparseMatrix features;
  features.num_columns = 10;
  features.columns.assign(nonzeros, 0);
  features.values.assign(nonzeros, 1);
  features.offsets = {0, nonzeros};
  return features;
}

TEST(HeadRule, IsOneHotWhereATreeSavesNothing) {
  const SparseMatrix features = with_nonzeros(1000);
  EXPECT_EQ(completed({}, features, 500'000).head, "onehot");
  EXPECT_EQ(completed({}, features, 500'001).head, "cascade");
}

TEST(HeadRule, LeavesWhatIsGiven) {
  const SparseMatrix features = with_nonzeros(10);
  TrainOptions with_lengths;
  with_lengths.lengths = {2, 3};
  EXPECT_EQ(completed(with_lengths, features, 5).head, "cascade");
  EXPECT_EQ(completed(preset("fast"), features, 5).head, "cascade");
  TrainOptions with_head;
  with_head.head = "cascade";
  EXPECT_EQ(completed(with_head, features, 5).head, "cascade");
  with_head.head = "onehot";
  EXPECT_EQ(completed(with_head, with_nonzeros(1000), 500'001).head, "onehot");
}

TEST(CandidatesRule, AreMoreForLongRowsUnlessGiven) {
  constexpr std::size_t kManyLabels = 1'000'000;
  const TrainOptions of_short = completed({}, with_nonzeros(149), kManyLabels);
  EXPECT_EQ(of_short.cascade.candidates, 10U);
  TrainOptions with_head;
  with_head.head = "cascade";
  EXPECT_EQ(member_lengths(completed(with_head, with_nonzeros(149), 4000), 4000, 0).back(), 41U);
  const TrainOptions of_long = completed(with_head, with_nonzeros(150), 4000);
  EXPECT_EQ(of_long.cascade.candidates, 20U);
  EXPECT_EQ(of_long.candidates, 20);
  EXPECT_EQ(member_lengths(of_long, 4000, 0).back(), 80U);
  with_head.candidates = 0;
  with_head.leaf = 7;
  const TrainOptions given = completed(with_head, with_nonzeros(150), 4000);
  EXPECT_EQ(given.cascade.candidates, 0U);
  EXPECT_EQ(given.leaf, 7U);
  EXPECT_EQ(completed(preset("fast"), with_nonzeros(150), 4000).cascade.candidates, 10U);
}

TEST(TextRule, FavoursTheFirstOfSeveralColumns) {
  text::VectorizerOptions text = TrainOptions().text;
  choose_text_options({{"title", "body"}, 5000, 256}, text);
  ASSERT_EQ(text.fields.size(), 2U);
  EXPECT_EQ(text.fields[0].name, "title");
  EXPECT_TRUE(text.fields[0].own);
  EXPECT_EQ(text.fields[0].word_ngrams, 2U);
  EXPECT_FALSE(text.fields[1].own);
  EXPECT_EQ(text.word_ngrams, 1U);
  EXPECT_EQ(text.min_token_length, 2U);
  EXPECT_EQ(text.min_df, 2U);
}

TEST(TextRule, ManyShortTextsLoseWhatTwoOfThemHold) {
  text::VectorizerOptions text = TrainOptions().text;
  choose_text_options({{"text"}, 100, 256}, text);
  EXPECT_EQ(text.min_df, 3U);
  EXPECT_EQ(text.min_token_length, 1U);
}

TEST(TextRule, ShortTextsOfOneColumnGetPairsAndCharacters) {
  text::VectorizerOptions text = TrainOptions().text;
  choose_text_options({{"text"}, 100, 20}, text);
  ASSERT_EQ(text.fields.size(), 1U);
  EXPECT_EQ(text.word_ngrams, 2U);
  EXPECT_EQ(text.fields[0].first_words, 3U);
  EXPECT_EQ(text.fields[0].char_max, 5U);
}

TEST(DefaultPrune, DropsLessWhereRowsHaveMoreFeaturesOrAreFew) {
  constexpr std::size_t kMany = 1'000'000;
  EXPECT_FLOAT_EQ(default_prune(250 * kMany, kMany, 1), 0.0608F);
  EXPECT_FLOAT_EQ(default_prune(250 * kMany, kMany, 2), 0.1216F);
  EXPECT_FLOAT_EQ(default_prune(250 * kMany, kMany, 100), 0.25F);
  EXPECT_LT(default_prune(600 * kMany, kMany, 1), default_prune(200 * kMany, kMany, 1));
  EXPECT_FLOAT_EQ(default_prune(10 * kMany, kMany, 1), 0.12F);
  EXPECT_FLOAT_EQ(default_prune(kMany, kMany / 10, 1), 0.03F);
  EXPECT_EQ(default_prune(0, 0, 1), 0);
}

}  // namespace
}  // namespace mhe::train
