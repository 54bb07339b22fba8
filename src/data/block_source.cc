// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/block_source.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/parallel.h"
#include "data/line_error.h"

namespace mhe::data {
namespace {

constexpr std::size_t kBlocksPerThread = 2;  // evens out blocks that take longer than others

class TextBlockSource final : public BlockSource {
 public:
  TextBlockSource(const Context& context, std::unique_ptr<LineBlocks> lines,
                  const MakeParser& make_parser, const TextBlockOptions& options)
      : context_(context),
        lines_(std::move(lines)),
        options_(options),
        next_line_(lines_->lines_taken() + 1),
        texts_(context.threads() * kBlocksPerThread),
        parsed_(texts_.size()) {
    for (std::size_t i = 0; i < context.threads(); ++i) parsers_.push_back(make_parser());
  }

  bool next(ParsedBlock& block) override {
    if (handed_out_ == filled_) {
      // What a damaged file held before the damage comes first, for any number of threads.
      if (read_error_) std::rethrow_exception(std::exchange(read_error_, nullptr));
      refill();
      if (filled_ == 0) {
        if (read_error_) std::rethrow_exception(std::exchange(read_error_, nullptr));
        return false;
      }
    }
    ParsedBlock& ready = parsed_[handed_out_++];
    ready.first_line = next_line_;
    next_line_ += ready.lines;
    std::swap(block, ready);
    return true;
  }
  [[nodiscard]] const ByteSource& bytes() const noexcept override { return lines_->source(); }

 private:
  void refill() {
    filled_ = handed_out_ = 0;
    try {
      // What a live source has is one block; the next may have to be waited for.
      const std::size_t wanted = lines_->live() ? 1 : texts_.size();
      while (filled_ < wanted && lines_->next(texts_[filled_])) ++filled_;
    } catch (...) {
      read_error_ = std::current_exception();
    }
    parallel_blocks(context_, filled_, 1, [this](const Block& work) {
      ParsedBlock& out = parsed_[work.begin];
      const std::string_view text = texts_[work.begin].text();
      out.clear(options_.num_text_fields);
      out.bytes = text.size();
      parsers_[work.worker]->parse(text, options_.max_bad, out);
    });
  }

  const Context& context_;
  std::unique_ptr<LineBlocks> lines_;
  TextBlockOptions options_;
  std::uint64_t next_line_;
  std::vector<TextBlock> texts_;
  std::vector<ParsedBlock> parsed_;
  std::vector<std::unique_ptr<BlockParser>> parsers_;  // [worker]
  std::size_t filled_ = 0;
  std::size_t handed_out_ = 0;
  std::exception_ptr read_error_;
};

}  // namespace

bool BlockParser::note_bad(const RowMark& mark, std::string message, std::uint64_t max_bad,
                           ParsedBlock& out) {
  mark.rewind(out);
  out.dropped.push_back(out.source_rows);
  out.bad.push_back({out.lines, std::move(message)});
  return out.bad.size() <= max_bad;
}

void LineParser::parse(std::string_view text, std::uint64_t max_bad, ParsedBlock& out) {
  begin_block(text);
  while (!text.empty()) {
    const void* const feed = std::memchr(text.data(), '\n', text.size());
    const std::size_t length =
        feed == nullptr ? text.size()
                        : static_cast<std::size_t>(static_cast<const char*>(feed) - text.data());
    std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(text.size(), length + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (is_row(line)) {
      const RowMark mark(out);
      try {
        parse_line(line, out);
      } catch (const LineError& error) {
        if (!note_bad(mark, error.message, max_bad, out)) return;
      }
      ++out.source_rows;
      out.blank_tail = line.empty() ? out.blank_tail + 1 : 0;
    }
    ++out.lines;
  }
}

std::unique_ptr<BlockSource> make_text_source(const Context& context,
                                              std::unique_ptr<LineBlocks> lines,
                                              const MakeParser& make_parser,
                                              const TextBlockOptions& options) {
  return std::make_unique<TextBlockSource>(context, std::move(lines), make_parser, options);
}

}  // namespace mhe::data
