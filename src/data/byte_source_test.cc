// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/byte_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mhe/error.h>

#include "base/random.h"
#include "data/byte_sink.h"
#include "memory_source.h"
#include "scratch_dir.h"

namespace mhe::data {
namespace {

using ::mhe::testing::ScratchDir;
using ::testing::HasSubstr;

std::string drain(ByteSource& source, std::size_t step) {
  std::string all;
  std::string piece(step, '\0');
  while (true) {
    const std::size_t got = source.read(piece);
    if (got == 0) return all;
    all.append(piece, 0, got);
  }
}

std::string decompress(std::string_view bytes, std::size_t step = 1000) {
  auto source = make_read_ahead_source(decompress_if_needed(make_memory_source("x", bytes), 2));
  return drain(*source, step);
}

std::string decompress_error(std::string_view bytes) {
  try {
    (void)decompress(bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Several megabytes, so that more than one buffer and more than one read-ahead chunk is needed;
// much of it repeats, so that xz is quick about it.
std::string sample(std::size_t size = 6'000'000) {
  RandomStream random(7, "byte_source_test");
  std::string text;
  while (text.size() < 50'000) {
    text += static_cast<char>('!' + random.below(90));
    if (random.below(60) == 0) text += '\n';
  }
  while (text.size() < size) text += text.substr(0, size - text.size());
  return text;
}

std::string compressed(const std::string& content, const std::string& ending,
                       std::size_t threads = 2) {
  const ScratchDir scratch;
  const auto sink = open_sink(scratch.file("x" + ending), threads);
  sink->write(std::string_view(content).substr(0, content.size() / 2));
  sink->write(std::string_view(content).substr(content.size() / 2));
  sink->finish();
  return scratch.read("x" + ending);
}

class Compression : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, Compression, ::testing::Values(".gz", ".xz", ".zst"));

TEST_P(Compression, RoundTrips) {
  const std::string content = sample();
  const std::string packed = compressed(content, GetParam());
  EXPECT_LT(packed.size(), content.size());
  EXPECT_EQ(decompress(packed), content);
  EXPECT_EQ(decompress(packed, 3'000'000), content);
  EXPECT_EQ(decompress(compressed("", GetParam())), "");
}

TEST_P(Compression, ReadsMembersOneAfterTheOther) {
  const std::string packed = compressed("first\n", GetParam()) + compressed("second\n", GetParam());
  EXPECT_EQ(decompress(packed), "first\nsecond\n");
}

TEST_P(Compression, DoesNotDependOnThreads) {
  const std::string content = sample(GetParam() == ".xz" ? 30'000'000 : 6'000'000);  // two blocks
  EXPECT_EQ(compressed(content, GetParam(), 1), compressed(content, GetParam(), 3));
}

TEST_P(Compression, ReportsTruncationAtAnyPlace) {
  const std::string packed = compressed("some text, some text, some text\n", GetParam());
  for (std::size_t size = 6; size < packed.size(); ++size) {
    EXPECT_THAT(decompress_error(packed.substr(0, size)), HasSubstr("ends too early")) << size;
  }
}

TEST_P(Compression, ReportsDamage) {
  std::string packed = compressed("some text, some text, some text\n", GetParam());
  const std::string good = packed;
  packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x55);
  EXPECT_NE(decompress_error(packed), "");
  EXPECT_NE(decompress_error(good + "trailing"), "");
}

TEST(Decompress, LeavesOtherBytesAlone) {
  for (const std::string_view bytes : {"", "a", "\x1f", "plain text\n"}) {
    EXPECT_EQ(decompress(bytes), bytes);
  }
}

TEST(Decompress, ForgivesZeroPaddingBehindGzip) {
  EXPECT_EQ(decompress(compressed("text", ".gz") + std::string(512, '\0')), "text");
}

TEST(FileSource, NamesWhatCannotBeRead) {
  const ScratchDir scratch;
  const auto error_of = [](const std::string& path) -> std::string {
    try {
      (void)open_file_source(path);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(error_of(scratch.file("none")), HasSubstr("No such file"));
  EXPECT_THAT(error_of(scratch.file(".")), HasSubstr("is a directory, expected a data file"));
  if (::geteuid() != 0) {  // root reads everything
    const std::string path = scratch.write("secret", "x");
    ::chmod(path.c_str(), 0);
    EXPECT_THAT(error_of(path), HasSubstr("Permission denied"));
  }
}

TEST(FileSource, KnowsHowFarItIs) {
  const ScratchDir scratch;
  const auto source = open_file_source(scratch.write("x", "hello"));
  EXPECT_EQ(source->total(), 5U);
  EXPECT_EQ(drain(*source, 2), "hello");
  EXPECT_EQ(source->consumed(), 5U);
}

TEST(ReadAhead, CanBeLeftInTheMiddle) {
  const std::string content = sample();
  auto source = make_read_ahead_source(make_memory_source("x", content));
  std::string piece(10, '\0');
  EXPECT_EQ(source->read(piece), 10U);
}

TEST(ReadAhead, GivesWhatCameBeforeAnErrorFirst) {
  std::string packed = compressed(sample(), ".gz");
  packed.resize(packed.size() - 20);
  auto source = make_read_ahead_source(decompress_if_needed(make_memory_source("x", packed), 1));
  std::size_t total = 0;
  std::string piece(100'000, '\0');
  try {
    while (true) total += source->read(piece);
  } catch (const Error&) {
    EXPECT_GT(total, 5'000'000U);
  }
}

TEST(SpoolFile, GivesBackWhatWasWritten) {
  const ScratchDir scratch;
  const std::string content = sample();
  SpoolFile spool(scratch.file("x"));
  for (std::size_t at = 0; at < content.size(); at += 99'999) {
    spool.write(std::string_view(content).substr(at, 99'999));
  }
  std::string back;
  spool.replay([&](std::string_view piece) { back += piece; });
  EXPECT_EQ(back, content);
  EXPECT_EQ(spool.size(), content.size());
  EXPECT_EQ(scratch.num_entries(), 0U);
}

}  // namespace
}  // namespace mhe::data
