// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole data sets through readers and writers: round trips, and the same result for any number of
// threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mhe/dataset.h>

#include "base/random.h"
#include "data_testing.h"
#include "memory_source.h"
#include "scratch_dir.h"

namespace mhe::data {
namespace {

using ::mhe::testing::Parsed;
using ::mhe::testing::read_bytes;
using ::mhe::testing::ScratchDir;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string random_xmc(std::size_t rows) {
  RandomStream random(11, "convert_test.xmc");
  std::string body;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint64_t num_labels = random.below(4);
    for (std::uint64_t i = 0; i < num_labels; ++i) {
      body += fmt::format("{}{}", i == 0 ? "" : ",", random.below(1000));
    }
    for (std::uint64_t i = random.below(30); i > 0; --i) {
      body += fmt::format(" {}:{:.6g}", random.below(5000), random.uniform() * 2 - 1);
    }
    body += '\n';
  }
  return fmt::format("{} 5000 1000\n{}", rows, body);
}

std::string random_csv(std::size_t rows) {
  RandomStream random(12, "convert_test.csv");
  std::string body = "labels,title,text\n";
  for (std::size_t row = 0; row < rows; ++row) {
    body += fmt::format("\"l{},l{}\",", random.below(500), random.below(100'000));
    body +=
        fmt::format("title {},\"say \"\"{}\"\",\n{}\"\n", row, random.below(9), random.below(9));
  }
  return body;
}

TEST(Threads, DoNotChangeWhatIsRead) {
  for (const std::string& bytes : {random_xmc(20'000), random_csv(120'000)}) {
    ASSERT_GT(bytes.size(), 3'500'000U);  // several blocks
    const Parsed one = read_bytes(bytes, {}, {}, 1);
    const Parsed four = read_bytes(bytes, {}, {}, 4);
    EXPECT_EQ(one.data.labels, four.data.labels);
    EXPECT_EQ(one.data.features, four.data.features);
    EXPECT_EQ(one.data.text, four.data.text);
    ASSERT_EQ(one.names.size(), four.names.size());
    for (std::uint32_t i = 0; i < one.names.size(); ++i) {
      ASSERT_EQ(one.names.name(LabelId{i}), four.names.name(LabelId{i}));
    }
    EXPECT_EQ(one.report.bytes, four.report.bytes);
    EXPECT_EQ(one.report.duplicate_features, four.report.duplicate_features);
  }
}

TEST(Threads, DoNotChangeWhichErrorComesFirst) {
  std::string bytes = random_csv(120'000);
  bytes += "x,y\n";  // in the last block; threads that meet it first must wait
  bytes.insert(bytes.find('\n') + 1, "only one\n");
  const auto error_with = [&](std::size_t threads) -> std::string {
    try {
      (void)read_bytes(bytes, {}, {}, threads);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(error_with(1), HasSubstr("data:2: expected 3 columns"));
  EXPECT_EQ(error_with(1), error_with(4));
}

struct Files {
  std::string main;
  std::string labels;
};

Files convert(const std::string& bytes, WriteOptions options, std::size_t threads = 2,
              const ReadOptions& read_options = {}, std::optional<std::string> labels = {}) {
  const ScratchDir scratch;
  const std::string name = options.path;
  const std::string label_name = options.label_path;
  options.path = scratch.file(name);
  if (!label_name.empty()) options.label_path = scratch.file(label_name);
  const Context context({.threads = threads});
  LabelNames names;
  Inputs inputs;
  inputs.rows = make_memory_source("data", bytes);
  if (labels) inputs.labels = make_memory_source("labels", *labels);
  const auto reader = open_reader(context, read_options, names, std::move(inputs));
  const auto writer = open_writer(context, options, reader->schema(), names);
  RowBatch batch;
  while (reader->next(batch)) writer->write(batch);
  writer->finish();
  return {scratch.read(name), label_name.empty() ? "" : scratch.read(label_name)};
}

WriteOptions to(Format format, const std::string& path, const std::string& label_path = "") {
  WriteOptions options;
  options.format = format;
  options.path = path;
  options.label_path = label_path;
  return options;
}

TEST(RoundTrip, KeepsSparseDataThroughEveryFormatThatHoldsIt) {
  const std::string original = convert(random_xmc(3000), to(Format::kXmc, "x")).main;
  const auto back = [&](const Files& files, bool has_labels) {
    WriteOptions options = to(Format::kXmc, "x");
    options.num_features = 5000;
    options.num_labels = 1000;
    return convert(files.main, options, 2, {},
                   has_labels ? std::optional(files.labels) : std::nullopt)
        .main;
  };
  EXPECT_EQ(back(convert(original, to(Format::kXmc, "x")), false), original);
  EXPECT_EQ(back(convert(original, to(Format::kJsonl, "x")), false), original);
  EXPECT_EQ(back(convert(original, to(Format::kSvmlight, "x.gz")), false), original);
  EXPECT_EQ(back(convert(original, to(Format::kXmcPair, "x", "l.zst")), true), original);
  EXPECT_EQ(back(convert(original, to(Format::kNpz, "x", "l.npz")), true), original);
  EXPECT_EQ(back(convert(original, to(Format::kNpz, "x", "l.txt")), true), original);
}

TEST(RoundTrip, KeepsTextThroughEveryFormatThatHoldsIt) {
  const std::string original =
      "{\"labels\":[\"a\",\"b\"],\"text\":\"some text, \\\"quoted\\\"\"}\n"
      "{\"labels\":[],\"text\":\"\"}\n"
      "{\"labels\":[\"c\"],\"text\":\"\"}\n"
      "{\"labels\":[],\"text\":\"\xc3\xa9t\xc3\xa9 'x'\"}\n";
  const auto back = [&](const Files& files, bool has_labels = false) {
    return convert(files.main, to(Format::kJsonl, "x"), 2, {},
                   has_labels ? std::optional(files.labels) : std::nullopt)
        .main;
  };
  EXPECT_EQ(back(convert(original, to(Format::kJsonl, "x.xz"))), original);
  EXPECT_EQ(back(convert(original, to(Format::kCsv, "x"))), original);
  EXPECT_EQ(back(convert(original, to(Format::kTsv, "x"))), original);
  EXPECT_EQ(back(convert(original, to(Format::kFastText, "x"))), original);
  EXPECT_EQ(back(convert(original, to(Format::kTextLines, "x", "l")), true), original);
}

TEST(RoundTrip, KeepsDenseData) {
  const std::string original =
      "{\"labels\":[\"a\"],\"features\":[1,0.1,-3e-20]}\n{\"labels\":[],\"features\":[0,0,5]}\n";
  const Files npy = convert(original, to(Format::kNpy, "x", "l"));
  EXPECT_EQ(convert(npy.main, to(Format::kJsonl, "x"), 2, {}, npy.labels).main, original);
  EXPECT_EQ(convert(original, to(Format::kSvmlight, "x")).main, "a 0:1 1:0.1 2:-3e-20\n 2:5\n");
}

TEST(Writer, WritesTheSameBytesForAnyNumberOfThreads) {
  const std::string xmc = random_xmc(3000);
  for (const Format format : {Format::kXmc, Format::kJsonl, Format::kSvmlight}) {
    EXPECT_EQ(convert(xmc, to(format, "x"), 1).main, convert(xmc, to(format, "x"), 4).main);
  }
}

TEST(Writer, NumbersNamedLabelsIfAskedTo) {
  const std::string svm = "b,a 1:1\nb 0:2\n";
  EXPECT_THROW((void)convert(svm, to(Format::kXmc, "x")), Error);
  const ScratchDir scratch;
  WriteOptions options = to(Format::kXmc, "x");
  options.label_names_path = scratch.file("names");
  EXPECT_EQ(convert(svm, options).main, "2 2 2\n0,1 1:1\n0 0:2\n");
  EXPECT_EQ(scratch.read("names"), "b\na\n");
}

std::string write_error(const std::string& bytes, const WriteOptions& options) {
  try {
    (void)convert(bytes, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Writer, RefusesWhatAFormatCannotCarry) {
  const std::string spaced = "{\"labels\":[\"New York\"],\"text\":\"x\"}\n";
  EXPECT_THAT(write_error(spaced, to(Format::kFastText, "x")), HasSubstr("\"New York\""));
  EXPECT_THAT(write_error(spaced, to(Format::kTextLines, "x", "l")), HasSubstr("\"New York\""));
  const std::string comma = "{\"labels\":[\"a,b\"],\"text\":\"x\"}\n";
  EXPECT_THAT(write_error(comma, to(Format::kCsv, "x")), HasSubstr("another label separator"));
  EXPECT_THAT(write_error("{\"labels\":[\"a b\"],\"features\":{}}\n", to(Format::kSvmlight, "x")),
              HasSubstr("cannot be written in svmlight"));
  EXPECT_THAT(
      write_error("{\"labels\":[\"a\"],\"text\":\"x __label__y\"}\n", to(Format::kFastText, "x")),
      HasSubstr("would read back as a label"));
  EXPECT_THAT(write_error(spaced, to(Format::kXmc, "x")), HasSubstr("cannot be written as xmc"));
  EXPECT_THAT(write_error("1 1 1\n0 0:1\n", to(Format::kCsv, "x")), HasSubstr("sparse features"));
  EXPECT_THAT(write_error("1 1 1\n0 0:1\n", to(Format::kNpy, "x", "l")), HasSubstr("write npz"));
  EXPECT_THAT(write_error("1 1 1\n0 0:1\n", to(Format::kNpz, "x")), HasSubstr("name a label file"));
  EXPECT_THAT(write_error("1 1 1\n0 0:1\n", to(Format::kXmc, "x", "l")),
              HasSubstr("keeps labels in its rows"));
}

TEST(Writer, LeavesNothingBehindIfItDoesNotFinish) {
  const ScratchDir scratch;
  const Context context({.threads = 1});
  const LabelNames names;
  Schema schema;
  for (const Format format : {Format::kXmc, Format::kJsonl, Format::kNpz}) {
    const auto writer = open_writer(
        context, to(format, scratch.file("x"), format == Format::kNpz ? scratch.file("l") : ""),
        schema, names);
  }
  EXPECT_EQ(scratch.num_entries(), 0U);
}

TEST(Names, OfTrainingStayTheSameWhenTestDataFollow) {
  const Context context({.threads = 1});
  LabelNames names;
  const auto read = [&](std::string_view bytes) {
    Inputs inputs;
    inputs.rows = make_memory_source("data", bytes);
    return testing::read_all(*open_reader(context, {}, names, std::move(inputs)));
  };
  (void)read("a,b 1:1\n");
  const RowBatch test = read("c,b 1:1\n");
  EXPECT_THAT(test.labels.items, ElementsAre(LabelId{1}, LabelId{2}));
  EXPECT_EQ(names.size(), 3U);
}

}  // namespace
}  // namespace mhe::data
