// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "head_testing.h"
#include "heads/dense_head.h"
#include "heads/product_targets.h"
#include "product_cases.h"
#include "product_reference.h"

namespace mhe::heads {
namespace {

using testing::product_spec;
using testing::ProductCase;
using testing::RandomBatch;
using testing::ReferenceResult;

// A step as the equations have it.
ReferenceResult reference_step(const DenseHead& head, const HeadSetup& setup,
                               const HeadBatch& batch) {
  const ProductTargets targets(head.spec(), setup);
  ReferenceResult result;
  result.tables = testing::reference_tables(head);
  testing::ReferenceTable& table = result.tables.at("");
  const auto count = static_cast<double>(batch.features.num_rows);
  for (std::size_t i = 0; i < batch.features.num_rows; ++i) {
    const std::vector<double> x(batch.features[i].begin(), batch.features[i].end());
    std::vector<double> scores;
    for (std::size_t o = 0; o < table.biases.size(); ++o) scores.push_back(table.score(o, x));
    std::vector<std::uint32_t> digits;
    targets.append(batch.labels[i], digits);
    std::vector<std::size_t> labels;
    for (const LabelId label : batch.labels[i]) labels.push_back(index_of(label));
    const auto loss_of = [&](std::span<const double> at) {
      const bool over_labels = head.spec().has_code(ProductCode::kTable) &&
                               head.spec().loss == Loss::kSoftmax &&
                               head.spec().as<ProductSpec>()->rank == 1;
      return over_labels ? testing::code_reference_loss(head.spec(), setup.codes, labels, at)
                         : testing::product_reference_loss(head.spec(), digits, at);
    };
    result.loss += loss_of(scores) / count;
    const auto slopes = testing::slopes_of(loss_of, scores);
    std::vector<double> gradient(x.size());
    for (std::size_t o = 0; o < scores.size(); ++o) {
      table.add_gradient(o, slopes[o] / count, x, gradient);
    }
    result.feature_gradients.push_back(gradient);
  }
  return result;
}

TEST(ProductHead, StepsAsTheEquationsSay) {
  const Context context({.threads = 2});
  for (ProductCase& c : testing::product_cases()) {
    SCOPED_TRACE(c.name);
    c.setup.optimizer.rule = TableRule::kSgd;
    RandomBatch batch(9, c.spec.dim, c.spec.num_labels, c.most_labels, 1);
    const auto head = make_dense_head(context, c.spec, c.setup);
    testing::randomize(*head, 2);
    testing::expect_step_of(*head, reference_step(*head, c.setup, batch.view()), batch, context);
  }
}

TEST(ProductHead, GradientIsThatOfTheLoss) {
  const Context context({.threads = 1});
  for (const ProductCase& c : testing::product_cases()) {
    SCOPED_TRACE(c.name);
    RandomBatch batch(9, c.spec.dim, c.spec.num_labels, c.most_labels, 3);
    const auto head = make_dense_head(context, c.spec, c.setup);
    testing::randomize(*head, 4);
    testing::expect_slopes(*head, batch, context);
  }
}

TEST(ProductHead, HasTheSameBitsForAnyThreads) {
  for (const ProductCase& c : testing::product_cases()) {
    SCOPED_TRACE(c.name);
    testing::expect_same_bits(c.spec, c.setup, 150);
  }
}

TEST(ProductHead, AnEmptyBatchChangesNothing) {
  const Context context({.threads = 1});
  for (const ProductCase& c : testing::product_cases()) {
    SCOPED_TRACE(c.name);
    const auto head = make_dense_head(context, c.spec, c.setup);
    const std::vector<float> before = testing::state_of(*head);
    RandomBatch none(0, c.spec.dim, c.spec.num_labels, 1, 1, false);
    EXPECT_EQ(head->step(context, none.view(), {}, none.gradient()), 0);
    EXPECT_EQ(testing::state_of(*head), before);
  }
}

TEST(ProductHead, RefusesWhatCannotBe) {
  const Context context({.threads = 1});
  EXPECT_THROW(make_dense_head(context, product_spec(21, {5, 4}, ProductCode::kDigits), {}), Error);
  EXPECT_THROW(make_dense_head(context, product_spec(20, {5, 4}, ProductCode::kTable), {}), Error);
  EXPECT_THROW(make_dense_head(context, product_spec(7, {4, 4, 4}, ProductCode::kPowerset), {}),
               Error);
  HeadSetup setup;
  setup.codes = {0, 0, 0, 1, 0, 1};
  EXPECT_THROW(make_dense_head(context, product_spec(3, {2, 2}, ProductCode::kTable), setup),
               Error);
  setup.codes.back() = 2;
  EXPECT_THROW(make_dense_head(context, product_spec(3, {2, 2}, ProductCode::kTable), setup),
               Error);
  setup.codes.clear();
  setup.order = LabelOrder({2, 2}, {0, 1, 3});
  EXPECT_THROW(make_dense_head(context, product_spec(3, {2, 2}, ProductCode::kDigits), setup),
               Error);
}

}  // namespace
}  // namespace mhe::heads
