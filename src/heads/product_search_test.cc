// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "head_testing.h"
#include "heads/product_targets.h"
#include "heads/registry.h"
#include "product_cases.h"
#include "product_reference.h"

namespace mhe::heads {
namespace {

using testing::product_spec;
using testing::ProductCase;

const std::vector<float> kFeatures = {1, -1, 0.5F, 2, 0, -0.5F, 1};

// A head with random weights and what it gives to digits, in double.
class ScoredHead {
 public:
  ScoredHead(const ProductCase& c, std::uint64_t seed)
      : spec_(c.spec), head_(make_dense_head(Context({.threads = 1}), c.spec, c.setup)) {
    testing::randomize(*head_, seed);
    const testing::ReferenceTable table = testing::reference_tables(*head_).at("");
    const std::vector<double> x(kFeatures.begin(), kFeatures.end());
    for (std::size_t o = 0; o < table.biases.size(); ++o) outputs_.push_back(table.score(o, x));
  }

  [[nodiscard]] const DenseHead& head() const { return *head_; }

  // p(digits): the loss is -log of it. Sigmoids: their product.
  [[nodiscard]] double probability(const std::vector<std::uint32_t>& digits) const {
    if (spec_.loss == Loss::kSoftmax) {
      return std::exp(-testing::product_reference_loss(spec_, digits, outputs_));
    }
    double product = 1;
    std::size_t begin = 0;
    for (std::size_t h = 0; h < digits.size(); ++h) {
      product /= 1 + std::exp(-outputs_[begin + digits[h]]);
      begin += spec_.lengths[h];
    }
    return product;
  }

  // Of all digits; sigmoids do not sum to 1.
  [[nodiscard]] double total() const {
    const LabelSpace all = LabelSpace::full(spec_.lengths);
    std::vector<std::uint32_t> digits(spec_.lengths.size());
    double sum = 0;
    for (std::uint64_t y = 0; y < *all.capacity(); ++y) {
      all.digits(y, digits);
      sum += probability(digits);
    }
    return sum;
  }

