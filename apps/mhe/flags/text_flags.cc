// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "flags/text_flags.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "flags/usage_error.h"
#include "train/linear_options.h"

namespace mhe::app {
namespace {

constexpr std::string_view kExpected =
    "expected a column, then = and a weight, then any of :words=N, :first=N, :chars=A-B, such as "
    "title=2:first=3:chars=3-5";

[[noreturn]] void refuse(const std::string& own) {
  throw UsageError(fmt::format("--own {}: {}", own, kExpected));
}

template <class T>
void parse_number(const std::string& own, const std::string& text, T& value) {
  if (!CLI::detail::lexical_cast(text, value)) refuse(own);
}

void apply_setting(const std::string& own, const std::string& setting, FieldOptions& field) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos) refuse(own);
  const std::string name = setting.substr(0, equals);
  const std::string value = setting.substr(equals + 1);
  if (name == "words") {
    parse_number(own, value, field.word_ngrams);
  } else if (name == "first") {
    parse_number(own, value, field.first_words);
  } else if (name == "chars") {
    const std::size_t dash = value.find('-');
    parse_number(own, value.substr(0, dash), field.char_min);
    parse_number(own, dash == std::string::npos ? value : value.substr(dash + 1), field.char_max);
  } else {
    refuse(own);
  }
}

void apply_own(const std::string& own, std::vector<FieldOptions>& fields) {
  const std::size_t end = own.find(':');
  const std::string head = own.substr(0, end);
  const std::size_t equals = head.find('=');
  const std::string name = head.substr(0, equals);
  for (FieldOptions& field : fields) {
    if (field.name != name) continue;
    field.own = true;
    if (equals != std::string::npos) parse_number(own, head.substr(equals + 1), field.weight);
    std::size_t at = end;
    while (at != std::string::npos) {
      const std::size_t next = own.find(':', at + 1);
      apply_setting(own, own.substr(at + 1, next - at - 1), field);
      at = next;
    }
    return;
  }
  throw UsageError(fmt::format("--own {}: there is no text column of this name", own));
}

}  // namespace

void add_own_flag(CLI::App& command, std::vector<std::string>& own) {
  command.add_option("--own", own,
                     "A text column that gets features of its own beside the common ones, their "
                     "weight, and what they are: title=2, or text=1:first=3:chars=3-5 for "
                     "character n-grams of the first three words; may be repeated");
}

std::vector<FieldOptions> make_fields(const std::vector<std::string>& columns,
                                      const std::vector<std::string>& own) {
  std::vector<FieldOptions> fields;
  for (const std::string& name : columns) {
    FieldOptions field;
    field.name = name;
    fields.push_back(std::move(field));
  }
  for (const std::string& one : own) apply_own(one, fields);
  return fields;
}

train::TextRule make_text_rule(const CLI::App& command, std::vector<std::string> own) {
  const bool keep_ngrams = command.count("--word-ngrams") > 0;
  const bool keep_min_df = command.count("--min-df") > 0;
  const bool keep_token_length = command.count("--min-token-length") > 0;
  return [own = std::move(own), keep_ngrams, keep_min_df, keep_token_length](
             const train::TextSample& sample, TextOptions& text) {
    const TextOptions given = text;
    train::choose_text_options(sample, text);
    if (keep_ngrams) text.word_ngrams = given.word_ngrams;
    if (keep_min_df) text.min_df = given.min_df;
    if (keep_token_length) text.min_token_length = given.min_token_length;
    if (!own.empty()) text.fields = make_fields(sample.columns, own);
  };
}

}  // namespace mhe::app
