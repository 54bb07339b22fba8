// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "labels/order.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mhe/error.h>

#include "base/random.h"
#include "labels/centroids.h"

namespace mhe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Lengths = std::vector<std::uint32_t>;

TEST(Order, MapsBothWays) {
  const LabelOrder order({2, 3}, {5, 0, 3});
  EXPECT_EQ(order.position(LabelId{0}), 5U);
  EXPECT_EQ(order.label_at(0), LabelId{1});
  EXPECT_EQ(order.label_at(3), LabelId{2});
  EXPECT_EQ(order.label_at(4), std::nullopt);
  EXPECT_THAT(order.labels(), ElementsAre(LabelId{1}, LabelId{2}, LabelId{0}));
  Lengths digits(2);
  order.digits(LabelId{0}, digits);
  EXPECT_THAT(digits, ElementsAre(1, 2));
}

TEST(Order, RefusesWhatIsNoOrder) {
  EXPECT_THROW(LabelOrder({2, 3}, {0, 6}), Error);
  EXPECT_THROW(LabelOrder({2, 3}, {1, 1}), Error);
  EXPECT_THROW(LabelOrder({2, 3}, {}), Error);
  EXPECT_THROW(LabelOrder(Lengths(3, 4000000000U), {1}), Error);
  const LabelOrder order({2, 3}, {5, 0});
  EXPECT_THROW((void)order.position(LabelId{2}), Error);
  EXPECT_THROW((void)order.label_at(6), Error);
}

TEST(Slots, AreCountedAndPlacedConsistently) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    RandomStream random(seed, "slots-test");
    const Lengths lengths = {static_cast<std::uint32_t>(1 + random.below(30)),
                             static_cast<std::uint32_t>(1 + random.below(30))};
    const std::uint64_t capacity = std::uint64_t{lengths[0]} * lengths[1];
    const std::size_t labels = 1 + random.below(capacity);
    for (const Placement placement : {Placement::kSpread, Placement::kCompact}) {
      const labels::Slots slots(labels, lengths, placement);
      EXPECT_EQ(slots.before(0), 0U);
      EXPECT_EQ(slots.before(capacity), labels);
      for (std::size_t slot = 0; slot < labels; ++slot) {
        const std::uint64_t position = slots.position(slot);
        ASSERT_EQ(slots.before(position), slot) << "seed " << seed;
        ASSERT_EQ(slots.before(position + 1), slot + 1) << "seed " << seed;
      }
    }
  }
}

// Labels in each group of the first digit.
std::vector<std::size_t> group_sizes(const LabelOrder& order) {
  std::vector<std::size_t> sizes(order.space().lengths()[0], 0);
  Lengths digits(order.space().num_heads());
  for (const LabelId label : order.labels()) {
    order.digits(label, digits);
    ++sizes[digits[0]];
  }
  return sizes;
}

void expect_balanced_groups(const LabelOrder& order) {
  const std::vector<std::size_t> sizes = group_sizes(order);
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  EXPECT_LE(*most - *least, 1U);
}

TEST(IdentityOrder, KeepsIds) {
  const LabelOrder order = identity_order(5, {2, 3});
  EXPECT_THAT(order.positions(), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THROW((void)identity_order(7, {2, 3}), Error);
}

TEST(RandomOrder, DependsOnTheSeedAndKeepsGroupsBalanced) {
  const LabelOrder order = random_order(1000, {30, 40}, 1);
  EXPECT_EQ(order, random_order(1000, {30, 40}, 1));
  EXPECT_NE(order, random_order(1000, {30, 40}, 2));
  expect_balanced_groups(order);
}

TEST(RandomOrder, LeavesNoGapsWhenCompact) {
  const LabelOrder order = random_order(1000, {30, 40}, 1, Placement::kCompact);
  EXPECT_EQ(*std::max_element(order.positions().begin(), order.positions().end()), 999U);
}

TEST(FrequencyOrder, GivesGroupsEqualMass) {
  // Zipf: the first label alone has more than a tenth of all examples; 20 groups.
  std::vector<std::uint64_t> counts(2000);
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = 100000 / (i + 20);
  const LabelOrder order = frequency_order(counts, {20, 110});
  expect_balanced_groups(order);
  std::vector<std::uint64_t> mass(20, 0);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    mass[order.position(static_cast<LabelId>(i)) / 110] += counts[i];
  }
  const auto [least, most] = std::minmax_element(mass.begin(), mass.end());
  EXPECT_LE(static_cast<double>(*most - *least), 0.02 * static_cast<double>(*most));
}

