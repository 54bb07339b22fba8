// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "metrics/prediction_parser.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <simdjson.h>

#include "base/check.h"
#include "base/checked.h"
#include "data/line_error.h"

namespace mhe::metrics {
namespace {

using data::fail_line;
using data::quote_found;

constexpr std::string_view kBlanks = " \t";

// The nearest one that is as finite.
float to_float(double score) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  return static_cast<float>(std::isinf(score) ? score : std::clamp(score, -kLargest, kLargest));
}

// A number, "inf" or "-inf", but not "nan"; what is too small becomes zero.
std::optional<float> parse_score(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text.front() == '+') return std::nullopt;
  double score = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), score);
  if (end != text.data() + text.size() || status == std::errc::invalid_argument) {
    return std::nullopt;
  }
  if (status == std::errc::result_out_of_range) {  // from_chars does not say which way
    score = std::strtod(std::string(text).c_str(), nullptr);
    if (std::isinf(score)) return std::nullopt;
  }
  if (std::isnan(score)) return std::nullopt;
  return to_float(score);
}

class Parser {
 public:
  explicit Parser(const LabelNames& names) : names_(names) {}

  PredictionBlock parse(std::string_view text, PredictionFormat format);

 private:
  void parse_text_line(std::string_view line);
  void parse_quoted(std::string_view& line);
  void parse_json_line(std::string_view line);
  void add_json_label(const simdjson::dom::element& item);
  void add(std::string_view label, float score);
  void end_row();
  [[nodiscard]] std::string name_of(LabelId label) const;

  const LabelNames& names_;
  simdjson::dom::parser json_;
  std::vector<LabelId> sorted_;
  PredictionBlock block_;
};

PredictionBlock Parser::parse(std::string_view text, PredictionFormat format) {
  for (std::uint64_t number = 0; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    try {
      if (format == PredictionFormat::kText) {
        parse_text_line(line);
      } else if (line.find_first_not_of(kBlanks) != std::string_view::npos) {
        parse_json_line(line);
      }
      end_row();
    } catch (data::LineError& error) {
      block_.bad = BadPrediction{number, std::move(error.message)};
      break;
    }
  }
  return std::move(block_);
}

void Parser::parse_text_line(std::string_view line) {
  for (;;) {
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    if (line.empty()) return;
    if (line.front() == '"') {
      parse_quoted(line);
      continue;
    }
    const std::string_view token = line.substr(0, line.find_first_of(kBlanks));
    line.remove_prefix(token.size());
    const std::size_t colon = token.rfind(':');
    if (colon == std::string_view::npos) {
      fail_line("expected label:score, found {}", quote_found(token));
    }
    if (colon == 0) fail_line("expected a label before the colon, found {}", quote_found(token));
    const std::optional<float> score = parse_score(token.substr(colon + 1));
    if (!score) {
      fail_line("expected a number behind the last colon, found {}", quote_found(token));
    }
    add(token.substr(0, colon), *score);
  }
}

// Takes a label in quotes and its score from the front of the line: names may hold blanks.
void Parser::parse_quoted(std::string_view& line) {
  std::size_t end = 1;
  while (end < line.size() && line[end] != '"') end += line[end] == '\\' ? 2 : 1;
  std::string_view rest = line.substr(std::min(end + 1, line.size()));
  const std::string_view score_text = rest.substr(0, rest.find_first_of(kBlanks));
  const std::size_t size = line.size() - rest.size() + score_text.size();
  const std::string_view token = line.substr(0, size);
  const auto score = score_text.starts_with(':') ? parse_score(score_text.substr(1)) : std::nullopt;
  simdjson::dom::element label;
  std::string_view name;
  if (end >= line.size() || !score ||
      json_.parse(line.data(), end + 1, false).get(label) != simdjson::SUCCESS ||
      label.get(name) != simdjson::SUCCESS) {
    fail_line("expected \"label\":score with the label as a JSON string, found {}",
              quote_found(token));
  }
  add(name, *score);
  line.remove_prefix(size);
}

void Parser::parse_json_line(std::string_view line) {
  simdjson::dom::element row;
  const auto status = json_.parse(line.data(), line.size(), false).get(row);
  if (status == simdjson::MEMALLOC) throw std::bad_alloc();
  if (status != simdjson::SUCCESS) {
    fail_line("expected a JSON object, found {} ({})", quote_found(line),
              simdjson::error_message(status));
  }
  simdjson::dom::array labels;
  if (!row.is_object() || row["labels"].get(labels) != simdjson::SUCCESS) {
    fail_line("expected an object with an array \"labels\", found {}", quote_found(line));
  }
  for (const simdjson::dom::element& item : labels) add_json_label(item);
}

void Parser::add_json_label(const simdjson::dom::element& item) {
  std::string_view label;
  std::uint64_t number = 0;
  double score = 0;
  const bool has_score = item.is_object() && (item["p"].get(score) == simdjson::SUCCESS ||
                                              item["score"].get(score) == simdjson::SUCCESS);
  if (has_score && item["label"].get(label) == simdjson::SUCCESS)
    return add(label, to_float(score));
  if (has_score && item["label"].get(number) == simdjson::SUCCESS) {
    return add(fmt::format("{}", number), to_float(score));
  }
  fail_line("expected {{\"label\": \"...\", \"p\": number}}, found {}",
            quote_found(simdjson::minify(item)));
}

void Parser::add(std::string_view label, float score) {
  const auto known = names_.find(label);
  if (known) {
    block_.rows.items.push_back({*known, score});
    return;
  }
  const std::size_t id = names_.size() + index_of(block_.unknown.intern(label));
  block_.rows.items.push_back({LabelId{checked_cast<std::uint32_t>(id, "a label id")}, score});
}

void Parser::end_row() {
  block_.rows.end_row();
  sorted_.clear();
  for (const ScoredLabel& item : block_.rows[block_.rows.rows() - 1]) sorted_.push_back(item.label);
  std::sort(sorted_.begin(), sorted_.end());
  const auto twice = std::adjacent_find(sorted_.begin(), sorted_.end());
  if (twice != sorted_.end()) {
    fail_line("expected each label once in a row, found {} twice", quote_found(name_of(*twice)));
  }
}

std::string Parser::name_of(LabelId label) const {
  if (index_of(label) < names_.size()) return names_.name(label);
  return block_.unknown.name(LabelId{static_cast<std::uint32_t>(index_of(label) - names_.size())});
}

}  // namespace

PredictionFormat detect_prediction_format(std::string_view beginning) {
  constexpr std::string_view kSpace = " \t\r\n";
  beginning.remove_prefix(std::min(beginning.find_first_not_of(kSpace), beginning.size()));
  if (!beginning.starts_with('{')) return PredictionFormat::kText;
  // A label may begin with a brace; an object goes on with a key or ends.
  beginning.remove_prefix(1);
  beginning.remove_prefix(std::min(beginning.find_first_not_of(kSpace), beginning.size()));
  const bool object = beginning.starts_with('"') || beginning.starts_with('}');
  return object ? PredictionFormat::kJson : PredictionFormat::kText;
}

PredictionBlock parse_predictions(std::string_view text, PredictionFormat format,
                                  const LabelNames& names) {
  return Parser(names).parse(text, format);
}

}  // namespace mhe::metrics
