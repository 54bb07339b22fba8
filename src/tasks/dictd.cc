// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/dictd.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "tasks/lines.h"

namespace mhe::tasks {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t kLargestDictionary = 1U << 30U;

}  // namespace

std::uint64_t parse_dictd_number(std::string_view digits, std::string_view place) {
  constexpr std::size_t kMostDigits = 10;  // 60 bits
  std::uint64_t value = 0;
  bool valid = !digits.empty() && digits.size() <= kMostDigits;
  for (const char c : digits.substr(0, kMostDigits)) {
    const std::size_t digit = kDigits.find(c);
    valid = valid && digit != std::string_view::npos;
    value = value * kDigits.size() + (valid ? digit : 0);
  }
  if (!valid) {
    fail(ErrorCode::kInvalidData, "{}: expected a number of digits A-Z a-z 0-9 + /, found \"{}\"",
         place, digits.substr(0, 20));
  }
  return value;
}

std::vector<DictdEntry> read_dictd_index(std::unique_ptr<data::ByteSource> source) {
  LineReader lines(std::move(source));
  std::vector<DictdEntry> entries;
  std::string line;
  while (lines.next(line)) {
    const std::string_view text = line;
    const std::size_t first = text.find('\t');
    const std::size_t second = first == std::string_view::npos ? first : text.find('\t', first + 1);
    if (second == std::string_view::npos) {
      fail(ErrorCode::kInvalidData,
           "{}: expected a headword, an offset and a length between tabs, found \"{}\"",
           lines.place(), text.substr(0, 40));
    }
    if (text.starts_with("00database") || text.starts_with("00-database")) continue;
    const std::string_view rest = text.substr(second + 1);
    entries.push_back(
        {parse_dictd_number(text.substr(first + 1, second - first - 1), lines.place()),
         parse_dictd_number(rest.substr(0, rest.find('\t')), lines.place())});
  }
  std::sort(entries.begin(), entries.end(), [](const DictdEntry& a, const DictdEntry& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.size < b.size;
  });
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  return entries;
}

Dictd::Dictd(std::string text, std::vector<DictdEntry> entries, const std::string& name)
    : text_(std::move(text)), entries_(std::move(entries)) {
  for (const DictdEntry& entry : entries_) {
    if (entry.offset <= text_.size() && entry.size <= text_.size() - entry.offset) continue;
    fail(ErrorCode::kInvalidData, "{}: an entry of {} bytes at {} ends behind the text of {} bytes",
         name, entry.size, entry.offset, text_.size());
  }
}

Dictd Dictd::open(const std::string& directory, const std::string& name) {
  const std::string stem = fmt::format("{}/{}", directory, name);
  auto entries = read_dictd_index(open_decompressed(stem + ".index"));
  const auto source = open_decompressed(stem + ".dict.dz");
  return {read_all(*source, kLargestDictionary), std::move(entries), stem};
}

}  // namespace mhe::tasks
