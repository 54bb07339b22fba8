// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/error.h>
#include <mhe/model.h>
#include <mhe/predict.h>
#include <mhe/train.h>

#include "scratch_dir.h"
#include "toy_training.h"

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

Dataset vectors(const std::vector<ToyRow>& rows) {
  DatasetBuilder result = DatasetBuilder::of_vectors();
  for (const ToyRow& row : rows) result.add(Vector(row).input(), ids_of(row));
  return std::move(result).build();
}

// The same with labels called by their numbers: names get ids as they appear, as in a file.
Dataset named_vectors(const std::vector<ToyRow>& rows) {
  DatasetBuilder result = DatasetBuilder::of_vectors();
  for (const ToyRow& row : rows) {
    std::vector<std::string> names;
    for (const std::uint32_t label : row.labels) names.push_back(std::to_string(label));
    const std::vector<std::string_view> views(names.begin(), names.end());
    result.add(Vector(row).input(), views);
  }
  return std::move(result).build();
}

Dataset texts() {
  DatasetBuilder rows = DatasetBuilder::of_texts({"title", "body"});
  const std::vector<std::string_view> fruit = {"fruit", "food"};
  const std::vector<std::string_view> tool = {"tool"};
  for (int i = 0; i < 20; ++i) {
    rows.add(std::vector<std::string_view>{"apples", "sweet apples and pears"}, fruit);
    rows.add(std::vector<std::string_view>{"saws", "a saw and a hammer"}, tool);
  }
  return std::move(rows).build();
}

TrainOptions options_with(const std::function<void(TrainOptions&)>& change) {
  TrainOptions options;
  change(options);
  return options;
}

TEST(Train, SaysWhichOptionsTheHeadThatItChoseDoesNotUse) {
  std::vector<std::string> warnings;
  const Context context(
      {.on_warning = [&](std::string_view words) { warnings.emplace_back(words); }});
  TrainOptions options;
  options.set("beam", "7");
  (void)train_in_memory(context, texts(), options);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0],
            "the option beam was not used: 3 labels get the head onehot unless another is asked "
            "for");
  warnings.clear();
  options.head = "cascade";
  (void)train_in_memory(context, texts(), options);
  EXPECT_TRUE(warnings.empty());
}

TEST(Train, GivesTheFileThatTheSameRowsInAFileGive) {
  const testing::ScratchDir dir;
  const std::vector<ToyRow> rows = toy_rows(300, 20);
  const TrainReport report = train_model(Context({.threads = 2}), named_vectors(rows), {},
                                         {.out = dir.file("memory.mhe")});
  EXPECT_EQ(report.rows, 300U);
  EXPECT_EQ(Model::open(dir.file("memory.mhe")).num_labels(), 20U);
  const Context context({.threads = 1});
  (void)train_model(context, testing::read_from(dir.write("rows.txt", svmlight(rows))),
                    preset_options("default"), {.out = dir.file("file.mhe")});
  // But for the records of how a file was read and what was asked for.
  FileCard memory = read_card(dir.file("memory.mhe"));
  FileCard file = read_card(dir.file("file.mhe"));
  EXPECT_EQ(file.metadata.erase("data"), 1U);
  EXPECT_EQ(file.metadata.erase("command"), 1U);
  EXPECT_EQ(memory.metadata, file.metadata);
  EXPECT_TRUE(dir.read("memory.mhe").substr(memory.header_bytes) ==
              dir.read("file.mhe").substr(file.header_bytes));
}

TEST(Train, WorksWithoutAFile) {
  const std::vector<ToyRow> rows = toy_rows(300, 20);
  TrainReport report;
  const Model model = train_in_memory(Context(), vectors(rows),
                                      options_with([](auto& o) { o.held_out = 0.2; }), &report);
  EXPECT_EQ(report.validation_rows, 60U);
  ASSERT_TRUE(report.precision.has_value());
  EXPECT_GT(report.precision->at_1, 80);
  Session session(model);
  std::size_t hits = 0;
  for (const ToyRow& row : rows) {
    const LabelId best = session.predict(Vector(row).input(), {.k = 1})[0].label;
    for (const LabelId label : ids_of(row)) hits += label == best ? 1 : 0;
  }
  EXPECT_GT(hits, 270U);
}

TEST(Train, LearnsTextsWithNamedLabels) {
  const Model model = train_in_memory(Context(), texts());
  EXPECT_EQ(model.text_fields(), (std::vector<std::string>{"title", "body"}));
  EXPECT_EQ(model.num_labels(), 3U);
  Session session(model);
  const std::vector<std::string_view> document = {"hammer", "with a saw"};
  EXPECT_EQ(model.label_name(session.predict(document, {.k = 1})[0].label), "tool");
}

