// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/context.h>
#include <mhe/error.h>
#include <mhe/predict.h>

#include "scratch_dir.h"
#include "toy_learned_model.h"
#include "toy_model.h"

namespace mhe {
namespace {

using testing::kToyText;
using testing::ToyOptions;

bool same(std::span<const ScoredLabel> a, std::span<const ScoredLabel> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].label != b[i].label || a[i].score != b[i].score) return false;
  }
  return true;
}

class SessionTest : public ::testing::Test {
 protected:
  Model open(const ToyOptions& options) {
    testing::write_toy_model(dir_.file("m.mhe"), options);
    return Model::open(dir_.file("m.mhe"));
  }
  testing::ScratchDir dir_;
  const std::vector<std::uint32_t> features_ = {0, 3, 17, 39, 1000};
  const std::vector<float> values_ = {1.0F, 2.0F, 0.5F, 1.0F, 3.0F};
};

TEST_F(SessionTest, GivesTheBestLabelsInOrder) {
  const Model model = open({});
  Session session(model);
  const std::vector<ScoredLabel> five = [&] {
    const auto found = session.predict(SparseRow{features_, values_}, {.k = 5});
    return std::vector<ScoredLabel>(found.begin(), found.end());
  }();
  ASSERT_EQ(five.size(), 5U);
  for (std::size_t i = 0; i < five.size(); ++i) {
    EXPECT_TRUE(five[i].score >= 0 && five[i].score <= 1);
    EXPECT_GE(five[i == 0 ? 0 : i - 1].score, five[i].score);
  }
  EXPECT_EQ(model.label_name(five[0].label), "label " + std::to_string(index_of(five[0].label)));
  // A shorter list is the beginning of the longer one.
  EXPECT_TRUE(
      same(session.predict(SparseRow{features_, values_}, {.k = 2}), std::span(five).first(2)));
  EXPECT_TRUE(session.predict(SparseRow{features_, values_}, {.k = 0}).empty());
  EXPECT_EQ(session.predict(SparseRow{features_, values_}, {.k = 1000}).size(),
            10U);  // beam of 2 x 5
}

TEST_F(SessionTest, GivesTheBestSetsOfAPowerset) {
  for (const std::size_t members : {1U, 2U}) {
    testing::write_toy_learned_model(
        dir_.file("sets.mhe"),
        {.head = HeadKind::kProduct, .members = members, .code = heads::ProductCode::kPowerset});
    const Model model = Model::open(dir_.file("sets.mhe"));
    Session session(model);
    const SparseRow row = {std::span(features_).first(4), std::span(values_).first(4)};
    const std::span<const LabelSet> sets =
        session.predict(SparseRows{{&row, 1}}, {.k = 3, .sets = 6}).sets(0);
    ASSERT_EQ(sets.size(), 6U);
    for (std::size_t i = 0; i < sets.size(); ++i) {
      EXPECT_TRUE(std::is_sorted(sets[i].labels.begin(), sets[i].labels.end()));
      EXPECT_GE(sets[i == 0 ? 0 : i - 1].probability, sets[i].probability);
      for (std::size_t j = 0; j < i; ++j) EXPECT_NE(sets[i].labels, sets[j].labels);
    }
  }
}

TEST_F(SessionTest, RefusesSetsOfAModelOfLabels) {
  Session linear(open({}));
  EXPECT_THROW(linear.check({.sets = 1}), Error);
  testing::write_toy_learned_model(dir_.file("labels.mhe"), {.head = HeadKind::kProduct});
  Session learned(Model::open(dir_.file("labels.mhe")));
  EXPECT_THROW(learned.check({.sets = 1}), Error);
}

TEST_F(SessionTest, NeighboursAreMixedIn) {
  const heads::NeighbourIndex rows = testing::random_neighbours(40, 15);
  const std::vector<std::uint32_t> one = {7};  // only the eighth row has it
  const std::vector<float> value = {1.0F};
  const Model without_model = open({});
  Session without(without_model);
  std::vector<float> scores(15, 0.0F);
  for (const ScoredLabel& label : without.predict(SparseRow{one, value}, {.k = 15})) {
    scores[index_of(label.label)] = label.score;
  }
  const Model with_model = open({.neighbours = true});
  Session with(with_model);
  for (const ScoredLabel& label : with.predict(SparseRow{one, value}, {.k = 15})) {
    const float share = index_of(label.label) == rows.labels[7] ? 1.0F : 0.0F;
    EXPECT_FLOAT_EQ(label.score, 0.5F * scores[index_of(label.label)] + 0.5F * share);
  }
}

TEST_F(SessionTest, TellsWhatTheModelTakes) {
  const Model text = open({.text = true});
  EXPECT_EQ(text.text_fields(), (std::vector<std::string>{"title", "body"}));
  EXPECT_EQ(text.num_labels(), 15U);
  EXPECT_THROW((void)Session(text).predict("one field", {.k = 3}), Error);
  EXPECT_THROW((void)text.label_name(LabelId{15}), Error);
  EXPECT_TRUE(open({}).text_fields().empty());
}

