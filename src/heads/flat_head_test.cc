// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "head_testing.h"
#include "heads/dense_search.h"
#include "heads/group_sampler.h"

namespace mhe::heads {
namespace {

HeadSpec one_hot(std::size_t num_labels, std::size_t dim, Loss loss) {
  HeadSpec spec;
  spec.num_labels = num_labels;
  spec.lengths = {static_cast<std::uint32_t>(num_labels)};
  spec.dim = dim;
  spec.loss = loss;
  return spec;
}

HeadSpec sampling(std::size_t num_labels, std::vector<std::uint32_t> lengths, std::size_t dim,
                  Loss loss) {
  HeadSpec spec = one_hot(num_labels, dim, loss);
  spec.own = SamplingSpec();
  spec.lengths = std::move(lengths);
  return spec;
}

const HeadSetup kPlainDescent = {.optimizer = {.rule = TableRule::kSgd}, .order = {}, .codes = {}};
// MHS as in Algorithm 4: what was not drawn does not count.
const HeadSetup kPaper = {
    .optimizer = {.rule = TableRule::kSgd}, .order = {}, .codes = {}, .weigh_groups = false};

std::vector<std::size_t> rows_between(std::size_t begin, std::size_t end) {
  std::vector<std::size_t> rows(end - begin);
  std::iota(rows.begin(), rows.end(), begin);
  return rows;
}

// Where labels are their own rows: by row, then by example.
std::vector<Positive> positives_of(const HeadBatch& batch) {
  std::vector<Positive> positives;
  for (std::uint32_t e = 0; e < batch.labels.size(); ++e) {
    for (const LabelId label : batch.labels[e]) {
      positives.push_back({static_cast<std::uint32_t>(label), e});
    }
  }
  std::sort(positives.begin(), positives.end());
  return positives;
}

TEST(OneHotHead, StepsAsTheReference) {
  const Context context({.threads = 2});
  for (const Loss loss : {Loss::kSoftmax, Loss::kSigmoid}) {
    // More rows than a block, so that blocks are put together.
    const auto head = make_dense_head(context, one_hot(400, 13, loss), kPlainDescent);
    testing::randomize(*head, 1);
    testing::RandomBatch batch(9, 13, 400, 4, 2);
    const auto expected = testing::reference_flat(*head, batch.view(), rows_between(0, 400), {});
    testing::expect_step_of(*head, expected, batch, context);
  }
}

TEST(OneHotHead, GradientIsTheSlopeOfTheLoss) {
  const Context context({.threads = 1});
  for (const Loss loss : {Loss::kSoftmax, Loss::kSigmoid}) {
    const auto head = make_dense_head(context, one_hot(30, 11, loss), {});
    testing::randomize(*head, 3);
    testing::RandomBatch batch(5, 11, 30, 3, 4);
    testing::expect_slopes(*head, batch, context);
  }
}

TEST(OneHotHead, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const Loss loss : {Loss::kSoftmax, Loss::kSigmoid}) {
    testing::expect_same_bits(one_hot(1500, 19, loss), {}, 70);
  }
}

TEST(OneHotHead, SearchFindsTheMostProbableLabels) {
  const Context context({.threads = 1});
  for (const Loss loss : {Loss::kSoftmax, Loss::kSigmoid}) {
    const auto head = make_dense_head(context, one_hot(1100, 8, loss), {});
    testing::randomize(*head, 5);
    const testing::RandomBatch batch(1, 8, 1100, 1, 6);
    const std::vector<double> x(batch.view().features[0].begin(), batch.view().features[0].end());
    std::vector<double> scores;
    for (std::size_t i = 0; i < 1100; ++i) {
      scores.push_back(testing::reference_tables(*head)[""].score(i, x));
    }
    std::vector<std::size_t> ranked = rows_between(0, 1100);
    std::sort(ranked.begin(), ranked.end(),
              [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    const auto search = make_search(*head);
    const std::span<const ScoredLabel> found = search->search(batch.view().features[0], 12, 0);
    ASSERT_EQ(found.size(), 12U);
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(index_of(found[i].label), ranked[i]);
      const double expected = std::exp(testing::reference_log_probability(loss, scores, ranked[i]));
      EXPECT_NEAR(found[i].score, expected, 1e-5 * expected);
    }
  }
}

TEST(OneHotHead, EqualScoresGoToTheSmallerLabel) {
  const Context context({.threads = 1});
  const auto head = make_dense_head(context, one_hot(700, 3, Loss::kSigmoid), {});
  head->visit_state([](const DenseHead::StateArray& array) {
    std::fill(array.values.begin(), array.values.end(), 0.0F);
  });
  const std::vector<float> x = {1, 2, 3};
  const auto search = make_search(*head);
  const std::span<const ScoredLabel> found = search->search(x, 5, 0);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(index_of(found[i].label), i);
}

TEST(OneHotHead, LearnsItsLabels) {
  const Context context({.threads = 2});
  const auto head = make_dense_head(context, one_hot(50, 16, Loss::kSoftmax), {});
  testing::RandomBatch batch(20, 16, 50, 1, 7, false);
  double loss = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    loss =
        head->step(context, batch.view(), {.learning_rate = 0.3F, .number = i}, batch.gradient());
  }
  EXPECT_LT(loss, 0.1);
  const auto search = make_search(*head);
  for (std::size_t e = 0; e < 20; ++e) {
    EXPECT_EQ(search->search(batch.view().features[e], 1, 0)[0].label, batch.view().labels[e][0]);
  }
}

TEST(SamplingHead, ScoresTheGroupsOfTheBatchOnly) {
  const Context context({.threads = 2});
  for (const Loss loss : {Loss::kSoftmax, Loss::kSigmoid}) {
    // 10 groups of 40, the last of them short: labels 360 .. 394.
    const auto head = make_dense_head(context, sampling(395, {10, 40}, 7, loss), kPaper);
    testing::randomize(*head, 1);
    testing::RandomBatch batch(4, 7, 395, 2, 11);
    std::set<std::size_t> groups = {9};
    // One label more is in the last group, whose rows end where the labels do.
    std::vector<std::vector<LabelId>> shifted;
    std::vector<std::span<const LabelId>> spans;
    for (const std::span<const LabelId> labels : batch.view().labels) {
      for (const LabelId label : labels) groups.insert(index_of(label) / 40);
      shifted.emplace_back(labels.begin(), labels.end());
    }
    shifted[3].push_back(LabelId{394});
    for (const std::vector<LabelId>& labels : shifted) spans.emplace_back(labels);
    HeadBatch view = batch.view();
    view.labels = spans;
    std::vector<std::size_t> rows;
    for (const std::size_t group : groups) {
      for (std::size_t i = group * 40; i < std::min<std::size_t>(395, group * 40 + 40); ++i) {
        rows.push_back(i);
      }
    }
    ASSERT_LT(groups.size(), 10U);
    const auto expected = testing::reference_flat(*head, view, rows, {});
    EXPECT_NEAR(head->step(context, view, {.learning_rate = 0.5F}, batch.gradient()), expected.loss,
                1e-5 * (1 + expected.loss));
    const auto after = testing::reference_tables(*head);
    const testing::ReferenceTable& table = expected.tables.at("");
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      ASSERT_NEAR(after.at("").rows[i], table.rows[i] - 0.5 * table.row_gradients[i], 1e-5) << i;
    }
  }
}

