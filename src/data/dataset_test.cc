// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mhe/dataset.h>
#include <mhe/error.h>

#include "data_testing.h"
#include "scratch_dir.h"

namespace mhe {
namespace {

using ::mhe::testing::read_all;
using ::mhe::testing::ScratchDir;
using ::testing::ElementsAre;
using Text = std::string_view;

RowBatch read(const Dataset& dataset, LabelNames& names) {
  const Context context({.threads = 1});
  return read_all(*open_reader(context, dataset, names));
}

std::string error_of(const Dataset& dataset) {
  LabelNames names;
  try {
    (void)read(dataset, names);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.what();
  }
  return {};
}

std::vector<std::string> names_of(std::span<const LabelId> labels, const LabelNames& names) {
  std::vector<std::string> found;
  for (const LabelId label : labels) found.push_back(names.name(label));
  return found;
}

TEST(MemoryRows, OfTextsAreReadWithNamesInOrderOfAppearance) {
  const std::array<Text, 4> texts = {"a", "one", "b", "two"};
  const std::array<Text, 3> first = {"y", "x", "y"};
  const std::array<std::span<const Text>, 2> labels = {first, std::span<const Text>()};
  MemoryRows rows;
  rows.input = TextRows{texts, 2};
  rows.labels = labels;
  rows.text_fields = {"title", "body"};
  const Dataset dataset(rows);
  for (int time = 0; time < 2; ++time) {
    LabelNames names;
    const RowBatch read_rows = read(dataset, names);
    EXPECT_EQ(read_rows.rows, 2U);
    EXPECT_EQ(string_at(read_rows.text[1], 1), "two");
    EXPECT_THAT(names_of(read_rows.labels[0], names), ElementsAre("y", "x"));
    EXPECT_TRUE(read_rows.labels[1].empty());
  }
  EXPECT_TRUE(dataset.is_rereadable());
}

TEST(MemoryRows, OfCsrAreReadWithNumbersAsIds) {
  const std::array<std::uint64_t, 3> offsets = {0, 2, 3};
  const std::array<std::uint32_t, 3> columns = {1, 4, 0};
  const std::array<float, 3> values = {1, 2, 3};
  const std::array<LabelId, 2> first = {LabelId{7}, LabelId{2}};
  const std::array<std::span<const LabelId>, 2> labels = {first, std::span(first).first(1)};
  MemoryRows rows;
  rows.input = CsrRows{offsets, columns, values};
  rows.labels = labels;
  LabelNames names;
  const RowBatch read_rows = read(rows, names);
  EXPECT_EQ(read_rows.features.num_columns, 5U);
  EXPECT_THAT(read_rows.features[0].columns, ElementsAre(1, 4));
  EXPECT_THAT(read_rows.labels[0], ElementsAre(LabelId{2}, LabelId{7}));
  EXPECT_EQ(names.num_numbered(), 8U);
}

TEST(MemoryRows, NumbersAreNamesBesideNames) {
  const std::array<float, 1> value = {1};
  const std::array<DenseRow, 1> dense = {value};
  const std::array<LabelId, 1> label = {LabelId{7}};
  const std::array<std::span<const LabelId>, 1> labels = {label};
  MemoryRows rows;
  rows.input = DenseRows{dense};
  rows.labels = labels;
  LabelNames names;
  names.intern("x");
  EXPECT_THAT(read(rows, names).labels[0], ElementsAre(LabelId{1}));
  EXPECT_EQ(names.name(LabelId{1}), "7");
}

TEST(MemoryRows, AreReadInManyBatches) {
  const std::string text(1000, 'x');
  const std::vector<Text> texts(5000, text);
  MemoryRows rows;
  rows.input = TextRows{texts, 1};
  const Context context({.threads = 1});
  LabelNames names;
  const auto reader = open_reader(context, rows, names);
  EXPECT_FALSE(reader->schema().has_labels);
  EXPECT_THAT(reader->schema().text_fields, ElementsAre("text"));
  RowBatch batch;
  std::size_t batches = 0;
  std::size_t total = 0;
  while (reader->next(batch)) {
    EXPECT_EQ(batch.first_row, total);
    total += batch.rows;
    ++batches;
  }
  EXPECT_EQ(total, 5000U);
  EXPECT_GE(batches, 4U);
}

TEST(MemoryRows, SayWhatIsWrongWithWhichRow) {
  const std::array<std::uint32_t, 2> columns = {4, 1};
  const std::array<float, 2> values = {1, 2};
  const std::array<SparseRow, 2> sparse = {SparseRow{}, SparseRow{columns, values}};
  MemoryRows rows;
  rows.input = SparseRows{sparse};
  EXPECT_EQ(error_of(rows),
            "the rows given: row 1: feature 1 follows feature 4; expected ascending ones");
  const std::array<Text, 1> texts = {"\xff"};
  rows.input = TextRows{texts, 1};
  EXPECT_EQ(error_of(rows), "the rows given: row 0: expected UTF-8, found \"\\xff\"");
  rows.labels = std::span<const std::span<const Text>>();
  EXPECT_EQ(error_of(rows), "the rows given: labels for 0 rows, but there are 1");
  const std::array<std::uint64_t, 3> offsets = {0, 9, 2};
  rows = {};
  rows.input = CsrRows{offsets, columns, values};
  EXPECT_EQ(error_of(rows), "the rows given: row 0: offsets 0 and 9 among 2 columns and 2 values");
}

TEST(DatasetBuilder, GathersTextsWithNames) {
  auto builder = DatasetBuilder::of_texts();
  builder.add("one", {"b", "a", "b"});
  builder.add("two", {});
  builder.add("three", {"a"});
  EXPECT_EQ(builder.size(), 3U);
  const Dataset dataset = std::move(builder).build();
  LabelNames names;
  const RowBatch rows = read(dataset, names);
  EXPECT_EQ(string_at(rows.text[0], 2), "three");
  EXPECT_THAT(names_of(rows.labels[0], names), ElementsAre("b", "a"));
  EXPECT_THAT(rows.labels[2], ElementsAre(LabelId{1}));
}

TEST(DatasetBuilder, GathersVectorsWithNumbers) {
  const std::array<std::uint32_t, 2> columns = {1, 3};
  const std::array<float, 2> values = {1, 2};
  const std::array<LabelId, 2> labels = {LabelId{5}, LabelId{0}};
  auto sparse = DatasetBuilder::of_vectors(10);
  sparse.add({columns, values}, labels);
  LabelNames names;
  const RowBatch rows = read(std::move(sparse).build(), names);
  EXPECT_EQ(rows.features.num_columns, 10U);
  EXPECT_THAT(rows.labels[0], ElementsAre(LabelId{0}, LabelId{5}));
  EXPECT_EQ(names.size(), 6U);
  auto dense = DatasetBuilder::of_dense_vectors(2);
  dense.add(std::span<const float>(values), labels);
  LabelNames dense_names;
  EXPECT_THAT(read(std::move(dense).build(), dense_names).dense.values, ElementsAre(1, 2));
}

TEST(DatasetBuilder, RefusesRowsThatDoNotFitAndStaysAsItWas) {
  const std::array<LabelId, 1> number = {LabelId{1}};
  const std::array<Text, 1> name = {"a"};
  const std::array<Text, 1> text = {"x"};
  const std::array<float, 1> value = {std::numeric_limits<float>::infinity()};
  auto texts = DatasetBuilder::of_texts();
  texts.add(text, name);
  EXPECT_THROW(texts.add(text, number), Error);
  EXPECT_THROW(texts.add(std::span<const float>(value), name), Error);
  EXPECT_EQ(texts.size(), 1U);
  auto vectors = DatasetBuilder::of_dense_vectors(1);
  EXPECT_THROW(vectors.add(std::span<const float>(value), name), Error);
  EXPECT_THROW(vectors.add(text, name), Error);
  EXPECT_EQ(vectors.size(), 0U);
  EXPECT_THROW((void)DatasetBuilder::of_texts({"a", "a"}), Error);
}

TEST(Dataset, OfAFileIsReadAndConverted) {
  const ScratchDir scratch;
  ReadOptions file;
  file.path = scratch.write("in.svm", "x 1:1\ny 2:1\n");
  const Context context({.threads = 1});
  LabelNames names;
  WriteOptions to;
  to.path = scratch.file("out.jsonl");
  EXPECT_EQ(convert(context, file, to, names).rows, 2U);
  LabelNames again;
  EXPECT_EQ(describe(context, ReadOptions{.path = to.path}, again).distinct_labels, 2U);
}

TEST(InputViews, ShowTheRowsOfABatch) {
  RowBatch batch;
  batch.rows = 1;
  batch.text.resize(2);
  batch.text[0].push_row(Text("a"));
  batch.text[1].push_row(Text("b"));
  InputViews views;
  const InputBatch shown = views.of(batch);
  EXPECT_THAT(std::get<TextRows>(shown).texts, ElementsAre("a", "b"));
}

}  // namespace
}  // namespace mhe
