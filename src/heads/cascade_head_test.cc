// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <optional>

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "head_testing.h"
#include "heads/dense_search.h"

namespace mhe::heads {
namespace {

struct Shape {
  std::size_t num_labels = 0;
  std::vector<std::uint32_t> lengths = {};
  std::size_t candidates = 3;
  std::size_t inner_dim = 9;
};

HeadSpec cascade(const Shape& shape, Loss loss) {
  HeadSpec spec;
  spec.num_labels = shape.num_labels;
  spec.lengths = shape.lengths;
  spec.dim = 9;
  spec.loss = loss;
  spec.own = CascadeSpec{
      .inner_dim = shape.inner_dim, .candidates = shape.candidates, .parent_power = 0.5F};
  return spec;
}

const HeadSetup kPlainDescent = {.optimizer = {.rule = TableRule::kSgd},
                                 .layers = {.rule = LayerRule::kSgd, .momentum = 0},
                                 .order = {},
                                 .codes = {}};

// Two to four levels, with and without phantoms and projections, children in one chunk and in
// several, examples with more true parents than candidates, groups of few examples and of many.
const Shape kShapes[] = {{60, {10, 6}},
                         {59, {10, 6}, 2, 4},
                         {500, {5, 100}, 2},
                         {100, {5, 5, 4}},
                         {200, {6, 3, 4, 3}, 4, 5},
                         {150, {3, 7, 8}, 9}};  // more candidates than nodes of the first level

TEST(CascadeHead, StepsAsTheReference) {
  const Context context({.threads = 2});
  for (const Shape& shape : kShapes) {
    for (const Loss loss : {Loss::kSoftmax, Loss::kSigmoid}) {
      SCOPED_TRACE(::testing::Message() << shape.num_labels << ' ' << static_cast<int>(loss));
      const auto head = make_dense_head(context, cascade(shape, loss), kPlainDescent);
      testing::randomize(*head, 1);
      testing::RandomBatch batch(60, 9, shape.num_labels, 5, 2);
      const auto expected = testing::reference_cascade(*head, batch.view(), {});
      testing::expect_step_of(*head, expected, batch, context);
    }
  }
}

// Phantoms between the labels, as training places them, or all behind.
TEST(CascadeHead, LabelsStandWhereTheOrderSays) {
  const Context context({.threads = 1});
  for (const Placement placement : {Placement::kSpread, Placement::kCompact}) {
    for (const Shape& shape : {Shape{41, {10, 6}}, Shape{40, {5, 4, 3}, 3, 4}}) {
      for (const Loss loss : {Loss::kSoftmax, Loss::kSigmoid}) {
        HeadSetup setup = kPlainDescent;
        setup.order = random_order(shape.num_labels, shape.lengths, 7, placement);
        const auto head = make_dense_head(context, cascade(shape, loss), setup);
        testing::randomize(*head, 1);
        testing::RandomBatch batch(20, 9, shape.num_labels, 3, 2);
        const auto expected =
            testing::reference_cascade(*head, batch.view(), testing::positions_of(setup));
        testing::expect_step_of(*head, expected, batch, context);
      }
    }
  }
}

TEST(CascadeHead, GradientIsTheSlopeOfTheLoss) {
  const Context context({.threads = 1});
  // The choice of parents must not change on the way. So all of them are candidates, or, of one
  // candidate, those of the example's own labels only.
  for (const Shape& shape :
       {Shape{24, {4, 6}, 4, 5}, Shape{24, {4, 6}, 4}, Shape{22, {6, 1, 4}, 6, 5},
        Shape{24, {4, 3, 2}, 1, 5}, Shape{24, {4, 3, 2}, 1}, Shape{36, {3, 2, 2, 3}, 1, 4},
        Shape{35, {3, 2, 2, 3}, 1}}) {
    for (const Loss loss : {Loss::kSoftmax, Loss::kSigmoid}) {
      SCOPED_TRACE(::testing::Message() << shape.lengths.size() << " levels, inner width "
                                        << shape.inner_dim << ", loss " << static_cast<int>(loss));
      const auto head = make_dense_head(context, cascade(shape, loss), {});
      testing::randomize(*head, 3);
      testing::RandomBatch batch(5, 9, shape.num_labels, 3, 4, shape.candidates > 1);
      testing::expect_slopes(*head, batch, context);
    }
  }
}

TEST(CascadeHead, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const Loss loss : {Loss::kSoftmax, Loss::kSigmoid}) {
    testing::expect_same_bits(cascade({900, {30, 30}, 5, 7}, loss), {}, 70);
    testing::expect_same_bits(cascade({900, {10, 10, 9}, 5}, loss), {}, 70);
  }
}

// A search in double: all candidates of the beam, the best of them kept.
std::vector<std::pair<double, std::size_t>> reference_search(const DenseHead& head,
                                                             const testing::Positions& positions,
                                                             std::span<const float> features,
                                                             std::size_t beam) {
  const HeadSpec& spec = head.spec();
  const testing::ReferenceTables tables = testing::reference_tables(head);
  const std::vector<double> x(features.begin(), features.end());
  std::vector<std::pair<double, std::size_t>> kept = {{0.0, 0}};
  std::size_t stride = 1;
  for (const std::uint32_t length : spec.lengths) stride *= length;
  for (std::size_t level = 0; level < spec.lengths.size(); ++level) {
    const std::string name = "level" + std::to_string(level + 1) + ".";
    stride /= spec.lengths[level];
    std::vector<double> inner = x;
    if (level > 0 && spec.inner_width() != spec.dim) {
      inner.clear();
      for (std::size_t i = 0; i < spec.inner_width(); ++i) {
        inner.push_back(tables.at(name + "projection").score(i, x));
      }
    }
    std::vector<double> scores;
    std::vector<std::pair<double, std::size_t>> next;
    for (const auto& [path, node] : kept) {
      for (std::size_t j = 0; j < spec.lengths[level]; ++j) {
        next.emplace_back(level == 0 ? 0 : spec.as<CascadeSpec>()->parent_power * -path,
                          node * spec.lengths[level] + j);
        scores.push_back(tables.at(name).score(next.back().second, inner));
      }
    }
    kept.clear();
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (next[i].second * stride >= testing::end_of(positions, spec.num_labels)) continue;
      next[i].first += testing::reference_log_probability(spec.loss, scores, i);
      kept.emplace_back(-next[i].first, next[i].second);
    }
    std::sort(kept.begin(), kept.end());
    if (level + 1 < spec.lengths.size() && kept.size() > beam) kept.resize(beam);
  }
  if (positions.empty()) return kept;
  std::vector<std::pair<double, std::size_t>> labels;
  for (const auto& [score, position] : kept) {
    const auto found = std::find(positions.begin(), positions.end(), position);
    if (found != positions.end()) labels.emplace_back(score, found - positions.begin());
  }
  return labels;
}

