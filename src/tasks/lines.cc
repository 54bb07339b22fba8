// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/lines.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"

namespace mhe::tasks {
namespace {

constexpr std::size_t kBufferBytes = 1U << 16U;
constexpr std::size_t kLongestLine = 16U << 20U;

}  // namespace

LineReader::LineReader(std::unique_ptr<data::ByteSource> source)
    : source_(std::move(source)), buffer_(kBufferBytes, '\0') {}

bool LineReader::next(std::string& line) {
  line.clear();
  bool any = false;
  while (true) {
    if (begin_ == end_) {
      begin_ = 0;
      end_ = source_->read(buffer_);
      if (end_ == 0) break;
    }
    any = true;
    const std::string_view rest = std::string_view(buffer_).substr(begin_, end_ - begin_);
    const std::size_t newline = rest.find('\n');
    line += rest.substr(0, newline);
    if (line.size() > kLongestLine) {
      fail(ErrorCode::kInvalidData, "{}:{}: the line is longer than {} bytes", source_->name(),
           line_ + 1, kLongestLine);
    }
    begin_ += std::min(newline, rest.size());
    if (newline == std::string_view::npos) continue;
    ++begin_;
    break;
  }
  if (any) ++line_;
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return any;
}

std::string LineReader::place() const {
  return fmt::format("{}:{}", source_->name(), line_);
}

std::unique_ptr<data::ByteSource> open_decompressed(const std::string& path) {
  constexpr std::size_t kThreads = 1;  // files of some megabytes
  return data::decompress_if_needed(data::open_file_source(path), kThreads);
}

std::string read_all(data::ByteSource& source, std::size_t most) {
  std::string all;
  std::array<char, kBufferBytes> piece = {};
  while (const std::size_t size = source.read(piece)) {
    all.append(piece.data(), size);
    if (all.size() > most) {
      fail(ErrorCode::kResourceLimit, "{} holds more than {} bytes", source.name(), most);
    }
  }
  return all;
}

std::string squeeze_blanks(std::string_view text) {
  std::string out;
  bool gap = false;
  for (const char c : text) {
    if (c == ' ' || (c >= '\t' && c <= '\r')) {
      gap = !out.empty();
      continue;
    }
    if (gap) out += ' ';
    gap = false;
    out += c;
  }
  return out;
}

}  // namespace mhe::tasks