TEST(SamplingHead, ExtraGroupsAreDrawnByStep) {
  const Context context({.threads = 1, .seed = 3});
  HeadSpec spec = sampling(400, {20, 20}, 5, Loss::kSigmoid);
  spec.as<SamplingSpec>()->extra_groups = 4;
  const auto touched_groups = [&](std::uint64_t number) {
    const auto head = make_dense_head(context, spec, kPlainDescent);
    const testing::ReferenceTables before = testing::reference_tables(*head);
    testing::RandomBatch batch(1, 5, 20, 1, 5, false);  // its label is in group 0
    (void)head->step(context, batch.view(), {.learning_rate = 1, .number = number},
                     batch.gradient());
    const testing::ReferenceTables after = testing::reference_tables(*head);
    std::set<std::size_t> groups;
    for (std::size_t label = 0; label < 400; ++label) {
      if (after.at("").biases[label] != before.at("").biases[label]) groups.insert(label / 20);
    }
    return groups;
  };
  EXPECT_EQ(touched_groups(0).size(), 5U);
  EXPECT_EQ(touched_groups(0).count(0), 1U);
  EXPECT_EQ(touched_groups(0), touched_groups(0));
  EXPECT_NE(touched_groups(0), touched_groups(1));
}

TEST(SamplingHead, ScoresExtraGroupsForTheWholeBatch) {
  const Context context({.threads = 2, .seed = 5});
  constexpr std::uint64_t kStepNumber = 3;
  for (const Loss loss : {Loss::kSoftmax, Loss::kSigmoid}) {
    for (const HeadSetup& setup : {kPlainDescent, kPaper}) {
      HeadSpec spec = sampling(395, {10, 40}, 7, loss);
      spec.as<SamplingSpec>()->extra_groups = 3;
      const auto head = make_dense_head(context, spec, setup);
      testing::randomize(*head, 1);
      testing::RandomBatch batch(4, 7, 395, 2, 11);
      const std::vector<Positive> positives = positives_of(batch.view());
      std::set<std::size_t> own;
      for (const Positive& positive : positives) own.insert(positive.row / 40);
      std::vector<RowRange> ranges;
      GroupSampler(395, 40).choose_for_batch(positives, 3,
                                             RandomStream(5, "head.groups", kStepNumber), ranges);
      std::vector<std::size_t> rows;
      std::set<std::size_t> drawn;
      for (const RowRange& range : ranges) {
        for (std::size_t row = range.begin; row < range.end; ++row) {
          rows.push_back(row);
          drawn.insert(row / 40);
        }
      }
      ASSERT_EQ(drawn.size(), own.size() + 3);
      ASSERT_LT(drawn.size(), 10U);
      const bool weighs = loss == Loss::kSoftmax && setup.weigh_groups;
      const double chance = weighs ? (static_cast<double>(drawn.size()) - 1) / 9 : 1;
      const auto expected = testing::reference_flat(*head, batch.view(), rows, {}, chance);
      testing::expect_step_of(*head, expected, batch, context, kStepNumber);
    }
  }
}

