// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "text/vectorizer.h"

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "text/builder.h"

namespace mhe::text {
namespace {

using Row = std::map<std::string, float>;

std::vector<Row> named_rows(const Vectorizer& vectorizer, const SparseMatrix& matrix) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    Row& row = rows.emplace_back();
    for (std::size_t j = 0; j < matrix[i].size(); ++j) {
      row[vectorizer.feature_name(FeatureId{matrix[i].columns[j]})] = matrix[i].values[j];
    }
  }
  return rows;
}

Fitted fit(const TextOptions& options, const std::vector<std::string_view>& texts) {
  const Context context({.threads = 1});
  VectorizerBuilder builder(context, options, KeepDocuments::kYes);
  builder.add(Documents(texts, options.fields.size()));
  return builder.finish();
}

std::vector<Row> fit_rows(const TextOptions& options, const std::vector<std::string_view>& texts) {
  const Fitted fitted = fit(options, texts);
  return named_rows(fitted.vectorizer, fitted.features);
}

// Values are floats made of doubles: half a unit in the last place of numbers up to 2.
constexpr float kTolerance = 2e-7F;

void expect_near(const Row& row, const Row& expected) {
  ASSERT_EQ(row.size(), expected.size());
  for (const auto& [name, value] : expected) {
    ASSERT_TRUE(row.contains(name)) << name;
    EXPECT_NEAR(row.at(name), value, kTolerance) << name;
  }
}

// n = 3; df: sea 2, fish 2, net 1. ln(4/3) + 1 = 1.287682, ln(4/2) + 1 = 1.693147.
const std::vector<std::string_view> kThree = {"sea fish", "fish net net", "sea"};

TEST(Vectorizer, WeighsByTheFormulas) {
  const auto rows = fit_rows({}, kThree);
  expect_near(rows[0], {{"sea", std::sqrt(0.5F)}, {"fish", std::sqrt(0.5F)}});
  const double fish = std::log(4.0 / 3.0) + 1;
  const double net = (1 + std::log(2.0)) * (std::log(2.0) + 1);  // twice in the document
  const double norm = std::sqrt(fish * fish + net * net);
  expect_near(rows[1],
              {{"fish", static_cast<float>(fish / norm)}, {"net", static_cast<float>(net / norm)}});
  expect_near(rows[2], {{"sea", 1.0F}});
}

TEST(Vectorizer, CanLeaveOutEachStep) {
  TextOptions plain;
  plain.sublinear_tf = false;
  plain.idf = false;
  plain.l2_norm = false;
  expect_near(fit_rows(plain, kThree)[1], {{"fish", 1.0F}, {"net", 2.0F}});
  plain.binary = true;
  expect_near(fit_rows(plain, kThree)[1], {{"fish", 1.0F}, {"net", 1.0F}});
  plain.binary = false;
  plain.idf = true;
  expect_near(fit_rows(plain, kThree)[1], {{"fish", static_cast<float>(std::log(4.0 / 3.0) + 1)},
                                           {"net", static_cast<float>(2 * std::log(2.0) + 2)}});
}

TEST(Vectorizer, CountsFarBeyondAByte) {
  TextOptions plain;
  plain.sublinear_tf = false;
  plain.idf = false;
  plain.l2_norm = false;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "fish sea ";
  const Fitted fitted = fit(plain, {text});
  expect_near(named_rows(fitted.vectorizer, fitted.features)[0],
              {{"fish", 1000.0F}, {"sea", 1000.0F}});
  const Context context({.threads = 1});
  const std::vector<std::string_view> texts = {text};
  EXPECT_EQ(fitted.vectorizer.transform(context, Documents(texts, 1)), fitted.features);
}

TEST(Vectorizer, DropsRareAndCommonTerms) {
  TextOptions options;
  options.min_df = 2;
  EXPECT_EQ(fit(options, kThree).vectorizer.num_features(), 2U);
  options.min_df = 1;
  options.max_df = 0.5;  // fish and sea are in 2 of 3
  const Fitted fitted = fit(options, kThree);
  ASSERT_EQ(fitted.vectorizer.num_features(), 1U);
  EXPECT_EQ(fitted.vectorizer.feature_name(FeatureId{0}), "net");
  EXPECT_EQ(fitted.features[0].size(), 0U);
}

TEST(Vectorizer, KeepsTheMostFrequentTermsAndBreaksTiesByString) {
  TextOptions options;
  options.max_features = 1;
  EXPECT_EQ(fit(options, kThree).vectorizer.feature_name(FeatureId{0}), "fish");
}

