// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/node_solver.h"

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace mhe::heads {
namespace {

// Rows of a few features; row r belongs to child r % 3.
SparseMatrix make_rows(std::uint32_t rows) {
  SparseMatrix matrix;
  matrix.num_columns = 12;
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      matrix.columns.push_back(3 * i + (i + row) % 3);
      matrix.values.push_back(0.5F);
    }
    matrix.end_row();
  }
  return matrix;
}

std::vector<Visit> make_visits(std::uint32_t first, std::uint32_t rows) {
  std::vector<Visit> visits;
  for (std::uint32_t row = first; row < rows; ++row) visits.push_back({row, row % 3});
  return visits;
}

void expect_equal(const NodeWeights& a, const NodeWeights& b) {
  EXPECT_EQ(a.present, b.present);
  EXPECT_EQ(a.bias, b.bias);
  EXPECT_EQ(a.features, b.features);
  EXPECT_EQ(a.masks, b.masks);
  EXPECT_EQ(a.values, b.values);
}

TEST(NodeSolver, SharedExamplesGiveTheSameWeights) {
  const SparseMatrix features = make_rows(30);
  for (const std::uint32_t first : {0U, 7U, 20U}) {  // with all rows, and with some
    const std::vector<Visit> visits = make_visits(first, 30);
    NodeSolver solver(features, {});
    NodeExamples shared;
    solver.gather(visits, shared);
    NodeSolver other(features, {});
    for (const ChildRange children : {ChildRange{0, 2}, ChildRange{2, 3}}) {
      const NodeWeights mine = other.solve(shared, visits, children, RandomStream(1, "test"));
      EXPECT_FALSE(mine.values.empty());
      expect_equal(mine, solver.solve(visits, children, RandomStream(1, "test")));
    }
  }
}

TEST(NodeSolver, RowsKeepTheirValuesWhereTheyAre) {
  const SparseMatrix features = make_rows(30);
  NodeSolver solver(features, {});
  for (const std::uint32_t first : {1U, 20U}) {
    NodeExamples examples;
    solver.gather(make_visits(first, 30), examples);
    ASSERT_EQ(examples.rows.size(), 30U - first);
    EXPECT_EQ(examples.rows.front().value_begin, features.offsets[first]);
    EXPECT_EQ(examples.rows.back().value_begin, features.offsets[29]);
    EXPECT_EQ(examples.rows.back().size, 4U);
  }
}

TEST(NodeSolver, CopiesColumnsOnlyOfAFewOfTheRows) {
  const SparseMatrix features = make_rows(30);
  NodeSolver solver(features, {});
  NodeExamples examples;
  solver.gather(make_visits(0, 15), examples);
  EXPECT_FALSE(examples.is_copy);
  solver.gather(make_visits(0, 14), examples);
  EXPECT_TRUE(examples.is_copy);
  EXPECT_EQ(examples.columns.size(), 14U * 4U);
}

TEST(NodeSolver, CopiedColumnsGiveTheSameWeights) {
  const SparseMatrix few = make_rows(30);
  const SparseMatrix many = make_rows(100);
  const std::vector<Visit> visits = make_visits(0, 30);
  NodeSolver in_place(few, {});
  NodeSolver copying(many, {});
  expect_equal(in_place.solve(visits, {0, 3}, RandomStream(1, "test")),
               copying.solve(visits, {0, 3}, RandomStream(1, "test")));
}

// More children than are solved side by side, of different frequency.
TEST(NodeSolver, ChildrenDoNotDependOnThoseBesideThem) {
  constexpr std::uint32_t kChildren = 41;
  SparseMatrix features;
  features.num_columns = 60;
  std::vector<Visit> visits;
  RandomStream random(3, "node_solver_test");
  for (std::uint32_t row = 0; row < 200; ++row) {
    const auto child = static_cast<std::uint32_t>(random.below(1 + random.below(kChildren)));
    for (std::uint32_t column = child; column < features.num_columns; column += 7) {
      if (column != child && random.below(2) == 0) continue;
      features.columns.push_back(column);
      features.values.push_back(0.3F);
    }
    features.end_row();
    visits.push_back({row, child});
  }
  // Every example is looked at in every sweep: none rests because its neighbours in a group do.
  NodeSolver solver(features, {.recheck_every = 1});
  const NodeWeights all = solver.solve(visits, {0, kChildren}, RandomStream(1, "test"));
  std::vector<std::size_t> next(all.features.size() + 1, 0);
  for (std::size_t r = 0; r < all.features.size(); ++r) {
    next[r + 1] = next[r] + static_cast<std::size_t>(std::popcount(all.masks[r]));
  }
  ASSERT_EQ(next.back(), all.values.size());
  for (std::uint32_t child = 0; child < kChildren; ++child) {
    const NodeWeights one = solver.solve(visits, {child, child + 1}, RandomStream(1, "test"));
    EXPECT_EQ(one.present, all.present >> child & 1U);
    EXPECT_EQ(one.bias[0], all.bias[child]);
    std::size_t found = 0;
    for (std::size_t r = 0; r < all.features.size(); ++r) {
      if ((all.masks[r] >> child & 1U) == 0) continue;
      const std::uint64_t before = all.masks[r] & ((std::uint64_t{1} << child) - 1);
      ASSERT_LT(found, one.values.size());
      EXPECT_EQ(one.features[found], all.features[r]);
      EXPECT_EQ(one.values[found],
                all.values[next[r] + static_cast<std::size_t>(std::popcount(before))]);
      ++found;
    }
    EXPECT_EQ(found, one.values.size());
  }
}

