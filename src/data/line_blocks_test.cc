// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/line_blocks.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mhe/error.h>

#include "memory_source.h"

namespace mhe::data {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> blocks_of(std::string_view text, const LineBlocksOptions& options) {
  LineBlocks lines(make_memory_source("x", text), options);
  std::vector<std::string> blocks;
  TextBlock block;
  while (lines.next(block)) blocks.emplace_back(block.text());
  return blocks;
}

TEST(LineBlocks, CutsAtLineEnds) {
  LineBlocksOptions options;
  options.block_bytes = 8;
  EXPECT_THAT(blocks_of("ab\ncd\nef\ngh", options), ElementsAre("ab\ncd\n", "ef\ngh"));
  EXPECT_THAT(blocks_of("", options), ElementsAre());
}

TEST(LineBlocks, GrowsForALongLineUpToTheLimit) {
  LineBlocksOptions options;
  options.block_bytes = 4;
  options.max_line_bytes = 16;
  EXPECT_THAT(blocks_of("0123456789\nab\n", options), ElementsAre("0123456789\nab\n"));
  EXPECT_THROW(blocks_of("0123456789012345678901234567890\n", options), Error);
}

// Gives one piece a read, as a pipe does; reading past the last is what must not happen.
class PiecesSource final : public ByteSource {
 public:
  explicit PiecesSource(std::vector<std::string> pieces)
      : ByteSource("pipe"), pieces_(std::move(pieces)) {}
  std::size_t read(std::span<char> out) override {
    if (next_ == pieces_.size()) throw std::logic_error("waits for more");
    std::string& piece = pieces_[next_];
    const std::size_t size = std::min(out.size(), piece.size());
    std::copy_n(piece.data(), size, out.data());
    piece.erase(0, size);
    if (piece.empty()) ++next_;
    return size;
  }
  std::uint64_t consumed() const noexcept override { return 0; }
  std::uint64_t total() const noexcept override { return 0; }

 private:
  std::vector<std::string> pieces_;
  std::size_t next_ = 0;
};

LineBlocks live_lines(std::vector<std::string> pieces) {
  LineBlocksOptions options;
  options.live = true;
  return LineBlocks(std::make_unique<PiecesSource>(std::move(pieces)), options);
}

TEST(LineBlocks, ALiveSourceIsNotReadBeyondTheLinesThatAreThere) {
  LineBlocks lines = live_lines({"one\n", "two\nth", "ree\nfour\n"});
  EXPECT_EQ(lines.peek(), "one\n");
  EXPECT_EQ(lines.peek(), "one\n");
  TextBlock block;
  ASSERT_TRUE(lines.next(block));
  EXPECT_EQ(block.text(), "one\n");
  ASSERT_TRUE(lines.next(block));
  EXPECT_EQ(block.text(), "two\n");
  ASSERT_TRUE(lines.next(block));
  EXPECT_EQ(block.text(), "three\nfour\n");
  EXPECT_THROW((void)lines.next(block), std::logic_error);
}

TEST(LineBlocks, ALiveHeaderIsTakenAloneAndQuotedRecordsAreWaitedFor) {
  LineBlocks lines = live_lines({"a,b\n", "1,\"x\n", "y\"\n"});
  lines.set_rule(LineRule::kCsvQuotes, ',');
  std::string header;
  ASSERT_TRUE(lines.take_line(header));
  EXPECT_EQ(header, "a,b");
  TextBlock block;
  ASSERT_TRUE(lines.next(block));
  EXPECT_EQ(block.text(), "1,\"x\ny\"\n");
}

TEST(LineBlocks, AnEmptyLiveLineAndAByteOrderMarkInPiecesAreFine) {
  EXPECT_EQ(live_lines({"\n"}).peek(), "\n");
  EXPECT_EQ(live_lines({"\xef", "\xbb\xbf", "a\n"}).peek(), "a\n");
}

TEST(LineBlocks, KeepsQuotedRecordsTogether) {
  LineBlocksOptions options;
  options.block_bytes = 8;
  options.rule = LineRule::kCsvQuotes;
  EXPECT_THAT(blocks_of("a,\"x\ny\"\nb\n", options), ElementsAre("a,\"x\ny\"\n", "b\n"));
  EXPECT_THAT(blocks_of("a\"b\nc\"\nd,e\n", options), ElementsAre("a\"b\nc\"\n", "d,e\n"));
}

TEST(LineBlocks, TakesLinesBeforeBlocksAndDropsTheByteOrderMark) {
  LineBlocks lines(make_memory_source("x", "\xef\xbb\xbfhead\r\nbody\n"));
  std::string line;
  ASSERT_TRUE(lines.take_line(line));
  EXPECT_EQ(line, "head");
  EXPECT_EQ(lines.lines_taken(), 1U);
  EXPECT_EQ(lines.peek(), "body\n");
  TextBlock block;
  ASSERT_TRUE(lines.next(block));
  EXPECT_EQ(block.text(), "body\n");
  EXPECT_FALSE(lines.next(block));
}

// What was looked at for long is then handed out in blocks as ever.
TEST(LineBlocks, CutsWhatALongPeekRead) {
  std::string text;
  for (int i = 0; i < 200; ++i)
    text += "line " + std::to_string(i) + (i % 50 == 7 ? std::string(40, 'x') : "") + "\n";
  LineBlocksOptions options;
  options.block_bytes = 32;
  const std::vector<std::string> expected = blocks_of(text, options);
  for (const std::size_t bytes : {10U, 100U, 1000U, 100000U}) {
    LineBlocks lines(make_memory_source("x", text), options);
    EXPECT_GE(lines.peek(bytes).size(), std::min<std::size_t>(bytes, text.size()));
    std::vector<std::string> blocks;
    TextBlock block;
    while (lines.next(block)) blocks.emplace_back(block.text());
    std::string all;
    for (const std::string& one : blocks) {
      EXPECT_LE(one.size(), 64U);
      EXPECT_EQ(one.back(), '\n');
      all += one;
    }
    EXPECT_EQ(all, text);
    EXPECT_EQ(blocks, expected) << bytes;
  }
}

TEST(EndOfWholeLines, KnowsEscapedQuotes) {
  const auto end = [](std::string_view text) {
    return end_of_whole_lines(text, LineRule::kCsvQuotes, ',');
  };
  EXPECT_EQ(end("\"a\"\"\n\"\nb"), 7U);
  EXPECT_EQ(end("\"a\n"), 0U);
  EXPECT_EQ(end("x,\"a\nb\"\n\"c\n"), 8U);
}

}  // namespace
}  // namespace mhe::data
