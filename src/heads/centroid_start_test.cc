// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/centroid_start.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "head_testing.h"

namespace mhe::heads {
namespace {

HeadSpec spec_of(OwnSpec own, std::vector<std::uint32_t> lengths) {
  HeadSpec spec;
  spec.num_labels = 12;
  spec.lengths = std::move(lengths);
  spec.dim = 70;  // more than one block of columns
  spec.loss = Loss::kSigmoid;
  spec.own = own;
  return spec;
}

const HeadSpec kOneHot = spec_of(OneHotSpec(), {12});
const HeadSpec kCascade = spec_of(CascadeSpec{.candidates = 2}, {4, 3});

std::vector<float> all_values(DenseHead& head) {
  std::vector<float> values;
  head.visit_state([&](const DenseHead::StateArray& array) {
    values.insert(values.end(), array.values.begin(), array.values.end());
  });
  return values;
}

void start(const Context& context, DenseHead& head, const testing::RandomBatch& batch) {
  CentroidStart start(head);
  start.add(context, batch.view());
  start.finish(context);
}

TEST(CentroidStart, RowsPointAtTheirExamplesAcrossTheMean) {
  const Context context({.threads = 2});
  const testing::RandomBatch batch(40, kOneHot.dim, kOneHot.num_labels, 3, 5);
  const auto head = make_dense_head(context, kOneHot, {});
  start(context, *head, batch);
  const HeadBatch view = batch.view();
  std::vector<double> mean(kOneHot.dim);
  for (std::size_t e = 0; e < view.features.num_rows; ++e) {
    for (std::size_t i = 0; i < mean.size(); ++i)
      mean[i] += static_cast<double>(view.features[e][i]);
  }
  const std::vector<float> rows = all_values(*head);
  double length = 0;
  for (std::size_t label = 0; label < kOneHot.num_labels; ++label) {
    double along = 0;
    double squares = 0;
    double own = 0;  // score of the label's examples together, taken across the mean
    double mean_square = 0;
    double sum_along = 0;
    std::vector<double> sum(mean.size());
    for (std::size_t e = 0; e < view.labels.size(); ++e) {
      for (const LabelId l : view.labels[e]) {
        if (index_of(l) != label) continue;
        for (std::size_t i = 0; i < sum.size(); ++i)
          sum[i] += static_cast<double>(view.features[e][i]);
      }
    }
    for (std::size_t i = 0; i < mean.size(); ++i) {
      const auto value = static_cast<double>(rows[label * mean.size() + i]);
      along += value * mean[i];
      squares += value * value;
      mean_square += mean[i] * mean[i];
      sum_along += sum[i] * mean[i];
    }
    double sum_square = 0;
    for (std::size_t i = 0; i < mean.size(); ++i) {
      const double across = sum[i] - sum_along / mean_square * mean[i];
      own += across * static_cast<double>(rows[label * mean.size() + i]);
      sum_square += across * across;
    }
    ASSERT_GT(sum_square, 0) << "label " << label << " has no example; take another seed";
    // Rows are floats of size 0.1 to 1: their products with 70 numbers carry errors of 1e-5 or so.
    EXPECT_NEAR(along / std::sqrt(mean_square), 0, 1e-4);
    EXPECT_NEAR(own / std::sqrt(sum_square * squares), 1, 1e-5);
    if (label == 0) length = squares;
    EXPECT_NEAR(squares, length, 1e-4 * length);
  }
}

TEST(CentroidStart, IsTheSameForAnyNumberOfThreadsAndLowersTheLoss) {
  const testing::RandomBatch batch(40, kCascade.dim, kCascade.num_labels, 2, 6);
  std::vector<std::vector<float>> values;
  for (const std::size_t threads : {1U, 3U}) {
    const Context context({.threads = threads});
    const auto head = make_dense_head(context, kCascade, {});
    testing::RandomBatch probe = batch;
    const double before = head->evaluate(context, probe.view(), {}, probe.gradient());
    start(context, *head, batch);
    EXPECT_LT(head->evaluate(context, probe.view(), {}, probe.gradient()), before);
    values.push_back(all_values(*head));
  }
  EXPECT_EQ(values[0], values[1]);
}

TEST(CentroidStart, BiasesAloneAreSharesAndNeedNoFeatures) {
  const Context context({.threads = 2});
  const testing::RandomBatch batch(40, kOneHot.dim, kOneHot.num_labels, 3, 5);
  const auto head = make_dense_head(context, kOneHot, {});
  const std::vector<float> before = all_values(*head);
  CentroidStart start(*head, StartRows::kAsTheyAre);
  start.add(context, {.features = {}, .labels = batch.view().labels});
  start.finish(context);
  const std::vector<float> after = all_values(*head);
  const std::size_t num_weights = kOneHot.num_labels * kOneHot.dim;
  for (std::size_t i = 0; i < num_weights; ++i) ASSERT_EQ(after[i], before[i]) << i;
  for (std::size_t label = 0; label < kOneHot.num_labels; ++label) {
    double count = 0;
    for (const auto labels : batch.view().labels) {
      count += static_cast<double>(
          std::count(labels.begin(), labels.end(), LabelId{static_cast<std::uint32_t>(label)}));
    }
    EXPECT_NEAR(after[num_weights + label], std::log((count + 0.5) / 40), 1e-5);
  }
}

// A row behind a projection points at the projected sum of its examples, across the projected mean.
void expect_projected_centroids(const std::vector<float>& rows,
                                const std::vector<float>& projection, const HeadBatch& batch,
                                std::size_t width) {
  const std::size_t dim = batch.features.num_columns;
  const auto project = [&](const std::vector<double>& x) {
    std::vector<double> y(width);
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t c = 0; c < dim; ++c) y[i] += x[c] * double{projection[i * dim + c]};
    }
    return y;
  };
  const auto sum_of = [&](const auto& is_in) {
    std::vector<double> sum(dim);
    for (std::size_t e = 0; e < batch.labels.size(); ++e) {
      for (std::size_t c = 0; is_in(batch.labels[e]) && c < dim; ++c) {
        sum[c] += double{batch.features[e][c]};
      }
    }
    return sum;
  };
  const auto dot = [&](const auto& a, const auto& b) {
    double total = 0;
    for (std::size_t i = 0; i < width; ++i) total += double{a[i]} * double{b[i]};
    return total;
  };
  const std::vector<double> mean = project(sum_of([](const auto&) { return true; }));
  double length = 0;
  for (std::size_t label = 0; label < rows.size() / width; ++label) {
    std::vector<double> expected = project(sum_of([&](std::span<const LabelId> labels) {
      return std::count(labels.begin(), labels.end(), LabelId{static_cast<std::uint32_t>(label)}) >
             0;
    }));
    const double along = dot(expected, mean) / dot(mean, mean);
    for (std::size_t i = 0; i < width; ++i) expected[i] -= along * mean[i];
    const std::span<const float> row = std::span(rows).subspan(label * width, width);
    EXPECT_NEAR(dot(row, expected) / std::sqrt(dot(row, row) * dot(expected, expected)), 1, 1e-5);
    if (label == 0) length = dot(row, row);
    EXPECT_NEAR(dot(row, row), length, 1e-5 * length) << "all rows are equally long";
  }
}