TEST(Vectorizer, NormalisesAndWeighsPartsOnTheirOwn) {
  TextOptions options;
  options.idf = false;
  options.fields = {{.name = "title", .own = true, .weight = 2}, {.name = "text"}};
  // Common: a, b, b c d as a 1, b 1 + ln 2, c 1, d 1. Own: a, b.
  const auto rows = fit_rows(options, {"a b", "b c d"});
  const double b = 1 + std::log(2.0);
  const double common = 1 / std::sqrt(3 + b * b) / std::sqrt(5.0);  // 1^2 + 2^2 = 5
  const auto own = static_cast<float>(2 / std::sqrt(2.0) / std::sqrt(5.0));
  const auto one = static_cast<float>(common);
  expect_near(rows[0], {{"a", one},
                        {"b", static_cast<float>(b * common)},
                        {"c", one},
                        {"d", one},
                        {"title:a", own},
                        {"title:b", own}});
}

TEST(Vectorizer, GivesAMissingPartNoShareOfTheLength) {
  TextOptions options;
  options.fields = {{.name = "title", .own = true, .weight = 2}, {.name = "text"}};
  const auto rows = fit_rows(options, {"", "b", "a", "b"});
  expect_near(rows[0], {{"b", 1.0F}});
}

TEST(Vectorizer, SortsColumnsByPartThenTerm) {
  TextOptions options;
  options.fields = {{.name = "title", .own = true, .char_min = 2, .char_max = 2}};
  const Fitted fitted = fit(options, {"b a"});
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < fitted.vectorizer.num_features(); ++i) {
    names.push_back(fitted.vectorizer.feature_name(FeatureId{i}));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "title:#<a", "title:#<b", "title:#a>",
                                             "title:#b>", "title:a", "title:b"}));
  EXPECT_THROW((void)fitted.vectorizer.feature_name(FeatureId{8}), Error);
}

TEST(Vectorizer, HashesIntoBucketsOfEachPart) {
  TextOptions options;
  options.hash_bits = 10;
  options.fields = {{.name = "title", .own = true}};
  const Fitted fitted = fit(options, {"sea fish", "sea"});
  EXPECT_EQ(fitted.vectorizer.num_features(), 2048U);
  EXPECT_EQ(fitted.vectorizer.view().term_begins.size(), 0U);
  const SparseRow row = fitted.features[1];
  ASSERT_EQ(row.size(), 2U);
  EXPECT_EQ(row.columns[0], bucket_of(hash_bytes("sea"), 10));
  EXPECT_EQ(row.columns[1], 1024 + bucket_of(hash_in_part(hash_bytes("sea"), 1), 10));
  EXPECT_EQ(fitted.vectorizer.view().df[row.columns[0]], 2U);
  EXPECT_EQ(fitted.vectorizer.feature_name(FeatureId{1025}), "title:bucket 1");
}

TEST(Vectorizer, IgnoresTermsItDoesNotKnow) {
  const Fitted fitted = fit({}, kThree);
  Vectorizer::Scratch scratch(fitted.vectorizer);
  const std::vector<std::string_view> unknown = {"whale"};
  EXPECT_EQ(fitted.vectorizer.transform_one(unknown, scratch).size(), 0U);
  const std::vector<std::string_view> mixed = {"whale SEA"};
  const SparseRow row = fitted.vectorizer.transform_one(mixed, scratch);
  ASSERT_EQ(row.size(), 1U);
  EXPECT_FLOAT_EQ(row.values[0], 1.0F);
}

TEST(Vectorizer, RefusesAWrongNumberOfFields) {
  const Fitted fitted = fit({}, kThree);
  Vectorizer::Scratch scratch(fitted.vectorizer);
  const std::vector<std::string_view> two = {"a", "b"};
  EXPECT_THROW((void)fitted.vectorizer.transform_one(two, scratch), Error);
  const Context context({.threads = 1});
  EXPECT_THROW((void)fitted.vectorizer.transform(context, Documents(two, 2)), Error);
  EXPECT_THROW(Documents(two, 3), Error);
}

TEST(Vectorizer, WorksWithoutDocuments) {
  const Fitted fitted = fit({}, {});
  EXPECT_EQ(fitted.vectorizer.num_features(), 0U);
  EXPECT_EQ(fitted.features.rows(), 0U);
  const Context context({.threads = 1});
  EXPECT_EQ(fitted.vectorizer.transform(context, Documents(kThree, 1)).nonzeros(), 0U);
}

}  // namespace
}  // namespace mhe::text