 private:
  HeadSpec spec_;
  std::unique_ptr<DenseHead> head_;
  std::vector<double> outputs_;
};

TEST(ProductSearch, FindsTheBestLabelsAndTheirProbabilities) {
  for (const ProductCase& c : testing::product_cases()) {
    if (c.spec.has_code(ProductCode::kPowerset)) continue;
    SCOPED_TRACE(c.name);
    const ScoredHead scored(c, 5);
    const ProductTargets targets(c.spec, c.setup);
    std::vector<double> expected;
    for (std::uint32_t label = 0; label < c.spec.num_labels; ++label) {
      std::vector<std::uint32_t> digits;
      targets.append(std::vector<LabelId>{LabelId{label}}, digits);
      expected.push_back(scored.probability(digits));
    }
    const double valid = std::accumulate(expected.begin(), expected.end(), 0.0);
    if (c.spec.loss == Loss::kSoftmax) {
      for (double& p : expected) p /= valid;
    }
    const auto search = make_search(scored.head());
    for (const std::size_t k : {1U, 3U, 100U}) {
      const auto found = search->search(kFeatures, k, 0);
      ASSERT_EQ(found.size(), std::min<std::size_t>(k, c.spec.num_labels));
      std::vector<double> best = expected;
      std::sort(best.rbegin(), best.rend());
      for (std::size_t rank = 0; rank < found.size(); ++rank) {
        // Logs of floats, summed: some 1e-6 of the probability.
        EXPECT_NEAR(found[rank].score, best[rank], 1e-5);
        EXPECT_NEAR(expected[index_of(found[rank].label)], best[rank], 1e-5);
      }
    }
    EXPECT_NEAR(search->phantom_mass(), 1 - valid / scored.total(), 1e-5);
    EXPECT_TRUE(search->search(kFeatures, 0, 0).empty());
  }
}

TEST(ProductSearch, KnowsEachHeadsBestDigit) {
  for (const ProductCase& c : testing::product_cases()) {
    SCOPED_TRACE(c.name);
    const ScoredHead scored(c, 6);
    const LabelSpace all = LabelSpace::full(c.spec.lengths);
    std::vector<std::vector<double>> mass;
    for (const std::uint32_t length : c.spec.lengths) mass.emplace_back(length);
    std::vector<std::uint32_t> digits(c.spec.lengths.size());
    for (std::uint64_t y = 0; y < *all.capacity(); ++y) {
      all.digits(y, digits);
      for (std::size_t h = 0; h < digits.size(); ++h) {
        mass[h][digits[h]] += scored.probability(digits);
      }
    }
    const auto search = make_search(scored.head());
    (void)search->search(kFeatures, 1, 0);
    ASSERT_EQ(search->best_choices().size(), digits.size());
    for (std::size_t h = 0; h < digits.size(); ++h) {
      EXPECT_EQ(search->best_choices()[h],
                std::max_element(mass[h].begin(), mass[h].end()) - mass[h].begin());
    }
  }
}

TEST(ProductSearch, GivesEachBinaryLabelItsProbabilityAndFindsTheBestSets) {
  for (const ProductCase& c : testing::product_cases()) {
    if (!c.spec.has_code(ProductCode::kPowerset)) continue;
    SCOPED_TRACE(c.name);
    const ScoredHead scored(c, 7);
    const LabelSpace all = LabelSpace::powerset(6, 3);
    std::vector<double> marginals(6);
    std::vector<std::pair<double, std::uint64_t>> sets;
    std::vector<std::uint32_t> digits(3);
    for (std::uint64_t y = 0; y < 64; ++y) {
      all.digits(y, digits);
      const double p = scored.probability(digits) / scored.total();
      sets.emplace_back(-p, y);
      for (const std::uint32_t member : all.set_members(digits)) marginals[member] += p;
    }
    std::sort(sets.begin(), sets.end());
    const auto search = make_search(scored.head());
    const auto found = search->search(kFeatures, 4, 0);
    ASSERT_EQ(found.size(), 4U);
    std::vector<double> best = marginals;
    std::sort(best.rbegin(), best.rend());
    for (std::size_t rank = 0; rank < found.size(); ++rank) {
      EXPECT_NEAR(found[rank].score, best[rank], 1e-5);
      EXPECT_NEAR(marginals[index_of(found[rank].label)], best[rank], 1e-5);
    }
    const auto found_sets = search->best_sets(5);
    ASSERT_EQ(found_sets.size(), 5U);
    for (std::size_t rank = 0; rank < 5; ++rank) {
      EXPECT_NEAR(found_sets[rank].probability, -sets[rank].first, 1e-5);
      std::vector<std::uint32_t> members;
      for (const LabelId label : found_sets[rank].labels) {
        members.push_back(static_cast<std::uint32_t>(label));
      }
      all.set_digits(members, digits);
      EXPECT_EQ(all.label(digits), sets[rank].second);
    }
  }
}

TEST(ProductTargets, AreTheSameFromTheArraysOfAHead) {
  for (const ProductCase& c : testing::product_cases()) {
    SCOPED_TRACE(c.name);
    const auto head = make_dense_head(Context({.threads = 1}), c.spec, c.setup);
    const std::vector<HeadTensor> tensors = head->tensors();
    const ProductTargets again(c.spec, [&](std::string_view name) -> const HeadTensor* {
      const auto found = std::find_if(tensors.begin(), tensors.end(),
                                      [&](const HeadTensor& t) { return t.name == name; });
      return found == tensors.end() ? nullptr : &*found;
    });
    const ProductTargets targets(c.spec, c.setup);
    for (std::uint32_t label = 0; label < c.spec.num_labels; ++label) {
      std::vector<std::uint32_t> expected;
      std::vector<std::uint32_t> digits;
      targets.append(std::vector<LabelId>{LabelId{label}}, expected);
      again.append(std::vector<LabelId>{LabelId{label}}, digits);
      EXPECT_EQ(digits, expected);
    }
  }
}

TEST(ProductSearch, OnlyHeadsOfSetsHaveSets) {
  for (const ProductCase& c : testing::product_cases()) {
    if (c.spec.has_code(ProductCode::kPowerset)) continue;
    const auto head = make_dense_head(Context({.threads = 1}), c.spec, c.setup);
    EXPECT_THROW((void)make_search(*head)->best_sets(1), Error) << c.name;
  }
}

// All labels are equal, so the first ones are the best, wherever they stand.
TEST(ProductSearch, EqualScoresGoToTheSmallerLabel) {
  for (const ProductCase& c : testing::product_cases()) {
    SCOPED_TRACE(c.name);
    const auto head = make_dense_head(Context({.threads = 1}), c.spec, c.setup);
    head->visit_state([](const DenseHead::StateArray& array) {
      std::fill(array.values.begin(), array.values.end(), 0.0F);
    });
    const auto search = make_search(*head);
    for (const std::size_t k : {1U, 3U, 5U, 6U}) {
      const auto found = search->search(kFeatures, k, 0);
      ASSERT_EQ(found.size(), k);
      for (std::size_t i = 0; i < k; ++i) EXPECT_EQ(index_of(found[i].label), i);
    }
  }
}

// Beyond some, ties are not looked for: flat predictions of many labels take no longer than others.
TEST(ProductSearch, AnswersFlatPredictionsOfManyLabels) {
  for (const std::size_t rank : {1U, 3U}) {
    HeadSpec spec = product_spec(1000000, {1000, 1000}, ProductCode::kDigits);
    spec.as<ProductSpec>()->rank = rank;
    HeadSetup setup;
    setup.order = random_order(spec.num_labels, spec.lengths, 3, Placement::kCompact);
    const auto head = make_dense_head(Context({.threads = 1}), spec, setup);
    head->visit_state([](const DenseHead::StateArray& array) {
      std::fill(array.values.begin(), array.values.end(), 0.0F);
    });
    const auto search = make_search(*head);
    const auto found = search->search(kFeatures, 10, 0);
    ASSERT_EQ(found.size(), 10U);
    for (std::size_t i = 0; i < 10; ++i) {
      EXPECT_NEAR(found[i].score, 1e-6, 1e-9);
      if (i == 0) continue;
      EXPECT_LT(found[i - 1].label, found[i].label);
    }
  }
}

// COCO in Table 1: 80 labels as 16 heads of 32, 2^80 sets. And 10^8 labels without a table.
TEST(ProductSearch, HasRoomForHugeSpaces) {
  const Context context({.threads = 1});
  const auto coco = make_dense_head(
      context, product_spec(80, std::vector<std::uint32_t>(16, 32), ProductCode::kPowerset), {});
  testing::RandomBatch batch(8, 7, 80, 5, 1);
  (void)coco->step(context, batch.view(), {}, batch.gradient());
  const auto search = make_search(*coco);
  EXPECT_EQ(search->search(kFeatures, 100, 0).size(), 80U);
  const auto sets = search->best_sets(3);
  ASSERT_EQ(sets.size(), 3U);
  EXPECT_GE(sets[0].probability, sets[1].probability);

  const auto many =
      make_dense_head(context, product_spec(100000000, {10000, 10000}, ProductCode::kDigits), {});
  testing::RandomBatch rows(8, 7, 100000000, 1, 1);
  (void)many->step(context, rows.view(), {}, rows.gradient());
  EXPECT_EQ(make_search(*many)->search(kFeatures, 10, 0).size(), 10U);
}

// Arrays as they may lie in a broken file.
class DamagedHead {
 public:
  explicit DamagedHead(const ProductCase& c)
      : spec_(c.spec), head_(make_dense_head(Context({.threads = 1}), c.spec, c.setup)) {
    for (const HeadTensor& tensor : head_->tensors()) {
      if (const auto* floats = std::get_if<std::span<const float>>(&tensor.data)) {
        floats_[tensor.name] = {floats->begin(), floats->end()};
      } else {
        const auto& numbers = std::get<std::span<const std::uint32_t>>(tensor.data);
        numbers_[tensor.name] = {numbers.begin(), numbers.end()};
      }
    }
  }
  std::vector<float>& floats(const std::string& name) { return floats_[name]; }
  std::map<std::string, std::vector<std::uint32_t>>& numbers() { return numbers_; }

