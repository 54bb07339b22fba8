// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/neighbours.h"

#include <cmath>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace mhe::heads {
namespace {

struct Rows {
  SparseMatrix features;
  Ragged<LabelId> labels;

  void add(const std::vector<std::uint32_t>& columns, const std::vector<std::uint32_t>& of) {
    for (const std::uint32_t column : columns) {
      features.columns.push_back(column);
      features.values.push_back(0.5F);
    }
    features.end_row();
    for (const std::uint32_t label : of) labels.items.push_back(LabelId{label});
    labels.end_row();
  }
};

// 60 rows, each of a feature of its own and one that it shares with two others.
Rows thirds() {
  Rows rows;
  rows.features.num_columns = 80;
  for (std::uint32_t row = 0; row < 60; ++row) rows.add({row / 3, 20 + row}, {row});
  return rows;
}

std::vector<NeighbourFeature> all_features(std::uint32_t count) {
  std::vector<NeighbourFeature> used(count);
  for (std::uint32_t i = 0; i < count; ++i) used[i].feature = i;
  return used;
}

std::map<std::uint32_t, float> search(const NeighbourView& index,
                                      const std::vector<std::uint32_t>& columns,
                                      NeighbourScratch& scratch) {
  const std::vector<float> values(columns.size(), 1.0F);
  search_neighbours(index, {columns, values}, scratch);
  std::map<std::uint32_t, float> found;
  for (const ScoredLabel& label : scratch.labels)
    found[static_cast<std::uint32_t>(label.label)] = label.score;
  EXPECT_EQ(found.size(), scratch.labels.size()) << "a label came twice";
  return found;
}

TEST(Neighbours, SharesGoToTheLabelsOfLikeRows) {
  const Rows rows = thirds();
  const NeighbourIndex index = build_neighbours(rows.features, rows.labels, all_features(80));
  NeighbourScratch scratch;
  const auto found = search(index.view(), {1, 23}, scratch);
  ASSERT_EQ(found.size(), 2U + 1U);
  EXPECT_GT(found.at(3), 5 * found.at(4));
  EXPECT_FLOAT_EQ(found.at(4), found.at(5));
  EXPECT_NEAR(found.at(3) + found.at(4) + found.at(5), 1, 1e-5);
}

TEST(Neighbours, AQueryLeavesNothingBehind) {
  const Rows rows = thirds();
  const NeighbourIndex index = build_neighbours(rows.features, rows.labels, all_features(80));
  NeighbourScratch scratch;
  const auto first = search(index.view(), {1, 23}, scratch);
  (void)search(index.view(), {1, 4, 5, 70}, scratch);
  EXPECT_EQ(search(index.view(), {1, 23}, scratch), first);
  EXPECT_TRUE(search(index.view(), {}, scratch).empty());
}

TEST(Neighbours, FrequentFeaturesFindNothing) {
  Rows rows;
  rows.features.num_columns = 2;
  for (std::uint32_t row = 0; row < 40; ++row) {
    rows.add(row < 5 ? std::vector<std::uint32_t>{0} : std::vector<std::uint32_t>{}, {row});
  }
  const NeighbourIndex index = build_neighbours(rows.features, rows.labels, all_features(2));
  EXPECT_TRUE(index.rows.empty());
}

TEST(Neighbours, WordsOfAStemFindEachOther) {
  Rows rows;
  rows.features.num_columns = 40;
  for (std::uint32_t row = 0; row < 40; ++row) rows.add({row}, {row});
  std::vector<NeighbourFeature> used = all_features(40);
  used[3].stem = used[4].stem = 0;
  const NeighbourIndex index = build_neighbours(rows.features, rows.labels, used);
  NeighbourScratch scratch;
  const auto found = search(index.view(), {3}, scratch);
  ASSERT_TRUE(found.contains(4));
  EXPECT_GT(found.at(3), found.at(4));
  EXPECT_EQ(search(index.view(), {5}, scratch).size(), 1U);
}

// The definition, row by row in double.
std::map<std::uint32_t, double> reference(const Rows& rows,
                                          const std::vector<std::uint32_t>& query) {
  const auto num_rows = static_cast<double>(rows.features.rows());
  std::map<std::uint32_t, double> counts;
  for (const std::uint32_t column : rows.features.columns) ++counts[column];
  const auto weight = [&](std::uint32_t column) {
    const double idf = std::log((num_rows + 1) / (counts[column] + 1)) + 1;
    return counts[column] * 10 > num_rows ? 0 : idf * idf;
  };
  const std::set<std::uint32_t> asked(query.begin(), query.end());
  std::vector<double> similarity;
  double best = 0;
  for (std::size_t row = 0; row < rows.features.rows(); ++row) {
    double shared = 0;
    double squares = 0;
    for (const std::uint32_t column : rows.features[row].columns) {
      squares += weight(column);
      if (asked.contains(column)) shared += weight(column);
    }
    similarity.push_back(shared > 0 ? shared / std::sqrt(std::sqrt(squares)) : 0);
    best = std::max(best, similarity.back());
  }
  double all = 0;
  std::map<std::uint32_t, double> shares;
  for (std::size_t row = 0; row < similarity.size(); ++row) {
    if (similarity[row] <= 0.3 * best) continue;
    all += std::pow(similarity[row], 4);
    for (const LabelId label : rows.labels[row]) {
      shares[static_cast<std::uint32_t>(index_of(label))] += std::pow(similarity[row], 4);
    }
  }
  for (auto& [label, share] : shares) share /= all;
  return shares;
}

std::vector<std::uint32_t> random_columns(std::uint32_t count, RandomStream& random) {
  std::set<std::uint32_t> columns;
  for (std::size_t i = 0; i < 6; ++i) {
    columns.insert(static_cast<std::uint32_t>(random.below(1 + random.below(count))));
  }
  return {columns.begin(), columns.end()};
}

TEST(Neighbours, AreThoseOfAFullScan) {
  RandomStream random(3, "neighbours_test");
  Rows rows;
  rows.features.num_columns = 200;
  for (std::size_t row = 0; row < 500; ++row) {
    std::vector<std::uint32_t> labels = {static_cast<std::uint32_t>(random.below(80))};
    if (random.below(3) == 0) labels.push_back(80);
    rows.add(random_columns(200, random), labels);
  }
  const NeighbourIndex index = build_neighbours(rows.features, rows.labels, all_features(200));
  NeighbourScratch scratch;
  for (int round = 0; round < 100; ++round) {
    const std::vector<std::uint32_t> query = random_columns(200, random);
    const auto found = search(index.view(), query, scratch);
    const auto expected = reference(rows, query);
    ASSERT_EQ(found.size(), expected.size());
    // A few hundred float roundings of 6e-8 each.
    for (const auto& [label, share] : expected) EXPECT_NEAR(found.at(label), share, 1e-4);
  }
}

}  // namespace
}  // namespace mhe::heads
