// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/product_head.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "base/random.h"
#include "heads/dense_search.h"
#include "heads/product_outputs.h"
#include "heads/product_search.h"
#include "heads/product_targets.h"
#include "labels/product_codes.h"

namespace mhe::heads {
namespace {

constexpr std::size_t kDim = 7;
constexpr std::size_t kExamples = 9;

// Examples with one to three labels, or none.
struct Examples {
  std::vector<float> features;
  std::vector<std::vector<LabelId>> labels;
  std::vector<std::span<const LabelId>> spans;

  explicit Examples(std::uint64_t num_labels, std::size_t most_labels,
                    std::size_t count = kExamples) {
    RandomStream random(11, "product-head-test");
    for (std::size_t i = 0; i < count * kDim; ++i) {
      features.push_back(static_cast<float>(2 * random.uniform() - 1));
    }
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<LabelId> row;
      for (std::size_t j = i % (most_labels + 1); j > 0; --j) {
        row.push_back(static_cast<LabelId>(random.below(num_labels)));
      }
      if (most_labels == 1 && row.empty()) row.push_back(LabelId{1});
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      labels.push_back(row);
    }
    spans.assign(labels.begin(), labels.end());
  }
  [[nodiscard]] HeadBatch batch() const { return {{features.data(), labels.size(), kDim}, spans}; }
};

struct HeadCase {
  std::string name;
  HeadSpec spec;
  HeadSetup setup;
  std::size_t most_labels = 1;
};

HeadSpec spec_of(std::uint64_t num_labels, std::vector<std::uint32_t> lengths, ProductCode code) {
  HeadSpec spec;
  spec.kind = HeadKind::kProduct;
  spec.num_labels = num_labels;
  spec.lengths = std::move(lengths);
  spec.dim = kDim;
  spec.code = code;
  return spec;
}

std::vector<HeadCase> all_cases() {
  const Context context({.threads = 1});
  std::vector<HeadCase> cases;
  cases.push_back({"digits", spec_of(20, {5, 4}, ProductCode::kDigits), {}, 1});
  cases.push_back(
      {"phantoms and several labels", spec_of(17, {5, 4}, ProductCode::kDigits), {}, 3});
  cases.push_back({"an order", spec_of(17, {3, 3, 2}, ProductCode::kDigits), {}, 1});
  cases.back().setup.order = labels::random_order(17, {3, 3, 2}, 4, labels::Placement::kCompact);
  cases.push_back({"redundant", spec_of(20, {5, 5, 5, 5}, ProductCode::kTable), {}, 2});
  cases.back().setup.codes = labels::product_codes(context, 20, {}, cases.back().spec.lengths);
  cases.push_back({"powerset", spec_of(6, {4, 4, 4}, ProductCode::kPowerset), {}, 3});
  for (std::size_t i = cases.size(); i-- > 0;) {
    cases.push_back(cases[i]);
    cases.back().name += ", rank 3";
    cases.back().spec.rank = 3;
    cases.push_back(cases[i]);
    cases.back().name += ", sigmoids";
    cases.back().spec.loss = Loss::kSigmoid;
  }
  return cases;
}

// The arrays of a head by name, as floats.
std::vector<float> array_of(const DenseHead& head, std::string_view name) {
  for (const HeadTensor& tensor : head.tensors()) {
    if (tensor.name != name) continue;
    const auto values = std::get<std::span<const float>>(tensor.data);
    return {values.begin(), values.end()};
  }
  return {};
}

// A step as the equations have it, in double and without any matrix product.
struct ReferenceStep {
  double loss = 0;
  std::vector<double> feature_gradient;
  std::vector<double> table_gradient;
  std::vector<double> bias_gradient;

