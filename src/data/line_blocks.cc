// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/line_blocks.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace mhe::data {
namespace {

constexpr std::size_t kProbeBytes = std::size_t{1} << 16;  // what peek() promises
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// The end of the quoted field that opens at `open`: behind its closing quote; npos if it has none.
std::size_t end_of_quoted(std::string_view text, std::size_t open) {
  std::size_t at = open + 1;
  while (true) {
    at = text.find('"', at);
    if (at == std::string_view::npos) return at;
    if (at + 1 == text.size() || text[at + 1] != '"') return at + 1;
    at += 2;
  }
}

// Calls visit(position behind a line feed) for the record ends of a CSV text, in order, until it
// returns false. A quote opens a field only at the field's start; others are left to the parser.
template <class Visit>
void visit_csv_ends(std::string_view text, char separator, Visit&& visit) {
  std::size_t at = 0;
  std::size_t feed = 0;  // the next line feed at or behind `at`, looked for only when passed
  std::size_t next_feed_search = 0;
  while (at < text.size()) {
    if (next_feed_search <= at) {
      feed = std::min(text.size(), text.find('\n', at));
      next_feed_search = feed + 1;
    }
    const std::size_t quote = text.substr(0, feed).find('"', at);
    if (quote == std::string_view::npos) {
      if (feed == text.size() || !visit(feed + 1)) return;
      at = feed + 1;
      continue;
    }
    const bool opens = quote == 0 || text[quote - 1] == '\n' || text[quote - 1] == separator;
    at = opens ? end_of_quoted(text, quote) : quote + 1;
  }
}

class RestOfLines final : public ByteSource {
 public:
  explicit RestOfLines(std::unique_ptr<LineBlocks> lines)
      : ByteSource(lines->source().name()), lines_(std::move(lines)) {}

  std::size_t read(std::span<char> out) override { return lines_->take_bytes(out); }
  [[nodiscard]] std::uint64_t consumed() const noexcept override {
    return lines_->source().consumed();
  }
  [[nodiscard]] std::uint64_t total() const noexcept override { return lines_->source().total(); }
  [[nodiscard]] std::string random_access_path() const override {
    return lines_->source().random_access_path();
  }

 private:
  std::unique_ptr<LineBlocks> lines_;
};

}  // namespace

std::unique_ptr<ByteSource> make_byte_source(std::unique_ptr<LineBlocks> lines) {
  return std::make_unique<RestOfLines>(std::move(lines));
}

std::size_t end_of_whole_lines(std::string_view text, LineRule rule, char csv_separator) {
  if (rule == LineRule::kPlain) {
    const std::size_t feed = text.rfind('\n');
    return feed == std::string_view::npos ? 0 : feed + 1;
  }
  std::size_t last = 0;
  visit_csv_ends(text, csv_separator, [&](std::size_t end) {
    last = end;
    return true;
  });
  return last;
}

std::size_t end_of_first_line(std::string_view text, LineRule rule, char csv_separator) {
  std::size_t first = std::string_view::npos;
  if (rule == LineRule::kPlain) {
    const std::size_t feed = text.find('\n');
    return feed == std::string_view::npos ? feed : feed + 1;
  }
  visit_csv_ends(text, csv_separator, [&](std::size_t end) {
    first = end;
    return false;
  });
  return first;
}

LineBlocks::LineBlocks(std::unique_ptr<ByteSource> source, const LineBlocksOptions& options)
    : source_(std::move(source)), options_(options) {
  drop_byte_order_mark();
}

void LineBlocks::drop_byte_order_mark() {
  const auto may_be_mark = [this] {
    return pending().size() < kByteOrderMark.size() && kByteOrderMark.starts_with(pending());
  };
  while (!ended_ && may_be_mark()) fill(pending().size() + 1);
  if (pending().starts_with(kByteOrderMark)) begin_ += kByteOrderMark.size();
}

std::string_view LineBlocks::pending() const noexcept {
  return {pending_.data() + begin_, pending_.size() - begin_};
}

// Reads on until `size` bytes are pending or the source ends.
void LineBlocks::fill(std::size_t size) {
  if (ended_ || pending().size() >= size) return;
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(begin_));
  begin_ = 0;
  std::size_t filled = pending_.size();
  pending_.resize(size);
  while (filled < size && !ended_) {
    const std::size_t got = source_->read(std::span(pending_).subspan(filled));
    filled += got;
    ended_ = got == 0;
  }
  pending_.resize(filled);
}