TEST(FrequencyOrder, BalancesDeeperLevelsToo) {
  // By hand: 4 groups of 2 in 2 groups of 4. Dealt from the heaviest: {8, 5, 4, 1}, {7, 6, 3, 2}.
  const std::vector<std::uint64_t> counts = {8, 7, 6, 5, 4, 3, 2, 1};
  const LabelOrder order = frequency_order(counts, {2, 2, 2});
  std::vector<std::uint64_t> mass(4, 0);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    mass[order.position(static_cast<LabelId>(i)) / 2] += counts[i];
  }
  EXPECT_THAT(mass, ElementsAre(9, 9, 9, 9));
}

// Labels in clusters: each has random weight on the 10 features of its cluster and a few others.
struct Clustered {
  SparseMatrix centroids;
  std::vector<std::size_t> cluster_of;
};

Clustered make_clustered(std::size_t num_clusters, std::size_t labels_each, std::uint64_t seed) {
  RandomStream random(seed, "clustered-test");
  Clustered made;
  const std::size_t num_labels = num_clusters * labels_each;
  for (std::size_t i = 0; i < num_labels; ++i) made.cluster_of.push_back(i % num_clusters);
  random.shuffle(std::span(made.cluster_of));
  SparseMatrix features;
  features.num_columns = 10 * num_clusters;
  Ragged<LabelId> labels;
  for (std::size_t label = 0; label < num_labels; ++label) {
    std::map<std::uint32_t, float> row;
    for (std::uint32_t f = 0; f < 10; ++f) {
      row[static_cast<std::uint32_t>(10 * made.cluster_of[label]) + f] =
          static_cast<float>(random.uniform());
    }
    for (int noise = 0; noise < 5; ++noise) {
      row[static_cast<std::uint32_t>(random.below(features.num_columns))] += 0.3F;
    }
    for (const auto& [column, value] : row) {
      features.columns.push_back(column);
      features.values.push_back(value);
    }
    features.end_row();
    labels.push_row(std::vector{static_cast<LabelId>(label)});
  }
  made.centroids = label_centroids(Context({.threads = 1}), features, labels,
                                   {.num_labels = num_labels, .max_terms = 0});
  return made;
}

// Share of labels whose group is mostly of their own cluster.
double purity(const LabelOrder& order, const std::vector<std::size_t>& cluster_of,
              std::uint64_t group_width) {
  std::map<std::uint64_t, std::map<std::size_t, std::size_t>> counts;
  for (const LabelId label : order.labels()) {
    ++counts[order.position(label) / group_width][cluster_of[index_of(label)]];
  }
  std::size_t pure = 0;
  for (const auto& [group, clusters] : counts) {
    std::size_t most = 0;
    for (const auto& [cluster, count] : clusters) most = std::max(most, count);
    pure += most;
  }
  return static_cast<double>(pure) / static_cast<double>(order.num_labels());
}

TEST(ClusteredOrder, PutsLabelsOfAClusterIntoAGroup) {
  const Clustered made = make_clustered(16, 40, 5);
  const Context context({.threads = 2, .seed = 3});
  const LabelOrder order = clustered_order(context, made.centroids, {16, 44});
  expect_balanced_groups(order);
  EXPECT_GT(purity(order, made.cluster_of, 44), 0.9);
  EXPECT_LT(purity(random_order(640, {16, 44}, 3), made.cluster_of, 44), 0.25);
}