  [[nodiscard]] std::unique_ptr<DenseSearch> search() {
    tensors_.clear();
    for (const auto& [name, values] : floats_) {
      tensors_.push_back({name, {values.size()}, std::span<const float>(values)});
    }
    for (const auto& [name, values] : numbers_) {
      tensors_.push_back({name, {values.size()}, std::span<const std::uint32_t>(values)});
    }
    return DenseSearch::make(spec_, [this](std::string_view name) -> const HeadTensor* {
      for (const HeadTensor& tensor : tensors_) {
        if (tensor.name == name) return &tensor;
      }
      return nullptr;
    });
  }

 private:
  HeadSpec spec_;
  std::unique_ptr<DenseHead> head_;
  std::map<std::string, std::vector<float>> floats_;
  std::map<std::string, std::vector<std::uint32_t>> numbers_;
  std::vector<HeadTensor> tensors_;
};

TEST(ProductSearch, SurvivesDamagedArrays) {
  for (const ProductCase& c : testing::product_cases()) {
    SCOPED_TRACE(c.name);
    DamagedHead damaged(c);
    damaged.floats("table")[3] = std::numeric_limits<float>::quiet_NaN();
    damaged.floats("bias")[1] = std::numeric_limits<float>::infinity();
    damaged.floats("bias")[2] = -std::numeric_limits<float>::infinity();
    bool label_lost = false;
    for (const char* name : {"label_at", "codes"}) {
      if (!damaged.numbers().contains(name)) continue;
      damaged.numbers().at(name)[0] = 0xFFFFFFFF;
      label_lost = true;
    }
    const auto search = damaged.search();
    const auto found = search->search(kFeatures, 1000, 0);
    EXPECT_EQ(found.size(), c.spec.num_labels - (label_lost ? 1 : 0));
    for (const ScoredLabel& label : found) {
      EXPECT_TRUE(std::isfinite(label.score));
      EXPECT_LT(index_of(label.label), c.spec.num_labels);
    }
  }
}

TEST(ProductSearch, SaysWhichArrayIsMissing) {
  for (const ProductCase& c : testing::product_cases()) {
    for (const char* name : {"table", "bias"}) {
      DamagedHead damaged(c);
      damaged.floats(name).pop_back();
      EXPECT_THROW((void)damaged.search(), Error);
    }
  }
}

}  // namespace
}  // namespace mhe::heads