TEST(CentroidStart, GivesBiasesAndProjectedCentroidsToNarrowerLevels) {
  const Context context({.threads = 2});
  HeadSpec narrow = kCascade;
  narrow.as<CascadeSpec>()->inner_dim = 16;
  const testing::RandomBatch batch(40, narrow.dim, narrow.num_labels, 2, 6);
  const auto values_of = [](DenseHead& head, std::string_view name) {
    std::vector<float> values;
    head.visit_state([&](const DenseHead::StateArray& array) {
      if (array.name == name) values.assign(array.values.begin(), array.values.end());
    });
    return values;
  };
  for (const StartRows rows : {StartRows::kCentroids, StartRows::kAsTheyAre}) {
    const auto wide_head = make_dense_head(context, kCascade, {});
    const auto head = make_dense_head(context, narrow, {});
    const std::vector<float> before = values_of(*head, "level2.table");
    for (DenseHead* each : {wide_head.get(), head.get()}) {
      CentroidStart start(*each, rows);
      start.add(context, batch.view());
      start.finish(context);
    }
    if (rows == StartRows::kCentroids) {
      expect_projected_centroids(values_of(*head, "level2.table"),
                                 values_of(*head, "level2.projection"), batch.view(), 16);
    } else {
      EXPECT_EQ(values_of(*head, "level2.table"), before);
    }
    EXPECT_EQ(values_of(*head, "level2.bias"), values_of(*wide_head, "level2.bias"));
    EXPECT_LT(values_of(*head, "level2.bias")[0], 0);
  }
}

