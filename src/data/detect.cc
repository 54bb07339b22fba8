// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "base/check.h"
#include "data/columns.h"
#include "data/line_error.h"
#include "data/number.h"
#include "data/open_format.h"

namespace mhe::data {
namespace {

constexpr std::size_t kMaxProbeLines = 100;

// The first lines of the probe that are not empty. The last may be cut off by the probe's end.
std::vector<std::string_view> first_lines(std::string_view probe) {
  std::vector<std::string_view> lines;
  while (!probe.empty() && lines.size() < kMaxProbeLines) {
    const std::size_t length = std::min(probe.size(), probe.find('\n'));
    std::string_view line = probe.substr(0, length);
    probe.remove_prefix(std::min(probe.size(), length + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

std::vector<std::string_view> tokens_of(std::string_view line) {
  std::vector<std::string_view> tokens;
  std::size_t at = line.find_first_not_of(" \t");
  while (at != std::string_view::npos) {
    const std::size_t end = std::min(line.size(), line.find_first_of(" \t", at));
    tokens.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(" \t", end);
  }
  return tokens;
}

bool has_labelled_line(const std::vector<std::string_view>& lines, std::string_view prefix) {
  return std::any_of(lines.begin(), lines.end(), [prefix](std::string_view line) {
    const auto tokens = tokens_of(line);
    return std::any_of(tokens.begin(), tokens.end(), [prefix](std::string_view token) {
      return token.size() > prefix.size() && token.starts_with(prefix);
    });
  });
}

bool is_pair(std::string_view token) {
  const std::size_t colon = token.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  return token.substr(0, colon) == "qid" ||
         std::all_of(token.begin(), token.begin() + static_cast<std::ptrdiff_t>(colon), is_digit);
}

// The first line that is not a comment looks like "labels f:v f:v": one token that may be anything,
// then at least one pair, and no fewer pairs than other tokens so that a slip of the pen in one of
// them is still reported as that.
bool looks_like_svmlight(const std::vector<std::string_view>& lines) {
  for (std::string_view line : lines) {
    if (line.front() == '#') continue;
    const auto tokens = tokens_of(line.substr(0, line.find('#')));
    if (tokens.empty()) continue;
    const std::size_t labels = is_pair(tokens.front()) ? 0 : 1;
    const auto pairs =
        static_cast<std::size_t>(std::count_if(tokens.begin(), tokens.end(), is_pair));
    if (pairs > 0) return pairs >= tokens.size() - labels - pairs;
    if (tokens.size() > 1) return false;
  }
  return false;
}

bool has_columns(const ReadOptions& options) {
  return !options.columns.empty() || !options.text_columns.empty() ||
         !options.label_column.empty() || !options.id_column.empty();
}

// A header names columns we look for; in prose a blank follows the comma.
bool looks_like_header(std::string_view line, const ReadOptions& options) {
  if (line.find(", ") != std::string_view::npos) return false;
  try {
    return has_known_column(split_record(line, ',', LineRule::kCsvQuotes), options);
  } catch (const LineError&) {
    return false;
  }
}

// Records of as many fields as a table without a header is expected to have.
bool may_lack_header(std::string_view probe, const ReadOptions& options) {
  const DataLayout& expected = options.expected;
  if (expected.columns.empty() || expected.format != Format::kCsv || options.live) return false;
  constexpr std::size_t kMaxRecords = 20;
  std::size_t records = 0;
  while (!probe.empty() && records < kMaxRecords) {
    const std::size_t end = end_of_first_line(probe, LineRule::kCsvQuotes, ',');
    if (end == std::string_view::npos && records > 0) break;  // it may be cut off
    std::string_view record = probe.substr(0, end);
    probe.remove_prefix(record.size());
    while (record.ends_with('\n') || record.ends_with('\r')) record.remove_suffix(1);
    if (record.empty()) continue;
    try {
      if (split_record(record, ',', LineRule::kCsvQuotes).size() != expected.columns.size()) {
        return false;
      }
    } catch (const LineError&) {
      return false;
    }
    ++records;
  }
  return records > 0;
}

}  // namespace

Format detect_format(std::string_view probe, std::string_view name, const ReadOptions& options,
                     bool has_label_file) {
  if (probe.starts_with("\x93NUMPY")) return Format::kNpy;
  if (probe.starts_with("PK\x03\x04") || probe.starts_with("PK\x05\x06")) return Format::kNpz;
  if (has_label_file && options.expected.format == Format::kTextLines) return Format::kTextLines;
  const auto lines = first_lines(probe);
  const bool expects_text = !options.expected_text.empty();
  if (lines.empty() && expects_text && !probe.empty()) return Format::kTextLines;
  if (lines.empty()) fail(ErrorCode::kInvalidData, "{} is empty, expected a data set", name);
  const std::string_view first = lines.front();
  if (const auto header = parse_xmc_header(first)) {
    return header->labels ? Format::kXmc : Format::kXmcPair;
  }
  if (has_label_file) return Format::kTextLines;
  if (first.starts_with('{')) return Format::kJsonl;
  if (has_labelled_line(lines, options.label_prefix)) return Format::kFastText;
  if (looks_like_svmlight(lines)) return Format::kSvmlight;
  if (first.find('\t') != std::string_view::npos) return Format::kTsv;
  if (may_lack_header(probe, options)) return Format::kCsv;
  if (has_columns(options)) return Format::kCsv;
  const bool comma = first.find(',') != std::string_view::npos;
  if (comma && (!expects_text || looks_like_header(first, options))) return Format::kCsv;
  if (expects_text) return Format::kTextLines;
  fail(ErrorCode::kInvalidData,
       "{}:1: expected a known format, found {}; name the format, or give a label file if the "
       "labels are in a second file",
       name, quote_found(first));
}

}  // namespace mhe::data