TEST(Train, TakesRowsOfOneField) {
  DatasetBuilder rows = DatasetBuilder::of_texts();
  for (int i = 0; i < 10; ++i) {
    rows.add("red apple", {"fruit"});
    rows.add("long saw", {"tool", "tool"});
    rows.add("nothing", {});
  }
  EXPECT_EQ(rows.size(), 30U);
  TrainReport report;
  const Model model = train_in_memory(Context(), std::move(rows).build(), {}, &report);
  EXPECT_EQ(report.rows, 30U);
  EXPECT_EQ(model.label_name(Session(model).predict("a saw", {.k = 1})[0].label), "tool");
}

TEST(Train, OptionsReachTheModel) {
  const testing::ScratchDir dir;
  const Dataset rows = vectors(toy_rows(300, 20));
  const auto train = [&](const TrainOptions& options, const ContextOptions& how = {},
                         const std::optional<Dataset>& valid = {}) {
    return train_model(Context(how), rows, options, {.out = dir.file("m.mhe"), .valid = valid});
  };
  EXPECT_GT(train(options_with([](auto& o) { o.min_label_count = 12; })).trimmed_labels, 0U);
  EXPECT_EQ(train({}, {}, vectors(toy_rows(120, 20, 2))).validation_rows, 120U);
  EXPECT_FALSE(train(options_with([](auto& o) { o.held_out = 0; })).precision.has_value());
  const auto bytes = [&](const TrainOptions& options, const ContextOptions& how = {}) {
    (void)train(options, how);
    return dir.read("m.mhe");
  };
  const std::string plain = bytes({});
  EXPECT_TRUE(bytes({}, {.threads = 1}) == plain);
  EXPECT_FALSE(bytes({}, {.seed = 2}) == plain);
  EXPECT_FALSE(bytes(options_with([](auto& o) { o.lengths = {4, 5}; })) == plain);
  // Few rows: one-hot by rule.
  EXPECT_FALSE(bytes(options_with([](auto& o) { o.head = "cascade"; })) == plain);
  EXPECT_FALSE(bytes(preset_options("fast")) == plain);
  EXPECT_GT(bytes(options_with([](auto& o) { o.ensemble = 2; })).size(), plain.size());
  EXPECT_EQ(dir.num_entries(), 1U);
}

TEST(Train, RefusesWhatCannotBe) {
  const Context context;
  const Dataset rows = vectors(toy_rows(30, 5));
  const testing::ScratchDir dir;
  EXPECT_THROW((void)preset_options("turbo"), Error);
  EXPECT_THROW(
      (void)train_in_memory(context, rows, options_with([](auto& o) { o.head = "product"; })),
      Error);
  EXPECT_THROW((void)train_model(context, rows, {}, {}), Error);
  EXPECT_THROW((void)train_in_memory(context, rows, options_with([](auto& o) {
                                       o.lengths = {2, 2};
                                     })),
               Error);
  EXPECT_THROW((void)train_model(context, rows, {}, {.out = dir.file("m.mhe"), .valid = texts()}),
               Error);
  EXPECT_THROW((void)train_in_memory(context, DatasetBuilder::of_vectors().build()), Error);
  EXPECT_THROW((void)train_in_memory(context, DatasetBuilder::of_texts().build()), Error);
  EXPECT_EQ(dir.num_entries(), 0U);
}

TEST(DatasetBuilder, RefuseRowsThatDoNotFitAndStayAsTheyWere) {
  const std::vector<std::string_view> names = {"a"};
  const std::vector<LabelId> ids = {LabelId{3}};
  const std::vector<LabelId> too_high = {LabelId{0xFFFF'FFFF}};
  const std::vector<std::uint32_t> features = {1, 9};
  const std::vector<std::uint32_t> falling = {9, 1};
  const std::vector<float> values = {1, 1};
  const std::vector<float> not_finite = {1, std::nanf("")};
  DatasetBuilder vectors = DatasetBuilder::of_vectors(10);
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

  DatasetBuilder texts = DatasetBuilder::of_texts({"title", "body"});
  EXPECT_THROW(texts.add("one field", {"a"}), Error);
  EXPECT_THROW(texts.add(SparseRow{features, values}, names), Error);
  EXPECT_EQ(texts.size(), 0U);
  EXPECT_THROW((void)DatasetBuilder::of_texts({}), Error);
  EXPECT_THROW((void)DatasetBuilder::of_texts({"a", "a"}), Error);
}

}  // namespace
}  // namespace mhe