// What detection and headers look at.
void LineBlocks::fill_probe() {
  if (!options_.live) return fill(kProbeBytes);
  while (!ended_ && pending().size() < options_.max_line_bytes &&
         pending().find('\n') == std::string_view::npos) {
    fill_more();
  }
}

// At least one byte more, unless the source ends.
void LineBlocks::fill_more() {
  if (!options_.live) return fill(pending().size() * 2);
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(begin_));
  begin_ = 0;
  const std::size_t filled = pending_.size();
  pending_.resize(filled + kProbeBytes);
  const std::size_t got = source_->read(std::span(pending_).subspan(filled));
  pending_.resize(filled + got);
  ended_ = got == 0;
}

std::string_view LineBlocks::peek() {
  fill_probe();
  while (!ended_ && pending().size() < options_.max_line_bytes &&
         pending().find('\n') == std::string_view::npos) {
    fill_more();
  }
  return pending();
}

std::string_view LineBlocks::peek(std::size_t bytes) {
  if (!options_.live) fill(bytes);
  return peek();
}

void LineBlocks::set_rule(LineRule rule, char csv_separator) {
  options_.rule = rule;
  options_.csv_separator = csv_separator;
}

bool LineBlocks::take_line(std::string& line) {
  fill_probe();
  std::size_t end = end_of_first_line(pending(), options_.rule, options_.csv_separator);
  while (end == std::string_view::npos && !ended_ && pending().size() < options_.max_line_bytes) {
    fill_more();
    end = end_of_first_line(pending(), options_.rule, options_.csv_separator);
  }
  if (pending().empty()) return false;
  line = pending().substr(0, end);
  begin_ += line.size();
  lines_taken_ += static_cast<std::uint64_t>(std::count(line.begin(), line.end(), '\n'));
  if (line.ends_with('\n')) line.pop_back();
  if (line.ends_with('\r')) line.pop_back();
  return true;
}

std::size_t LineBlocks::take_bytes(std::span<char> out) {
  const std::string_view front = pending().substr(0, out.size());
  if (front.empty()) return source_->read(out);
  std::copy(front.begin(), front.end(), out.begin());
  begin_ += front.size();
  return front.size();
}

bool LineBlocks::has_whole_line(const TextBlock& block) const {
  return end_of_whole_lines(block.text(), options_.rule, options_.csv_separator) > 0;
}

// Copies what is pending to a block, until that holds `wanted` bytes.
void LineBlocks::take_pending(std::size_t wanted, TextBlock& block) {
  const std::string_view taken = pending().substr(0, wanted - block.size);
  std::copy(taken.begin(), taken.end(),
            block.buffer.begin() + static_cast<std::ptrdiff_t>(block.size));
  block.size += taken.size();
  begin_ += taken.size();
  if (begin_ < pending_.size()) return;
  if (pending_.capacity() > options_.block_bytes) pending_ = {};  // what a long peek() took
  pending_.clear();
  begin_ = 0;
}

// Puts what is behind `end` back in front of what is pending.
void LineBlocks::give_back(std::size_t end, TextBlock& block) {
  const std::string_view rest = block.text().substr(end);
  if (pending().empty()) {
    pending_.assign(rest.begin(), rest.end());
    begin_ = 0;
  } else {
    begin_ -= rest.size();  // it came from there, and still is
  }
  block.size = end;
}

bool LineBlocks::next(TextBlock& block) {
  std::size_t wanted =
      ended_ ? std::min(options_.block_bytes, pending().size()) : options_.block_bytes;
  if (block.buffer.size() < wanted + TextBlock::kPadding) {
    block.buffer.resize(wanted + TextBlock::kPadding);
  }
  block.size = 0;
  while (true) {
    take_pending(wanted, block);
    while (block.size < wanted && !ended_ && !(options_.live && has_whole_line(block))) {
      const std::size_t got =
          source_->read({block.buffer.data() + block.size, wanted - block.size});
      block.size += got;
      ended_ = got == 0;
    }
    if (ended_ && pending().empty()) return block.size > 0;
    const std::size_t end = end_of_whole_lines(block.text(), options_.rule, options_.csv_separator);
    if (end > 0) {
      give_back(end, block);
      return true;
    }
    if (wanted >= options_.max_line_bytes) {
      fail(ErrorCode::kInvalidData, "{}: a line is longer than {} bytes; is this a data file?",
           source_->name(), options_.max_line_bytes);
    }
    wanted = std::min(wanted * 2, options_.max_line_bytes);
    block.buffer.resize(wanted + TextBlock::kPadding);
  }
}

}  // namespace mhe::data