TEST(NodeSolver, ChildrenWithoutExamplesHaveNoWeights) {
  const SparseMatrix features = make_rows(9);
  NodeSolver solver(features, {});
  const NodeWeights weights = solver.solve(make_visits(0, 9), {10, 20}, RandomStream(1, "test"));
  EXPECT_EQ(weights.present, 0U);
  EXPECT_TRUE(weights.features.empty());
  EXPECT_EQ(weights.bias.size(), 10U);
}

// The regularised squared hinge loss of the three children.
double primal_loss(const SparseMatrix& features, std::span<const Visit> visits,
                   const NodeWeights& weights, double loss_weight) {
  std::vector<std::vector<double>> dense(3, std::vector<double>(features.num_columns, 0));
  std::size_t next = 0;
  for (std::size_t record = 0; record < weights.features.size(); ++record) {
    for (std::size_t child = 0; child < 3; ++child) {
      if ((weights.masks[record] >> child & 1U) == 0) continue;
      dense[child][weights.features[record]] = weights.values[next++];
    }
  }
  double loss = 0;
  for (std::size_t child = 0; child < 3; ++child) {
    const double bias = weights.bias[child];
    loss += bias * bias / 2;
    for (const double weight : dense[child]) loss += weight * weight / 2;
    for (const Visit& visit : visits) {
      const SparseRow row = features[visit.row];
      double margin = bias;
      for (std::size_t i = 0; i < row.size(); ++i) {
        margin += dense[child][row.columns[i]] * row.values[i];
      }
      const double shortfall = std::max(0.0, 1 - (visit.child == child ? margin : -margin));
      loss += loss_weight * shortfall * shortfall;
    }
  }
  return loss;
}

TEST(NodeSolver, ObjectivesRiseToTheSmallestLoss) {
  const SparseMatrix features = make_rows(30);
  const std::vector<Visit> visits = make_visits(0, 30);
  const SolverOptions options = {
      .loss_weight = 0.5F, .sweeps = 60, .tolerance = 0, .prune = 0, .keep_objectives = true};
  NodeSolver solver(features, options);
  const NodeWeights weights = solver.solve(visits, {0, 3}, RandomStream(1, "test"));
  const std::span<const double> found = solver.objectives();
  ASSERT_EQ(found.size(), 60U);
  EXPECT_GT(found[0], 0);
  // A float's rounding in sums of some hundred terms.
  constexpr double kRounding = 1e-4;
  for (std::size_t i = 1; i < found.size(); ++i) EXPECT_GE(found[i], found[i - 1] - kRounding);
  const double loss = primal_loss(features, visits, weights, options.loss_weight);
  EXPECT_NEAR(found.back(), loss, 1e-3 * loss);
}

// Rows whose children differ in strong features and in weak ones, which pruning takes away.
TEST(NodeSolver, RefitsWhatPruningLeaves) {
  SparseMatrix features;
  features.num_columns = 40;
  std::vector<Visit> visits;
  RandomStream random(7, "node_solver_test");
  for (std::uint32_t row = 0; row < 90; ++row) {
    visits.push_back({row, row % 3});
    for (std::uint32_t column = 0; column < features.num_columns; ++column) {
      const bool tells = column < 6 && column % 3 == row % 3;
      if (random.below(4) == 0 || (tells && random.below(4) != 0)) {
        features.columns.push_back(column);
        features.values.push_back(tells ? 0.6F : 0.3F);
      }
    }
    features.end_row();
  }
  const auto solve = [&](std::uint32_t sweeps, std::uint32_t refits) {
    NodeSolver solver(features, {.sweeps = sweeps, .prune = 0.3F, .refit_sweeps = refits});
    return solver.solve(visits, {0, 3}, RandomStream(1, "test"));
  };
  const NodeWeights pruned = solve(7, 0);
  const NodeWeights refitted = solve(10, 3);
  EXPECT_EQ(refitted.features, pruned.features);
  EXPECT_EQ(refitted.masks, pruned.masks);
  EXPECT_LT(pruned.values.size(), 3 * features.num_columns);
  EXPECT_LT(primal_loss(features, visits, refitted, 1),
            0.98 * primal_loss(features, visits, pruned, 1));
}

TEST(SolverOptions, RefitAtMostHalfOfTheSweeps) {
  EXPECT_EQ((SolverOptions{.sweeps = 10, .prune = 0.1F}.refits()), 3U);
  EXPECT_EQ((SolverOptions{.sweeps = 3, .prune = 0.1F}.refits()), 1U);
  EXPECT_EQ((SolverOptions{.sweeps = 1, .prune = 0.1F}.refits()), 0U);
  EXPECT_EQ((SolverOptions{.sweeps = 10, .prune = 0}.refits()), 0U);
}

TEST(NodeSolver, KeepsNoObjectivesUnlessAsked) {
  const SparseMatrix features = make_rows(9);
  NodeSolver solver(features, {});
  (void)solver.solve(make_visits(0, 9), {0, 3}, RandomStream(1, "test"));
  EXPECT_TRUE(solver.objectives().empty());
}

}  // namespace
}  // namespace mhe::heads
