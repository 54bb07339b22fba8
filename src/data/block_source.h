// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The inner half of reading: a file as parsed blocks, in order. Text is parsed here on all threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/context.h>

#include "data/line_blocks.h"
#include "data/parsed_block.h"

namespace mhe::data {

/// A file as parsed blocks.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  BlockSource(const BlockSource&) = delete;
  BlockSource& operator=(const BlockSource&) = delete;

  /// Exchanges `block` for the next one, reusing its memory; false at the end.
  [[nodiscard]] virtual bool next(ParsedBlock& block) = 0;
  [[nodiscard]] virtual const ByteSource& bytes() const noexcept = 0;

 protected:
  BlockSource() = default;
};

/// Parses blocks of text; one per thread, so it may keep scratch space.
class BlockParser {
 public:
  virtual ~BlockParser() = default;
  BlockParser(const BlockParser&) = delete;
  BlockParser& operator=(const BlockParser&) = delete;

  /// Fills `out`, which is clear. Stops once more than `max_bad` lines are bad.
  virtual void parse(std::string_view text, std::uint64_t max_bad, ParsedBlock& out) = 0;

 protected:
  BlockParser() = default;

  /// Books a bad row that began on line `out.lines`; true if parsing shall go on.
  [[nodiscard]] static bool note_bad(const RowMark& mark, std::string message,
                                     std::uint64_t max_bad, ParsedBlock& out);
};

/// A format in which every line is a row.
class LineParser : public BlockParser {
 public:
  void parse(std::string_view text, std::uint64_t max_bad, ParsedBlock& out) final;

 protected:
  /// Adds one row, or throws LineError. `line` has neither LF nor CR at its end.
  virtual void parse_line(std::string_view line, ParsedBlock& out) = 0;
  /// Whether the line is a row at all; others are passed over.
  [[nodiscard]] virtual bool is_row(std::string_view /*line*/) const { return true; }
  /// Called before the lines of a block.
  virtual void begin_block(std::string_view /*text*/) {}
};

using MakeParser = std::function<std::unique_ptr<BlockParser>()>;

struct TextBlockOptions {
  std::size_t num_text_fields = 0;
  std::uint64_t max_bad = 0;
};

/// Blocks of text, parsed on all threads. Holds up to 2 blocks of text per thread (see LineBlocks
/// for their size) and what was parsed from them.
[[nodiscard]] std::unique_ptr<BlockSource> make_text_source(const Context& context,
                                                            std::unique_ptr<LineBlocks> lines,
                                                            const MakeParser& make_parser,
                                                            const TextBlockOptions& options);

}  // namespace mhe::data