  ReferenceStep(const DenseHead& head, const HeadSetup& setup, const HeadBatch& batch) {
    const ProductLayout layout(head.spec());
    const ProductTargets targets(head.spec(), setup);
    const std::vector<float> table = array_of(head, "table");
    const std::vector<float> bias = array_of(head, "bias");
    const std::size_t outputs = layout.num_outputs();
    const std::size_t count = batch.features.num_rows;
    feature_gradient.resize(count * kDim);
    table_gradient.resize(outputs * kDim);
    bias_gradient.resize(outputs);
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<float> scores(bias);
      for (std::size_t o = 0; o < outputs; ++o) {
        double sum = 0;
        for (std::size_t j = 0; j < kDim; ++j) {
          sum +=
              static_cast<double>(table[o * kDim + j]) * static_cast<double>(batch.features[i][j]);
        }
        scores[o] += static_cast<float>(sum);
      }
      std::vector<std::uint32_t> digits;
      targets.append(batch.labels[i], digits);
      loss += product_loss(layout, digits, 1 / static_cast<float>(count), scores) /
              static_cast<double>(count);
      for (std::size_t o = 0; o < outputs; ++o) {
        const auto g = static_cast<double>(scores[o]);
        bias_gradient[o] += g;
        for (std::size_t j = 0; j < kDim; ++j) {
          table_gradient[o * kDim + j] += g * static_cast<double>(batch.features[i][j]);
          feature_gradient[i * kDim + j] += g * static_cast<double>(table[o * kDim + j]);
        }
      }
    }
  }
};

TEST(ProductHead, StepsAsTheEquationsSay) {
  const Context context({.threads = 2});
  for (HeadCase& c : all_cases()) {
    SCOPED_TRACE(c.name);
    c.setup.optimizer.rule = TableRule::kSgd;
    const Examples examples(c.spec.num_labels, c.most_labels);
    const auto head = make_product_head(context, c.spec, c.setup);
    const ReferenceStep expected(*head, c.setup, examples.batch());
    const std::vector<float> table = array_of(*head, "table");
    const std::vector<float> bias = array_of(*head, "bias");
    std::vector<float> gradient(kExamples * kDim);
    const HeadStep step = {.learning_rate = 0.5F, .number = 0};
    const double loss =
        head->step(context, examples.batch(), step, {gradient.data(), kExamples, kDim});
    // Sums of at most 100 products of numbers of size 1: some 10 roundings of 6e-8.
    EXPECT_NEAR(loss, expected.loss, 1e-6);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      ASSERT_NEAR(gradient[i], expected.feature_gradient[i], 1e-6);
    }
    const std::vector<float> moved = array_of(*head, "table");
    for (std::size_t i = 0; i < table.size(); ++i) {
      ASSERT_NEAR(moved[i], static_cast<double>(table[i]) - 0.5 * expected.table_gradient[i], 1e-6);
    }
    const std::vector<float> moved_bias = array_of(*head, "bias");
    for (std::size_t i = 0; i < bias.size(); ++i) {
      ASSERT_NEAR(moved_bias[i], static_cast<double>(bias[i]) - 0.5 * expected.bias_gradient[i],
                  1e-6);
    }
  }
}

TEST(ProductHead, GradientIsThatOfTheLoss) {
  const Context context({.threads = 1});
  for (const HeadCase& c : all_cases()) {
    SCOPED_TRACE(c.name);
    Examples examples(c.spec.num_labels, c.most_labels);
    const auto head = make_product_head(context, c.spec, c.setup);
    std::vector<float> gradient(kExamples * kDim);
    std::vector<float> ignored(kExamples * kDim);
    const MatrixSpan ignore = {ignored.data(), kExamples, kDim};
    (void)head->evaluate(context, examples.batch(), {}, {gradient.data(), kExamples, kDim});
    constexpr float kStep = 0.03125F;  // exact in binary; the scores bend little over it
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      const float at = examples.features[i];
      examples.features[i] = at + kStep;
      const double above = head->evaluate(context, examples.batch(), {}, ignore);
      examples.features[i] = at - kStep;
      const double below = head->evaluate(context, examples.batch(), {}, ignore);
      examples.features[i] = at;
      // The loss is rounded at 1e-7 of its size of about 10, over two steps.
      EXPECT_NEAR(gradient[i], (above - below) / static_cast<double>(2 * kStep), 3e-5);
    }
  }
}