// One table, one row of which is true in all of very many examples.
class OneRowHead final : public DenseHead {
 public:
  explicit OneRowHead(const Context& context)
      : DenseHead(spec_of(OneHotSpec(), {12})), table_(context, "", 2, spec().dim) {}
  void visit_positives(const HeadBatch& batch,
                       const std::function<void(const TruePlaces&)>& visit) override {
    positives_.resize(batch.labels.size());
    visit({&table_, positives_, 1.0});
  }
  [[nodiscard]] std::vector<HeadTensor> tensors() const override { return {}; }
  void visit_state(const std::function<void(const StateArray&)>& visit) override {
    table_.visit_state(visit);
  }
  void release_scratch() override {}
  void end_training() override {}
  [[nodiscard]] std::span<const float> biases() const { return table_.biases(); }

 protected:
  double run(const Context& /*context*/, const HeadBatch& /*batch*/, const HeadStep& /*step*/,
             MatrixSpan /*gradient*/, Update /*update*/) override {
    return 0;
  }

 private:
  RowTable table_;
  std::vector<Positive> positives_;
};

TEST(CentroidStart, CountsBeyondTheWholeNumbersOfFloats) {
  const Context context({.threads = 1});
  OneRowHead head(context);
  CentroidStart start(head, StartRows::kAsTheyAre);
  const std::vector<std::span<const LabelId>> labels(std::size_t{1} << 20U);
  for (int i = 0; i < 32; ++i) start.add(context, {.features = {}, .labels = labels});
  start.finish(context);
  EXPECT_EQ(head.biases()[0], 0);  // in all examples: 2^25, twice what floats count to
  EXPECT_NEAR(head.biases()[1], -26 * std::log(2.0), 1e-4);
}

// Product heads of 12 labels over {4, 3}: label l has the digits l / 3 and l % 3.
HeadSpec product_spec(Loss loss, ProductCode code = ProductCode::kDigits) {
  HeadSpec spec = spec_of(ProductSpec{.code = code}, {4, 3});
  spec.loss = loss;
  return spec;
}

std::vector<std::uint32_t> digits_of_all() {
  std::vector<std::uint32_t> codes;
  for (std::uint32_t label = 0; label < 12; ++label) {
    codes.push_back(label / 3);
    codes.push_back(label % 3);
  }
  return codes;
}

TEST(CentroidStart, BiasesOfProductHeadsAreSharesOfTheirDigits) {
  const Context context({.threads = 2});
  const HeadSpec spec = product_spec(Loss::kSigmoid);
  const testing::RandomBatch batch(40, spec.dim, spec.num_labels, 4, 5);
  const auto head = make_dense_head(context, spec, {});
  CentroidStart start(*head, StartRows::kAsTheyAre);
  start.add(context, {.features = {}, .labels = batch.view().labels});
  start.finish(context);
  const std::vector<float> after = all_values(*head);
  for (std::size_t output = 0; output < 7; ++output) {
    const auto has_digit = [&](std::span<const LabelId> labels) {
      return std::any_of(labels.begin(), labels.end(), [&](LabelId label) {
        return output < 4 ? index_of(label) / 3 == output : index_of(label) % 3 == output - 4;
      });
    };
    double count = 0;  // an example of several such labels counts once
    for (const auto labels : batch.view().labels) count += has_digit(labels) ? 1 : 0;
    EXPECT_NEAR(after[7 * spec.dim + output], std::min(0.0, std::log((count + 0.5) / 40)), 1e-5)
        << output;
  }
}

