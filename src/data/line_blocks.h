// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Cuts a stream of bytes into blocks of whole lines, so that blocks can be parsed apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.h"

namespace mhe::data {

/// Whole lines; readable for kPadding bytes past their end, as simdjson asks.
struct TextBlock {
  static constexpr std::size_t kPadding = 64;
  std::vector<char> buffer;  ///< size + kPadding bytes or more
  std::size_t size = 0;

  [[nodiscard]] std::string_view text() const noexcept { return {buffer.data(), size}; }
};

/// Where a block may be cut.
enum class LineRule {
  kPlain,     ///< at every line end
  kCsvQuotes  ///< not at those inside a quoted CSV field
};

struct LineBlocksOptions {
  std::size_t block_bytes = std::size_t{1} << 20;     ///< a block holds more only for a longer line
  std::size_t max_line_bytes = std::size_t{1} << 30;  ///< a longer line is an error
  LineRule rule = LineRule::kPlain;
  char csv_separator = ',';  ///< kCsvQuotes: what a quoted field may follow
  bool live = false;         ///< do not wait for more once there is a whole line
};

/// Blocks of lines, from front to back. A UTF-8 byte-order mark at the front is dropped.
class LineBlocks {
 public:
  explicit LineBlocks(std::unique_ptr<ByteSource> source, const LineBlocksOptions& options = {});

  /// The beginning of what has not been taken yet: at least 64 KiB and a whole line, or all if
  /// there is less; of a live source what is there, at least a whole line.
  [[nodiscard]] std::string_view peek();
  /// The same with `bytes` at least, if there are as many; not of a live source, which may be slow.
  [[nodiscard]] std::string_view peek(std::size_t bytes);

  /// How the blocks to come are cut.
  void set_rule(LineRule rule, char csv_separator);

  /// Takes one line (a CSV record under kCsvQuotes) without its end; false at the end of the file.
  [[nodiscard]] bool take_line(std::string& line);

  /// Replaces `block` by the next lines; false at the end. Throws what the source throws, and
  /// kInvalidData if a line is too long.
  [[nodiscard]] bool next(TextBlock& block);

  /// Takes bytes as they are; 0 at the end.
  [[nodiscard]] std::size_t take_bytes(std::span<char> out);

  /// Line ends taken by take_line() so far.
  [[nodiscard]] std::uint64_t lines_taken() const noexcept { return lines_taken_; }

  [[nodiscard]] const ByteSource& source() const noexcept { return *source_; }
  [[nodiscard]] bool live() const noexcept { return options_.live; }

 private:
  void drop_byte_order_mark();
  void fill(std::size_t size);
  void fill_probe();
  void fill_more();
  void take_pending(std::size_t wanted, TextBlock& block);
  void give_back(std::size_t end, TextBlock& block);
  [[nodiscard]] bool has_whole_line(const TextBlock& block) const;
  [[nodiscard]] std::string_view pending() const noexcept;

  std::unique_ptr<ByteSource> source_;
  LineBlocksOptions options_;
  std::vector<char> pending_;  // read, not yet handed out; from begin_
  std::size_t begin_ = 0;
  bool ended_ = false;
  std::uint64_t lines_taken_ = 0;
};

/// What is left of `lines` as plain bytes.
[[nodiscard]] std::unique_ptr<ByteSource> make_byte_source(std::unique_ptr<LineBlocks> lines);

/// Where the last line of `text` that is whole under `rule` ends, behind its line feed; 0 if none
/// is. `text` begins where a line does.
[[nodiscard]] std::size_t end_of_whole_lines(std::string_view text, LineRule rule,
                                             char csv_separator);
/// Where the first line ends, behind its line feed; npos if it has none.
[[nodiscard]] std::size_t end_of_first_line(std::string_view text, LineRule rule,
                                            char csv_separator);

}  // namespace mhe::data