TEST(SamplingHead, GroupsFollowTheOrder) {
  const Context context({.threads = 1});
  const HeadSpec spec = sampling(90, {9, 10}, 6, Loss::kSoftmax);
  HeadSetup setup = kPaper;
  setup.order = random_order(90, {9, 10}, 4);
  const auto head = make_dense_head(context, spec, setup);
  testing::randomize(*head, 1);
  testing::RandomBatch batch(3, 6, 90, 2, 8);
  std::set<std::size_t> groups;
  const testing::Positions positions(setup.order->positions().begin(),
                                     setup.order->positions().end());
  for (const std::span<const LabelId> labels : batch.view().labels) {
    for (const LabelId label : labels) groups.insert(positions[index_of(label)] / 10);
  }
  std::vector<std::size_t> rows;
  for (const std::size_t group : groups) {
    for (std::size_t i = 0; i < 10; ++i) rows.push_back(group * 10 + i);
  }
  const auto expected = testing::reference_flat(*head, batch.view(), rows, positions);
  testing::expect_step_of(*head, expected, batch, context);
  // A search answers with labels, not with rows.
  const auto search = make_search(*head);
  const std::vector<double> x(batch.view().features[0].begin(), batch.view().features[0].end());
  const testing::ReferenceTables tables = testing::reference_tables(*head);
  std::size_t best = 0;
  for (std::size_t label = 1; label < 90; ++label) {
    if (tables.at("").score(positions[label], x) > tables.at("").score(positions[best], x)) {
      best = label;
    }
  }
  EXPECT_EQ(index_of(search->search(batch.view().features[0], 1, 0)[0].label), best);
}

TEST(SamplingHead, GroupsThatWereDrawnCountForThoseThatWereNot) {
  const Context context({.threads = 2});
  // 300 rows a group are several blocks, and 20 are many groups a block.
  for (const std::uint32_t size : {20U, 300U}) {
    const std::uint32_t groups = 20;
    const HeadSpec spec = sampling(groups * size, {groups, size}, 7, Loss::kSoftmax);
    const auto head = make_dense_head(context, spec, kPlainDescent);
    testing::randomize(*head, 1);
    testing::RandomBatch batch(4, 7, spec.num_labels, 2, 11);
    std::set<std::size_t> drawn;
    for (const std::span<const LabelId> labels : batch.view().labels) {
      for (const LabelId label : labels) drawn.insert(index_of(label) / size);
    }
    std::vector<std::size_t> rows;
    for (const std::size_t group : drawn) {
      for (std::size_t i = 0; i < size; ++i) rows.push_back(group * size + i);
    }
    const double chance = (static_cast<double>(drawn.size()) - 1) / (groups - 1);
    const auto expected = testing::reference_flat(*head, batch.view(), rows, {}, chance);
    testing::expect_step_of(*head, expected, batch, context);
  }
}