TEST(CascadeSearch, FindsWhatABeamInDoubleFinds) {
  const Context context({.threads = 1});
  std::vector<std::pair<Shape, HeadSetup>> cases;
  for (const Shape& shape : kShapes) cases.emplace_back(shape, HeadSetup{});
  cases.push_back({{40, {10, 6}}, {}});
  cases.back().second.order = random_order(40, {10, 6}, 7, Placement::kSpread);
  for (const auto& [shape, setup] : cases) {
    for (const Loss loss : {Loss::kSoftmax, Loss::kSigmoid}) {
      SCOPED_TRACE(::testing::Message() << shape.num_labels << ' ' << static_cast<int>(loss));
      const auto head = make_dense_head(context, cascade(shape, loss), setup);
      testing::randomize(*head, 8);
      const auto search = make_search(*head);
      const testing::RandomBatch batch(4, 9, shape.num_labels, 1, 9);
      for (std::size_t e = 0; e < 4; ++e) {
        for (const std::size_t beam : {std::size_t{0}, std::size_t{1}, std::size_t{1000}}) {
          const std::span<const float> x = batch.view().features[e];
          const auto expected = reference_search(*head, testing::positions_of(setup), x,
                                                 beam == 0 ? shape.candidates : beam);
          const std::span<const ScoredLabel> found = search->search(x, 7, beam);
          ASSERT_EQ(found.size(), std::min<std::size_t>(7, expected.size()));
          for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_EQ(index_of(found[i].label), expected[i].second);
            EXPECT_NEAR(found[i].score, std::exp(-expected[i].first), 1e-5);
          }
        }
      }
    }
  }
}

TEST(CascadeSearch, NeverReturnsAPhantom) {
  const Context context({.threads = 1});
  for (const Placement placement : {Placement::kSpread, Placement::kCompact}) {
    HeadSetup setup;
    setup.order = random_order(31, {10, 6}, 5, placement);
    const auto head = make_dense_head(context, cascade({31, {10, 6}}, Loss::kSigmoid), setup);
    testing::randomize(*head, 2);
    const auto search = make_search(*head);
    const testing::RandomBatch batch(1, 9, 31, 1, 3);
    const std::span<const ScoredLabel> found = search->search(batch.view().features[0], 60, 10);
    EXPECT_EQ(found.size(), 31U);
    std::set<std::size_t> labels;
    for (const ScoredLabel& item : found) labels.insert(index_of(item.label));
    EXPECT_EQ(labels.size(), 31U);
    EXPECT_LT(*labels.rbegin(), 31U);
  }
}