TEST_F(SessionTest, RefusesVectorsThatAreNone) {
  Session session(open({}));
  const std::vector<std::uint32_t> falling = {3, 2};
  const std::vector<float> two = {1.0F, 1.0F};
  const std::vector<float> not_finite = {1.0F, std::nanf("")};
  EXPECT_THROW((void)session.predict(SparseRow{falling, two}, {.k = 3}), Error);
  EXPECT_THROW((void)session.predict(SparseRow{features_, two}, {.k = 3}), Error);
  EXPECT_THROW(
      (void)session.predict(SparseRow{std::span(features_).first(2), not_finite}, {.k = 3}), Error);
  EXPECT_THROW((void)session.predict("text", {.k = 3}), Error);
}

TEST_F(SessionTest, ManyThreadsAgreeWithOne) {
  for (const bool text : {false, true}) {
    const Model model = open({.text = text, .members = 3});
    std::vector<SparseRow> inputs;
    std::vector<std::string_view> texts;
    for (std::size_t i = 0; i < 200; ++i) {
      inputs.push_back({std::span(features_).first(i % 6), std::span(values_).first(i % 6)});
      texts.push_back(kToyText.substr(0, i % kToyText.size()));
      texts.push_back(kToyText.substr(i % kToyText.size()));
    }
    const InputBatch batch = text ? InputBatch(TextRows{texts, 2}) : InputBatch(SparseRows{inputs});
    const Context context({.threads = 4});
    Session alone(model);
    Session together(model, context);
    const Predictions& one = alone.predict(batch, {.k = 4});
    const Predictions& four = together.predict(batch, {.k = 4});
    ASSERT_EQ(one.size(), 200U);
    ASSERT_EQ(four.size(), 200U);
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(same(one[i], four[i])) << i;
  }
}

TEST_F(SessionTest, AllowedLabelsFillTheList) {
  const Model model = open({});  // 3 groups of 5 labels, a beam of 2
  Session session(model);
  const SparseRow row = {features_, values_};
  for (std::uint32_t only = 0; only < 15; ++only) {
    const std::vector<LabelId> allowed = {LabelId{only}};
    const auto found = session.predict(row, {.k = 3, .allowed = allowed});
    ASSERT_EQ(found.size(), 1U) << only;  // in the beam or not
    EXPECT_EQ(found[0].label, LabelId{only});
  }
  const std::vector<LabelId> falling = {LabelId{2}, LabelId{1}};
  EXPECT_THROW(session.check({.allowed = falling}), Error);
  const std::vector<LabelId> unknown = {LabelId{15}};
  EXPECT_THROW(session.check({.allowed = unknown}), Error);
}

TEST_F(SessionTest, AThresholdCutsTheList) {
  const Model model = open({});
  Session session(model);
  const SparseRow row = {features_, values_};
  const auto all = session.predict(row, {.k = 15});
  const std::vector<ScoredLabel> ten(all.begin(), all.end());
  const auto above = session.predict(row, {.k = 15, .threshold = ten[3].score});
  EXPECT_TRUE(same(above, std::span(ten).first(4)));
}

TEST_F(SessionTest, AFlippedBitIsRefused) {
  testing::write_toy_model(dir_.file("m.mhe"));
  std::string bytes = dir_.read("m.mhe");
  const FileCard card = read_card(dir_.file("m.mhe"));
  bytes[card.tensors.front().file_offset] ^= 4;
  const std::string damaged = dir_.write("damaged.mhe", bytes);
  EXPECT_THROW((void)Model::open(damaged), Error);
  EXPECT_EQ(Model::open(damaged, Verify::kNone).num_labels(), 15U);
}

TEST_F(SessionTest, KnowsHowItsDataWasRead) {
  const DataLayout layout = {.format = Format::kTsv,
                             .text_columns = {"title", "the \"body\""},
                             .label_column = "tags",
                             .label_separator = "\n"};
  const ReadOptions options = open({.text = true, .layout = layout}).read_options("other.tsv");
  EXPECT_EQ(options.path, "other.tsv");
  EXPECT_EQ(options.expected, layout);
  // A file that does not say, as older ones: its text fields are what is known.
  const Model old = open({.text = true});
  EXPECT_EQ(old.read_options("x").expected, DataLayout());
  EXPECT_EQ(old.read_options("x").expected_text, old.text_fields());
}

TEST_F(SessionTest, KeepsTheModelAlive) {
  Session session = [&] { return Session(open({})); }();
  EXPECT_EQ(session.predict(SparseRow{features_, values_}, {.k = 3}).size(), 3U);
}

}  // namespace
}  // namespace mhe
