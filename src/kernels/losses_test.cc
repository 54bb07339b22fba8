// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/losses.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "each_target.h"

namespace mhe::kernels {
namespace {

// Scores of all sizes that training meets, from one float off any boundary on.
std::vector<float> random_scores(std::size_t size, std::uint64_t seed) {
  RandomStream random(seed, "losses_test");
  std::vector<float> scores(size + 1);
  for (float& score : scores) {
    score = static_cast<float>((2 * random.uniform() - 1) * std::exp2(6 * random.uniform()));
  }
  return scores;
}

constexpr double kRelative = 0x1p-21;

void expect_close(double found, double expected) {
  ASSERT_NEAR(found, expected, std::fabs(expected) * kRelative + 1e-37);
}

// The results of a target with FMA are those of the first one, bit for bit.
class FirstResults {
 public:
  void check(std::int64_t target, const std::vector<float>& results) {
    if (!testing::has_fma(target)) return;
    if (first_.empty()) first_ = results;
    EXPECT_EQ(results, first_);
  }

 private:
  std::vector<float> first_;
};

TEST(Losses, ScaleExpIsExact) {
  for (const std::size_t size : {1U, 5U, 16U, 100U, 1037U}) {
    FirstResults first;
    testing::for_each_target([&](std::int64_t target) {
      std::vector<float> scores = random_scores(size, size);
      const std::vector<float> before = scores;
      scale_exp(scores.data() + 1, size, 1.5F, 0.25F);
      for (std::size_t i = 1; i <= size; ++i) {
        expect_close(scores[i], 0.25 * std::exp(static_cast<double>(before[i] - 1.5F)));
      }
      const std::vector<float> shift(size + 1, 1.5F);
      const std::vector<float> scale(size + 1, 0.25F);
      std::vector<float> each = before;
      scale_exp_each(each.data() + 1, size, shift.data() + 1, scale.data() + 1);
      EXPECT_EQ(each, scores);
      first.check(target, scores);
    });
  }
}

TEST(Losses, ExpStaysFiniteBeyondItsRange) {
  testing::for_each_target([&](std::int64_t /*target*/) {
    std::vector<float> scores = {-INFINITY, -1e30F, -100, 100, 1e30F, INFINITY};
    scale_exp(scores.data(), scores.size(), 0, 1);
    for (const float score : scores) EXPECT_TRUE(std::isfinite(score) && score > 0) << score;
    EXPECT_LT(scores[0], 1e-37F);
  });
}

TEST(Losses, ScaleSigmoidGivesGradientAndLoss) {
  for (const std::size_t size : {1U, 7U, 16U, 49U, 1000U}) {
    FirstResults first;
    testing::for_each_target([&](std::int64_t target) {
      std::vector<float> scores = random_scores(size, size);
      const std::vector<float> before = scores;
      const float loss = scale_sigmoid(scores.data() + 1, size, 0.5F);
      double expected = 0;
      for (std::size_t i = 1; i <= size; ++i) {
        const double s = before[i];
        expected += std::max(s, 0.0) + std::log1p(std::exp(-std::fabs(s)));
        expect_close(scores[i], 0.5 / (1 + std::exp(-s)));
      }
      // Each of sixteen chains rounds size / 16 times.
      EXPECT_NEAR(loss, expected,
                  expected * (kRelative + static_cast<double>(size / 16 + 8) * 0x1p-24));
      std::vector<float> logs = before;
      log_sigmoid(logs.data() + 1, size);
      for (std::size_t i = 1; i <= size; ++i) {
        const double s = before[i];
        expect_close(logs[i], std::min(s, 0.0) - std::log1p(std::exp(-std::fabs(s))));
      }
      scores.push_back(loss);
      first.check(target, scores);
    });
  }
}

TEST(Losses, MaxSumOfRowsAndColumns) {
  const std::size_t rows = 23;
  for (const std::size_t columns : {1U, 4U, 16U, 31U, 40U}) {
    FirstResults first;
    testing::for_each_target([&](std::int64_t target) {
      const std::size_t stride = columns + 2;
      const std::vector<float> scores = random_scores(rows * stride, columns);
      std::vector<float> max(columns);
      std::vector<float> sum(columns);
      max_sum_columns(scores.data() + 1, stride, rows, columns, max.data(), sum.data());
      for (std::size_t c = 0; c < columns; ++c) {
        std::vector<float> column(rows);
        for (std::size_t r = 0; r < rows; ++r) column[r] = scores[1 + r * stride + c];
        const float most = *std::max_element(column.begin(), column.end());
        double expected = 0;
        for (const float s : column) expected += std::exp(static_cast<double>(s - most));
        const double tolerance = expected * (kRelative + rows * 0x1p-24);
        EXPECT_EQ(max[c], most);
        EXPECT_NEAR(sum[c], expected, tolerance);
        const MaxSum row = max_sum(column.data(), rows);
        EXPECT_EQ(row.max, most);
        EXPECT_NEAR(row.sum, expected, tolerance);
      }
      first.check(target, sum);
    });
  }
}

// A training that went astray must be seen to, also if no true label is touched.
TEST(Losses, AreNoNumbersWhereAScoreIsNone) {
  for (const std::size_t size : {1U, 7U, 16U, 49U}) {
    testing::for_each_target([&](std::int64_t /*target*/) {
      for (std::size_t at = 0; at < size; ++at) {
        std::vector<float> scores = random_scores(size, size);
        scores[at] = NAN;
        EXPECT_TRUE(std::isnan(max_sum(scores.data(), size).sum)) << at << " of " << size;
        std::vector<float> max(size);
        std::vector<float> sum(size);
        max_sum_columns(scores.data(), 1, size, 1, max.data(), sum.data());
        EXPECT_TRUE(std::isnan(sum[0])) << at << " of " << size;
        max_sum_columns(scores.data(), size, 1, size, max.data(), sum.data());
        for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(std::isnan(sum[i]), i == at);
        EXPECT_TRUE(std::isnan(scale_sigmoid(scores.data(), size, 0.5F))) << at << " of " << size;
      }
    });
  }
}

TEST(Losses, PortableLogIsTheLogarithm) {
  RandomStream random(3, "portable_log");
  for (int i = 0; i < 10000; ++i) {
    const double x = std::exp(600 * (random.uniform() - 0.5));
    ASSERT_NEAR(portable_log(x), std::log(x), std::fabs(std::log(x)) * 0x1p-45 + 0x1p-50) << x;
  }
  EXPECT_EQ(portable_log(1.0), 0.0);
}

}  // namespace
}  // namespace mhe::kernels