TEST(SamplingHead, GradientIsTheSlopeOfTheLoss) {
  const Context context({.threads = 1});
  for (const Loss loss : {Loss::kSoftmax, Loss::kSigmoid}) {
    for (const HeadSetup& setup : {kPlainDescent, kPaper}) {
      HeadSpec spec = sampling(60, {12, 5}, 11, loss);
      spec.as<SamplingSpec>()->extra_groups = 2;
      const auto head = make_dense_head(context, spec, setup);
      testing::randomize(*head, 3);
      testing::RandomBatch batch(4, 11, 60, 2, 4);
      testing::expect_slopes(*head, batch, context);
    }
  }
}

TEST(SamplingHead, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const Loss loss : {Loss::kSoftmax, Loss::kSigmoid}) {
    HeadSpec spec = sampling(3000, {60, 50}, 19, loss);
    spec.as<SamplingSpec>()->extra_groups = 5;
    testing::expect_same_bits(spec, {}, 20);
    spec.as<SamplingSpec>()->extra_groups = 0;
    spec.as<SamplingSpec>()->groups_per_example = 4;
    testing::expect_same_bits(spec, {}, 20);
  }
}

// What an example is scored on: 395 labels in groups of 40, the last of 35.
testing::ReferenceRows rows_of_groups(const std::set<std::size_t>& groups, double chance) {
  testing::ReferenceRows scored;
  for (const std::size_t group : groups) {
    for (std::size_t i = group * 40; i < std::min<std::size_t>(395, group * 40 + 40); ++i) {
      scored.rows.push_back(i);
    }
  }
  scored.chance = chance;
  return scored;
}

TEST(SamplingHead, WithOneGroupAnExampleScoresThoseOfItsOwnLabels) {
  const Context context({.threads = 2});
  for (const Loss loss : {Loss::kSoftmax, Loss::kSigmoid}) {
    HeadSpec spec = sampling(395, {10, 40}, 7, loss);
    spec.as<SamplingSpec>()->groups_per_example = 1;
    const auto head = make_dense_head(context, spec, kPlainDescent);
    testing::randomize(*head, 1);
    testing::RandomBatch batch(60, 7, 395, 3, 11);  // so many that all groups are met
    std::vector<testing::ReferenceRows> scored;
    for (const std::span<const LabelId> labels : batch.view().labels) {
      std::set<std::size_t> groups;
      for (const LabelId label : labels) groups.insert(index_of(label) / 40);
      scored.push_back(rows_of_groups(groups, 1));
    }
    const auto expected = testing::reference_rows(*head, batch.view(), scored, {});
    testing::expect_step_of(*head, expected, batch, context);
  }
}

TEST(SamplingHead, ScoresGroupsDrawnForEachExample) {
  const Context context({.threads = 2, .seed = 5});
  constexpr std::uint64_t kStepNumber = 3;
  for (const Loss loss : {Loss::kSoftmax, Loss::kSigmoid}) {
    for (const HeadSetup& setup : {kPlainDescent, kPaper}) {
      HeadSpec spec = sampling(395, {10, 40}, 7, loss);
      spec.as<SamplingSpec>()->groups_per_example = 3;
      const auto head = make_dense_head(context, spec, setup);
      testing::randomize(*head, 1);
      testing::RandomBatch batch(9, 7, 395, 2, 11);
      std::vector<Pair> pairs;
      GroupSampler(395, 40).choose_for_examples(positives_of(batch.view()), 9, 2,
                                                RandomStream(5, "head.groups", kStepNumber),
                                                GroupSampler::Weigh::kNo, pairs);
      std::vector<std::set<std::size_t>> groups(9);
      for (const Pair& pair : pairs) groups[pair.example].insert(pair.parent);
      const bool weighs = loss == Loss::kSoftmax && setup.weigh_groups;
      std::vector<testing::ReferenceRows> scored;
      for (const std::set<std::size_t>& own_and_two : groups) {
        const double others = 10 - (static_cast<double>(own_and_two.size()) - 2);
        scored.push_back(rows_of_groups(own_and_two, weighs ? 2 / others : 1));
      }
      const auto expected = testing::reference_rows(*head, batch.view(), scored, {});
      testing::expect_step_of(*head, expected, batch, context, kStepNumber);
      testing::expect_slopes(*head, batch, context);
    }
  }
}