TEST(CascadeHead, LearnsItsLabels) {
  const Context context({.threads = 2});
  for (const TableRule rule : {TableRule::kAdagrad, TableRule::kAdam, TableRule::kMomentum,
                               TableRule::kNesterov, TableRule::kAdamW}) {
    const auto head =
        make_dense_head(context, cascade({60, {10, 6}, 3, 6}, Loss::kSoftmax),
                        {.optimizer = {.rule = rule}, .layers = {}, .order = {}, .codes = {}});
    testing::RandomBatch batch(20, 9, 60, 1, 7, false);
    double loss = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
      loss =
          head->step(context, batch.view(),
                     {.learning_rate = 0.2F, .layer_rate = 0.02F, .number = i}, batch.gradient());
    }
    EXPECT_LT(loss, 0.2);
    const auto search = make_search(*head);
    for (std::size_t e = 0; e < 20; ++e) {
      EXPECT_EQ(search->search(batch.view().features[e], 1, 0)[0].label, batch.view().labels[e][0]);
    }
  }
}

TEST(CascadeHead, RefusesWhatCannotBe) {
  const Context context({.threads = 1});
  const auto refused = [&](const HeadSpec& spec, std::optional<LabelOrder> order = {}) {
    EXPECT_THROW((void)make_dense_head(context, spec, {{}, {}, std::move(order), {}}), Error);
  };
  refused(cascade({60, {60}}, Loss::kSoftmax));
  refused(cascade({61, {10, 6}}, Loss::kSoftmax));
  refused(cascade({60, {10, 0}}, Loss::kSoftmax));
  refused(cascade({60, {10, 6}, 11}, Loss::kSoftmax));
  EXPECT_NO_THROW(
      (void)make_dense_head(context, cascade({200, {4, 10, 5}, 40}, Loss::kSoftmax), {}));
  refused(cascade({200, {4, 10, 5}, 41}, Loss::kSoftmax));
  refused(cascade({60, {10, 6}, 0}, Loss::kSoftmax));
  refused(cascade({60, {10, 6}, 3, 10}, Loss::kSoftmax));
  refused(cascade({60, {100000, 100000}}, Loss::kSoftmax));
  refused(cascade({60, {10, 6}}, Loss::kSoftmax), identity_order(59, {10, 6}));
  refused(cascade({60, {10, 6}}, Loss::kSoftmax), identity_order(60, {6, 10}));
}

TEST(CascadeSearch, RefusesArraysThatDoNotFit) {
  const Context context({.threads = 1});
  HeadSetup setup;
  setup.order = identity_order(60, {10, 6});
  const auto head = make_dense_head(context, cascade({60, {10, 6}, 3, 4}, Loss::kSoftmax), setup);
  std::map<std::string, HeadTensor, std::less<>> tensors;
  for (const HeadTensor& tensor : head->tensors()) tensors[tensor.name] = tensor;
  const auto make = [&] {
    return DenseSearch::make(head->spec(), [&](std::string_view name) -> const HeadTensor* {
      const auto found = tensors.find(name);
      return found == tensors.end() ? nullptr : &found->second;
    });
  };
  EXPECT_NO_THROW((void)make());
  for (const char* name : {"level1.table", "level1.bias", "level2.table", "level2.bias",
                           "level2.projection", "label_at"}) {
    const HeadTensor whole = tensors[name];
    if (const auto* floats = std::get_if<std::span<const float>>(&whole.data)) {
      tensors[name].data = floats->first(floats->size() - 1);
    } else {
      tensors[name].data = std::span<const std::uint32_t>();
    }
    EXPECT_THROW((void)make(), Error) << name;
    tensors[name] = whole;
  }
}

TEST(CascadeSearch, SurvivesDamagedNumbers) {
  const Context context({.threads = 1});
  HeadSetup setup;
  setup.order = identity_order(60, {10, 6});
  const auto head = make_dense_head(context, cascade({60, {10, 6}}, Loss::kSigmoid), setup);
  testing::randomize(*head, 4);
  head->visit_state([](const DenseHead::StateArray& array) {
    for (std::size_t i = 0; i < array.values.size(); i += 5) array.values[i] = NAN;
    for (std::size_t i = 1; i < array.values.size(); i += 7) array.values[i] = INFINITY;
  });
  std::vector<HeadTensor> tensors = head->tensors();
  std::vector<std::uint32_t> label_at(60, 12345);
  label_at[7] = 7;
  tensors.back().data = std::span<const std::uint32_t>(label_at);
  const auto search =
      DenseSearch::make(head->spec(), [&](std::string_view name) -> const HeadTensor* {
        for (const HeadTensor& tensor : tensors) {
          if (tensor.name == name) return &tensor;
        }
        return nullptr;
      });
  const testing::RandomBatch batch(1, 9, 60, 1, 3);
  for (const ScoredLabel& item : search->search(batch.view().features[0], 60, 10)) {
    EXPECT_EQ(item.label, LabelId{7});
    EXPECT_TRUE(std::isfinite(item.score));
  }
}

}  // namespace
}  // namespace mhe::heads
