// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/error.h>
#include <mhe/model.h>
#include <mhe/predict.h>
#include <mhe/train.h>

#include "scratch_dir.h"
#include "toy_training.h"
#include "train/train_linear.h"

namespace mhe {
namespace {

using testing::toy_rows;
using testing::ToyRow;

std::vector<LabelId> ids_of(const ToyRow& row) {
  std::vector<LabelId> ids;
  for (const std::uint32_t label : row.labels) ids.push_back(LabelId{label});
  return ids;
}

// A row's vector with the memory it points to.
struct Vector {
  std::vector<std::uint32_t> features;
  std::vector<float> values;

  explicit Vector(const ToyRow& row) {
    for (const auto& [feature, value] : row.entries) {
      features.push_back(feature);
      values.push_back(value);
    }
  }
  [[nodiscard]] SparseRow input() const { return {features, values}; }
};

TrainingRows vectors(const std::vector<ToyRow>& rows) {
  TrainingRows result = TrainingRows::of_vectors();
  for (const ToyRow& row : rows) result.add(Vector(row).input(), ids_of(row));
  return result;
}

// The same with labels called by their numbers: names get ids as they appear, as in a file.
TrainingRows named_vectors(const std::vector<ToyRow>& rows) {
  TrainingRows result = TrainingRows::of_vectors();
  for (const ToyRow& row : rows) {
    std::vector<std::string> names;
    for (const std::uint32_t label : row.labels) names.push_back(std::to_string(label));
    const std::vector<std::string_view> views(names.begin(), names.end());
    result.add(Vector(row).input(), views);
  }
  return result;
}

TrainingRows texts() {
  TrainingRows rows = TrainingRows::of_texts({"title", "body"});
  const std::vector<std::string_view> fruit = {"fruit", "food"};
  const std::vector<std::string_view> tool = {"tool"};
  for (int i = 0; i < 20; ++i) {
    rows.add(std::vector<std::string_view>{"apples", "sweet apples and pears"}, fruit);
    rows.add(std::vector<std::string_view>{"saws", "a saw and a hammer"}, tool);
  }
  return rows;
}

TEST(Train, GivesTheFileThatTheSameRowsInAFileGive) {
  const testing::ScratchDir dir;
  const std::vector<ToyRow> rows = toy_rows(300, 20);
  const Trained trained = train_model(named_vectors(rows), {.threads = 2}, dir.file("memory.mhe"));
  EXPECT_EQ(trained.num_rows, 300U);
  EXPECT_EQ(trained.model.num_labels(), 20U);
  const Context context({.threads = 1});
  (void)train::train_linear(context, testing::read_from(dir.write("rows.txt", svmlight(rows))),
                            train::preset("default"), {.out = dir.file("file.mhe")});
  EXPECT_TRUE(dir.read("memory.mhe") == dir.read("file.mhe"));
}

TEST(Train, WorksWithoutAFile) {
  const std::vector<ToyRow> rows = toy_rows(300, 20);
  const Trained trained = train_model(vectors(rows), {.held_out = 0.2});
  EXPECT_EQ(trained.num_judged_rows, 60U);
  ASSERT_EQ(trained.precision.size(), 3U);
  EXPECT_GT(trained.precision[0], 80);
  Session session(trained.model);
  std::size_t hits = 0;
  for (const ToyRow& row : rows) {
    const LabelId best = session.predict(Vector(row).input(), {.k = 1})[0].label;
    for (const LabelId label : ids_of(row)) hits += label == best ? 1 : 0;
  }
  EXPECT_GT(hits, 270U);
}

TEST(Train, LearnsTextsWithNamedLabels) {
  const Trained trained = train_model(texts());
  EXPECT_EQ(trained.model.text_fields(), (std::vector<std::string>{"title", "body"}));
  EXPECT_EQ(trained.model.num_labels(), 3U);
  Session session(trained.model);
  const std::vector<std::string_view> document = {"hammer", "with a saw"};
  EXPECT_EQ(trained.model.label_name(session.predict(document, {.k = 1})[0].label), "tool");
}

TEST(Train, TakesRowsOfOneField) {
  TrainingRows rows = TrainingRows::of_texts();
  for (int i = 0; i < 10; ++i) {
    rows.add("red apple", {"fruit"});
    rows.add("long saw", {"tool", "tool"});
    rows.add("nothing", {});
  }
  EXPECT_EQ(rows.size(), 30U);
  const Trained trained = train_model(rows);
  EXPECT_EQ(trained.num_rows, 30U);
  EXPECT_EQ(trained.model.label_name(Session(trained.model).predict("a saw", {.k = 1})[0].label),
            "tool");
}

TEST(Train, OptionsReachTheModel) {
  const TrainingRows rows = vectors(toy_rows(300, 20));
  const TrainingRows valid = vectors(toy_rows(120, 20, 2));
  EXPECT_GT(train_model(rows, {.min_label_count = 12}).num_trimmed_labels, 0U);
  EXPECT_EQ(train_model(rows, {.valid = &valid}).num_judged_rows, 120U);
  EXPECT_TRUE(train_model(rows, {.held_out = 0.0}).precision.empty());
  const testing::ScratchDir dir;
  const auto bytes = [&](const TrainOptions& options) {
    (void)train_model(rows, options, dir.file("m.mhe"));
    return dir.read("m.mhe");
  };
  const std::string plain = bytes({});
  EXPECT_TRUE(bytes({.threads = 1}) == plain);
  EXPECT_FALSE(bytes({.seed = 2}) == plain);
  EXPECT_FALSE(bytes({.lengths = {4, 5}}) == plain);
  EXPECT_FALSE(bytes({.head = "cascade"}) == plain);  // few rows: one-hot by rule
  EXPECT_FALSE(bytes({.preset = "fast"}) == plain);
  EXPECT_GT(bytes({.ensemble = 2}).size(), plain.size());
  EXPECT_EQ(dir.num_entries(), 1U);
}

TEST(Train, RefusesWhatCannotBe) {
  const TrainingRows rows = vectors(toy_rows(30, 5));
  EXPECT_THROW((void)train_model(rows, {.preset = "turbo"}), Error);
  EXPECT_THROW((void)train_model(rows, {.head = "product"}), Error);
  EXPECT_THROW((void)train_model(rows, {.resume = true}), Error);
  EXPECT_THROW((void)train_model(rows, {}, ""), Error);
  EXPECT_THROW((void)train_model(rows, {.lengths = {2, 2}}), Error);
  const TrainingRows other = texts();
  EXPECT_THROW((void)train_model(rows, {.valid = &other}), Error);
  EXPECT_THROW((void)train_model(TrainingRows::of_vectors()), Error);
  EXPECT_THROW((void)train_model(TrainingRows::of_texts()), Error);
}

TEST(TrainingRows, RefuseRowsThatDoNotFitAndStayAsTheyWere) {
  const std::vector<std::string_view> names = {"a"};
  const std::vector<LabelId> ids = {LabelId{3}};
  const std::vector<LabelId> too_high = {LabelId{0xFFFF'FFFF}};
  const std::vector<std::uint32_t> features = {1, 9};
  const std::vector<std::uint32_t> falling = {9, 1};
  const std::vector<float> values = {1, 1};
  const std::vector<float> not_finite = {1, std::nanf("")};
  TrainingRows vectors = TrainingRows::of_vectors(10);
  vectors.add(SparseRow{features, values}, ids);
  EXPECT_THROW(vectors.add(SparseRow{features, values}, names), Error);
  EXPECT_THROW(vectors.add(SparseRow{features, values}, too_high), Error);
  EXPECT_THROW(vectors.add(SparseRow{falling, values}, ids), Error);
  EXPECT_THROW(vectors.add(SparseRow{features, not_finite}, ids), Error);
  EXPECT_THROW(vectors.add(SparseRow{features, std::span(values).first(1)}, ids), Error);
  EXPECT_THROW(vectors.add("text", {"a"}), Error);
  const std::vector<std::uint32_t> beyond = {1, 10};
  EXPECT_THROW(vectors.add(SparseRow{beyond, values}, ids), Error);
  EXPECT_EQ(vectors.size(), 1U);

  TrainingRows texts = TrainingRows::of_texts({"title", "body"});
  EXPECT_THROW(texts.add("one field", {"a"}), Error);
  EXPECT_THROW(texts.add(SparseRow{features, values}, names), Error);
  EXPECT_EQ(texts.size(), 0U);
  EXPECT_THROW((void)TrainingRows::of_texts({}), Error);
  EXPECT_THROW((void)TrainingRows::of_texts({"a", "a"}), Error);
}

}  // namespace
}  // namespace mhe