// The score of a label is a sum over heads: each has its part.
TEST(CentroidStart, RowsOfSummedHeadsShareTheLength) {
  const Context context({.threads = 1});
  const testing::RandomBatch batch(40, 70, 12, 2, 9);
  const auto apart = make_dense_head(context, product_spec(Loss::kSoftmax), {});
  HeadSetup setup;
  setup.codes = digits_of_all();
  const auto summed =
      make_dense_head(context, product_spec(Loss::kSoftmax, ProductCode::kTable), setup);
  start(context, *apart, batch);
  start(context, *summed, batch);
  const std::vector<float> whole = all_values(*apart);
  const std::vector<float> half = all_values(*summed);
  for (std::size_t i = 0; i < 7 * 71; ++i) EXPECT_NEAR(half[i], whole[i] / 2, 1e-5) << i;
}

TEST(CentroidStart, LowersTheLossOfProductHeads) {
  const Context context({.threads = 2});
  for (const HeadSpec& spec : {product_spec(Loss::kSoftmax), product_spec(Loss::kSigmoid),
                               product_spec(Loss::kSoftmax, ProductCode::kTable)}) {
    HeadSetup setup;
    if (spec.has_code(ProductCode::kTable)) setup.codes = digits_of_all();
    const auto head = make_dense_head(context, spec, setup);
    testing::RandomBatch batch(40, spec.dim, spec.num_labels, 1, 6);
    const double before = head->evaluate(context, batch.view(), {}, batch.gradient());
    start(context, *head, batch);
    EXPECT_LT(head->evaluate(context, batch.view(), {}, batch.gradient()), before);
  }
}

TEST(CentroidStart, CountsSetsOfAPowerset) {
  const Context context({.threads = 1});
  HeadSpec spec = spec_of(ProductSpec{.code = ProductCode::kPowerset}, {4, 4});
  spec.num_labels = 4;
  spec.loss = Loss::kSoftmax;
  const auto head = make_dense_head(context, spec, {});
  const std::vector<LabelId> first = {LabelId{0}};             // digits 2 and 0
  const std::vector<LabelId> both = {LabelId{0}, LabelId{3}};  // 2 and 1
  const std::vector<std::span<const LabelId>> labels = {first, both, both, {}};
  CentroidStart start(*head, StartRows::kAsTheyAre);
  start.add(context, {.features = {}, .labels = labels});
  start.finish(context);
  const std::vector<float> values = all_values(*head);
  const double counts[] = {1, 0, 3, 0, 2, 2, 0, 0};
  for (std::size_t output = 0; output < 8; ++output) {
    EXPECT_NEAR(values[8 * spec.dim + output], std::log((counts[output] + 0.5) / 4), 1e-5);
  }
}

// Gates are for every example.
TEST(CentroidStart, BiasesOfAllGroupsAreThoseOfOne) {
  const Context context({.threads = 1});
  HeadSpec spec = product_spec(Loss::kSoftmax);
  std::get<ProductSpec>(spec.own).rank = 2;
  const testing::RandomBatch batch(40, spec.dim, spec.num_labels, 1, 6, false);
  const auto head = make_dense_head(context, spec, {});
  CentroidStart start(*head, StartRows::kAsTheyAre);
  start.add(context, {.features = {}, .labels = batch.view().labels});
  start.finish(context);
  const std::vector<float> values = all_values(*head);
  const std::span<const float> biases = std::span(values).subspan(16 * spec.dim, 16);
  for (std::size_t output = 0; output < 7; ++output) {
    EXPECT_LT(biases[output], 0);
    EXPECT_EQ(biases[output], biases[7 + output]);
  }
  EXPECT_EQ(biases[14], 0);
  EXPECT_EQ(biases[15], 0);
}

}  // namespace
}  // namespace mhe::heads