TEST(ClusteredOrder, FollowsThreeLevels) {
  const Clustered made = make_clustered(12, 20, 6);
  const Context context({.threads = 1});
  const LabelOrder order = clustered_order(context, made.centroids, {4, 3, 25});
  EXPECT_GT(purity(order, made.cluster_of, 25), 0.85);
  expect_balanced_groups(order);
}

TEST(ClusteredOrder, DoesNotDependOnTheNumberOfThreads) {
  const Clustered made = make_clustered(10, 60, 7);
  const LabelOrder one = clustered_order(Context({.threads = 1}), made.centroids, {13, 5, 11});
  for (const std::size_t threads : {2, 3, 8}) {
    EXPECT_EQ(one, clustered_order(Context({.threads = threads}), made.centroids, {13, 5, 11}));
  }
}

TEST(ClusteredOrder, WorksForShapesAtTheEdge) {
  const Context context({.threads = 2});
  const Clustered made = make_clustered(2, 3, 8);
  EXPECT_EQ(clustered_order(context, made.centroids, {6}).num_labels(), 6U);
  EXPECT_EQ(clustered_order(context, made.centroids, {6, 1}).num_labels(), 6U);
  EXPECT_EQ(clustered_order(context, made.centroids, {1, 6}).num_labels(), 6U);
  EXPECT_EQ(clustered_order(context, made.centroids, {1, 2, 1, 3}).num_labels(), 6U);
  expect_balanced_groups(clustered_order(context, made.centroids, {50, 50}));  // mostly empty
  EXPECT_THROW((void)clustered_order(context, made.centroids, {5}), Error);
  EXPECT_THROW((void)clustered_order(context, SparseMatrix{}, {5}), Error);
}

TEST(ClusteredOrder, AcceptsLabelsWithoutFeatures) {
  SparseMatrix nothing;
  nothing.offsets.assign(101, 0);
  const Context context({.threads = 2});
  EXPECT_EQ(clustered_order(context, nothing, {10, 10}).num_labels(), 100U);
}

TEST(ClusteredOrder, PlacesCompactlyOnRequest) {
  const Clustered made = make_clustered(4, 10, 9);
  const Context context({.threads = 2});
  const LabelOrder order = clustered_order(context, made.centroids, {5, 11},
                                           {.max_iterations = 8, .placement = Placement::kCompact});
  EXPECT_EQ(*std::max_element(order.positions().begin(), order.positions().end()), 39U);
}

TEST(LabelCentroids, SumTheRowsOfTheirExamplesToUnitLength) {
  SparseMatrix features;
  features.num_columns = 5;
  features.columns = {0, 2, 2, 4};
  features.values = {3, 1, 3, 7};
  features.offsets = {0, 2, 3, 4};
  Ragged<LabelId> labels;
  labels.push_row(std::vector{LabelId{0}});
  labels.push_row(std::vector{LabelId{0}, LabelId{2}});
  labels.push_row(std::vector<LabelId>{});
  const Context context({.threads = 2});
  const SparseMatrix all = label_centroids(context, features, labels, {3, 0});
  ASSERT_EQ(all.rows(), 3U);
  EXPECT_THAT(all[0].columns, ElementsAre(0, 2));
  EXPECT_THAT(all[0].values, ElementsAre(0.6F, 0.8F));  // (3, 4) / 5
  EXPECT_EQ(all[1].size(), 0U);
  EXPECT_THAT(all[2].columns, ElementsAre(2));
  EXPECT_THAT(all[2].values, ElementsAre(1.0F));
  const SparseMatrix cut = label_centroids(context, features, labels, {3, 1});
  EXPECT_THAT(cut[0].columns, ElementsAre(2));
  EXPECT_THAT(cut[0].values, ElementsAre(1.0F));
  EXPECT_THROW((void)label_centroids(context, features, labels, {2, 0}), Error);
  labels.end_row();
  EXPECT_THROW((void)label_centroids(context, features, labels, {3, 0}), Error);
}

}  // namespace
}  // namespace mhe