TEST(ProductHead, HasTheSameBitsForAnyThreads) {
  for (const HeadCase& c : all_cases()) {
    SCOPED_TRACE(c.name);
    const Examples examples(c.spec.num_labels, c.most_labels, 150);
    const auto train = [&](std::size_t threads) {
      const Context context({.threads = threads});
      const auto head = make_product_head(context, c.spec, c.setup);
      std::vector<float> gradient(150 * kDim);
      for (std::uint64_t i = 0; i < 3; ++i) {
        (void)head->step(context, examples.batch(), {0.1F, i}, {gradient.data(), 150, kDim});
      }
      std::vector<float> all = array_of(*head, "table");
      all.insert(all.end(), gradient.begin(), gradient.end());
      return all;
    };
    EXPECT_EQ(train(1), train(3));
  }
}

TEST(ProductHead, RefusesWhatCannotBe) {
  const Context context({.threads = 1});
  EXPECT_THROW(make_product_head(context, spec_of(21, {5, 4}, ProductCode::kDigits), {}), Error);
  EXPECT_THROW(make_product_head(context, spec_of(20, {5, 4}, ProductCode::kTable), {}), Error);
  EXPECT_THROW(make_product_head(context, spec_of(7, {4, 4, 4}, ProductCode::kPowerset), {}),
               Error);
  HeadSetup setup;
  setup.codes = {0, 0, 0, 1, 0, 1};
  EXPECT_THROW(make_product_head(context, spec_of(3, {2, 2}, ProductCode::kTable), setup), Error);
  setup.codes.back() = 2;
  EXPECT_THROW(make_product_head(context, spec_of(3, {2, 2}, ProductCode::kTable), setup), Error);
  setup.codes.clear();
  setup.order = labels::Order({2, 2}, {0, 1, 3});
  EXPECT_THROW(make_product_head(context, spec_of(3, {2, 2}, ProductCode::kDigits), setup), Error);
}

// Every code learns to tell apart examples that lie apart, and finds their labels again.
TEST(ProductHead, LearnsAndFindsLabels) {
  const Context context({.threads = 1});
  for (const HeadCase& c : all_cases()) {
    SCOPED_TRACE(c.name);
    Examples examples(c.spec.num_labels, 1);
    // One label an example, and each label once, so that features say which.
    for (std::size_t i = 0; i < kExamples; ++i) {
      examples.labels[i] = {static_cast<LabelId>(i * c.spec.num_labels / kExamples)};
      if (c.spec.num_labels < kExamples) examples.labels[i] = {static_cast<LabelId>(i % 6)};
    }
    examples.spans.assign(examples.labels.begin(), examples.labels.end());
    const std::size_t count = std::min<std::size_t>(kExamples, c.spec.num_labels);
    const HeadBatch batch = {{examples.features.data(), count, kDim},
                             std::span(examples.spans).first(count)};
    const auto head = make_product_head(context, c.spec, c.setup);
    std::vector<float> gradient(count * kDim);
    for (std::uint64_t i = 0; i < 300; ++i) {
      (void)head->step(context, batch, {0.5F, i}, {gradient.data(), count, kDim});
    }
    const std::vector<HeadTensor> tensors = head->tensors();
    const FindTensor find = [&](std::string_view name) -> const HeadTensor* {
      for (const HeadTensor& tensor : tensors) {
        if (tensor.name == name) return &tensor;
      }
      return nullptr;
    };
    const auto search = make_product_search(c.spec, find);
    for (std::size_t i = 0; i < count; ++i) {
      const auto found = search->search(batch.features[i], 3, 0);
      ASSERT_GE(found.size(), 1U);
      EXPECT_EQ(found[0].label, examples.labels[i][0]) << i;
      // Sigmoids of several heads are multiplied and nothing makes them sum to 1.
      EXPECT_GT(found[0].score, c.spec.loss == Loss::kSigmoid ? 0.25F : 0.5F);
    }
  }
}

}  // namespace
}  // namespace mhe::heads
