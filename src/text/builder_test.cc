// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "text/builder.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "base/random.h"
#include "text/random_text.h"
#include "text/reference.h"

namespace mhe::text {
namespace {

using Texts = std::vector<std::vector<std::string>>;

Texts make_documents(std::uint64_t seed, std::size_t rows, std::size_t num_fields) {
  RandomStream random(seed, "documents");
  Texts documents(rows);
  for (auto& document : documents) {
    for (std::size_t i = 0; i < num_fields; ++i) {
      document.push_back(random.below(4) == 0 ? random_text(random, 30) : random_words(random, 40));
    }
  }
  return documents;
}

std::vector<std::string_view> flatten(const Texts& documents) {
  std::vector<std::string_view> texts;
  for (const auto& document : documents)
    texts.insert(texts.end(), document.begin(), document.end());
  return texts;
}

Fitted fit(const TextOptions& options, const Texts& documents, std::size_t threads,
           std::size_t batch_rows) {
  const Context context({.threads = threads});
  VectorizerBuilder builder(context, options, KeepDocuments::kYes);
  const std::vector<std::string_view> texts = flatten(documents);
  const std::size_t num_fields = options.fields.size();
  for (std::size_t i = 0; i < documents.size(); i += batch_rows) {
    const std::size_t rows = std::min(batch_rows, documents.size() - i);
    builder.add(Documents(std::span(texts).subspan(i * num_fields, rows * num_fields), num_fields));
  }
  return builder.finish();
}

TextOptions rich_options() {
  TextOptions options;
  options.word_ngrams = 2;
  options.fields = {
      {.name = "title", .own = true, .weight = 2, .first_words = 5},
      {.name = "text", .own = true, .weight = 0.5, .word_ngrams = 0, .char_min = 2, .char_max = 4}};
  return options;
}

TEST(VectorizerBuilder, AgreesWithThePlainWay) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    TextOptions options = rich_options();
    options.min_df = 1 + seed % 3;
    options.max_df = seed % 2 == 0 ? 1.0 : 0.4;
    options.min_token_length = 1 + static_cast<std::uint32_t>(seed % 2);
    options.sublinear_tf = seed % 4 != 0;
    const Texts documents = make_documents(seed, 50, 2);
    const auto expected = reference::tf_idf(options, documents);
    const Fitted fitted = fit(options, documents, 2, 17);
    for (std::size_t i = 0; i < documents.size(); ++i) {
      const SparseRow row = fitted.features[i];
      ASSERT_EQ(row.size(), expected[i].size()) << "seed " << seed << " row " << i;
      for (std::size_t j = 0; j < row.size(); ++j) {
        const std::string name = fitted.vectorizer.feature_name(FeatureId{row.columns[j]});
        ASSERT_TRUE(expected[i].contains(name)) << name;
        // Three roundings to float (tf, idf, their product) and one at the end: 4 * 2^-24.
        ASSERT_NEAR(row.values[j], expected[i].at(name), 2.4e-7) << name;
      }
    }
  }
}

TEST(VectorizerBuilder, GivesTheSameForAnyThreadsAndBatches) {
  const Texts documents = make_documents(1, 2500, 2);
  for (const std::uint32_t hash_bits : {0U, 12U}) {
    for (const std::uint64_t max_vocabulary : {0U, 3000U}) {
      if (hash_bits > 0 && max_vocabulary > 0) continue;
      TextOptions options = rich_options();
      options.hash_bits = hash_bits;
      options.max_vocabulary = max_vocabulary;
      options.max_features = hash_bits > 0 ? 0 : 2000;
      const Fitted one = fit(options, documents, 1, 2500);
      const Fitted four = fit(options, documents, 4, 2500);
      const Fitted pieces = fit(options, documents, 4, 333);
      EXPECT_EQ(one.vectorizer.write(), four.vectorizer.write());
      EXPECT_EQ(one.vectorizer.write(), pieces.vectorizer.write());
      EXPECT_EQ(one.features, four.features);
      EXPECT_EQ(one.features, pieces.features);
    }
  }
}

TEST(VectorizerBuilder, KeepsTheDocumentsAsTransformSeesThem) {
  int round = 0;
  const Texts documents = make_documents(2, 1100, 2);  // "many" for transform()
  TextOptions words_only;
  words_only.fields = {{.name = "a"}, {.name = "b"}};
  for (TextOptions options : {rich_options(), rich_options(), words_only}) {
    if (++round == 2) options.hash_bits = 10;
    options.min_df = 2;
    const Fitted fitted = fit(options, documents, 3, 100);
    const std::vector<std::string_view> texts = flatten(documents);
    for (const std::size_t threads : {1U, 4U}) {
      const Context context({.threads = threads});
      EXPECT_EQ(fitted.vectorizer.transform(context, Documents(texts, 2)), fitted.features);
    }
    Vectorizer::Scratch scratch(fitted.vectorizer);
    for (std::size_t i = 0; i < documents.size(); ++i) {
      const SparseRow row =
          fitted.vectorizer.transform_one(std::span(texts).subspan(2 * i, 2), scratch);
      EXPECT_TRUE(std::ranges::equal(row.columns, fitted.features[i].columns));
      EXPECT_TRUE(std::ranges::equal(row.values, fitted.features[i].values));
    }
  }
}

TEST(VectorizerBuilder, ReadsFieldsThatLieInColumns) {
  std::vector<Strings> columns(2);
  for (const std::string_view text : {"a b", "c"})
    columns[0].push_row(std::span(text.data(), text.size()));
  for (const std::string_view text : {"d", ""})
    columns[1].push_row(std::span(text.data(), text.size()));
  const Context context({.threads = 1});
  TextOptions options;
  options.fields = {{.name = "x"}, {.name = "y"}};
  VectorizerBuilder builder(context, options, KeepDocuments::kYes);
  builder.add(Documents(columns));
  const Fitted fitted = builder.finish();
  EXPECT_EQ(fitted.features.rows(), 2U);
  EXPECT_EQ(fitted.features.nonzeros(), 4U);
  columns[1].end_row();
  EXPECT_THROW(Documents{std::span<const Strings>(columns)}, Error);
}

TEST(VectorizerBuilder, ForgetsRareTermsBeyondTheBound) {
  Texts documents;
  for (std::size_t i = 0; i < 4096; ++i) documents.push_back({"common word" + std::to_string(i)});
  TextOptions options;
  options.max_vocabulary = 1000;
  const Fitted fitted = fit(options, documents, 2, 4096);
  // Pruned after the last document too, since 4096 is a whole number of pieces.
  EXPECT_EQ(fitted.vectorizer.num_features(), 1U);
  EXPECT_EQ(fitted.vectorizer.feature_name(FeatureId{0}), "common");
  EXPECT_EQ(fitted.vectorizer.view().df[0], 4096U);
}

TEST(VectorizerBuilder, KeepsNothingUnlessAsked) {
  const Context context({.threads = 1});
  VectorizerBuilder builder(context, {});
  const std::vector<std::string_view> texts = {"a", "b"};
  builder.add(Documents(texts, 1));
  EXPECT_EQ(builder.num_documents(), 2U);
  EXPECT_THROW(builder.add(Documents(texts, 2)), Error);
  const Fitted fitted = builder.finish();
  EXPECT_EQ(fitted.features.rows(), 0U);
  EXPECT_EQ(fitted.vectorizer.num_features(), 2U);
}

}  // namespace
}  // namespace mhe::text