TEST(SamplingHead, WithAllGroupsForEachExampleIsOneHot) {
  const Context context({.threads = 1});
  HeadSpec spec = sampling(395, {10, 40}, 7, Loss::kSoftmax);
  spec.as<SamplingSpec>()->groups_per_example = 10;
  const auto head = make_dense_head(context, spec, kPlainDescent);
  testing::randomize(*head, 1);
  testing::RandomBatch batch(5, 7, 395, 3, 11);
  const auto expected = testing::reference_flat(*head, batch.view(), rows_between(0, 395), {});
  testing::expect_step_of(*head, expected, batch, context);
}

TEST(FlatHeads, RefuseWhatCannotBe) {
  const Context context({.threads = 1});
  const auto refused = [&](const HeadSpec& spec) {
    EXPECT_THROW((void)make_dense_head(context, spec, {}), Error);
  };
  HeadSpec spec = one_hot(10, 4, Loss::kSoftmax);
  spec.lengths = {9};
  refused(spec);
  refused(one_hot(0, 4, Loss::kSoftmax));
  refused(one_hot(10, 0, Loss::kSoftmax));
  refused(sampling(100, {10}, 4, Loss::kSoftmax));
  refused(sampling(100, {9, 11}, 4, Loss::kSoftmax));  // covers 99
  refused(sampling(100, {10, 0}, 4, Loss::kSoftmax));
  spec = sampling(100, {12, 10}, 4, Loss::kSoftmax);  // the last two groups are without a label
  spec.as<SamplingSpec>()->extra_groups = 10;
  refused(spec);
  spec.as<SamplingSpec>()->extra_groups = 0;
  spec.as<SamplingSpec>()->groups_per_example = 11;
  refused(spec);
  spec.as<SamplingSpec>()->groups_per_example = 2;
  spec.as<SamplingSpec>()->extra_groups = 1;
  refused(spec);
}

TEST(FlatHeads, RefuseBatchesThatDoNotFit) {
  const Context context({.threads = 1});
  const auto head = make_dense_head(context, one_hot(10, 4, Loss::kSoftmax), {});
  testing::RandomBatch narrow(3, 3, 10, 1, 1);
  EXPECT_THROW((void)head->step(context, narrow.view(), {}, narrow.gradient()), Error);
  testing::RandomBatch far(3, 4, 1000, 1, 1);
  EXPECT_THROW((void)head->step(context, far.view(), {}, far.gradient()), Error);
  testing::RandomBatch good(3, 4, 10, 1, 1);
  testing::RandomBatch longer(4, 4, 10, 1, 1);
  EXPECT_THROW((void)head->step(context, good.view(), {}, longer.gradient()), Error);
}

TEST(FlatHeads, AnEmptyBatchChangesNothing) {
  const Context context({.threads = 1});
  const auto head = make_dense_head(context, one_hot(10, 4, Loss::kSigmoid), {});
  const std::vector<float> before = testing::state_of(*head);
  testing::RandomBatch none(0, 4, 10, 1, 1, false);
  EXPECT_EQ(head->step(context, none.view(), {}, none.gradient()), 0);
  EXPECT_EQ(testing::state_of(*head), before);
}

TEST(FlatSearch, RefusesArraysThatDoNotFit) {
  const HeadSpec spec = one_hot(10, 4, Loss::kSoftmax);
  const std::vector<float> values(40);
  HeadTensor table = {"table", {10, 4}, std::span(values).first(40)};
  HeadTensor bias = {"bias", {10}, std::span(values).first(10)};
  const auto make = [&] {
    return DenseSearch::make(spec, [&](std::string_view name) -> const HeadTensor* {
      return name == "table" ? &table : name == "bias" ? &bias : nullptr;
    });
  };
  EXPECT_NO_THROW((void)make());
  table.data = std::span(values).first(39);
  EXPECT_THROW((void)make(), Error);
  table.data = std::span<const std::uint32_t>();
  EXPECT_THROW((void)make(), Error);
  table.data = std::span(values).first(40);
  bias.name = "other";
  bias.data = std::span(values).first(9);
  EXPECT_THROW((void)make(), Error);
}

}  // namespace
}  // namespace mhe::heads
