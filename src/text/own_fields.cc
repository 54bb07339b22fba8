// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <mhe/text.h>

#include "base/check.h"

namespace mhe {
namespace {

constexpr std::string_view kExpected =
    "expected a column, then = and a weight, then any of :words=N, :first=N, :chars=A-B, such as "
    "title=2:first=3:chars=3-5";

[[noreturn]] void refuse(const std::string& own) {
  fail(ErrorCode::kInvalidArgument, "the option own {}: {}", own, kExpected);
}

template <class T>
void parse_number(const std::string& own, const std::string& text, T& value) {
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc() || stop != end) refuse(own);
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
  fail(ErrorCode::kInvalidArgument, "the option own {}: there is no text column of this name", own);
}

}  // namespace

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

}  // namespace mhe
