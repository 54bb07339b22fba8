// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/deb822.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/check.h"

namespace mhe::tasks {
namespace {

constexpr std::size_t kLargestStanza = 16U << 20U;
constexpr std::size_t kMostFields = 1000;  // finding a field takes a look at each

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

}  // namespace

std::string_view Stanza::operator[](std::string_view name) const {
  for (const auto& [field, value] : fields_) {
    if (equal_ignoring_case(field, name)) return value;
  }
  return {};
}

bool Deb822Reader::next(Stanza& stanza) {
  stanza.fields_.clear();
  std::size_t bytes = 0;
  while (lines_.next(line_)) {
    if (trimmed(line_).empty()) {
      if (stanza.fields_.empty()) continue;
      return true;
    }
    if (line_.front() == '#') continue;
    bytes += line_.size();
    if (bytes > kLargestStanza || stanza.fields_.size() > kMostFields) {
      fail(ErrorCode::kInvalidData, "{}: the paragraph has more than {} bytes or {} fields",
           place(), kLargestStanza, kMostFields);
    }
    add_line(line_, stanza);
  }
  return !stanza.fields_.empty();
}

void Deb822Reader::add_line(std::string_view line, Stanza& stanza) const {
  if (line.front() == ' ' || line.front() == '\t') {
    if (stanza.fields_.empty()) {
      fail(ErrorCode::kInvalidData, "{}: expected \"Field: value\", found a continued line",
           place());
    }
    stanza.fields_.back().second += '\n';
    stanza.fields_.back().second += line.substr(1);
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == 0 || colon == std::string_view::npos) {
    fail(ErrorCode::kInvalidData, "{}: expected \"Field: value\", found \"{}\"", place(),
         line.substr(0, 40));
  }
  const std::string_view name = line.substr(0, colon);
  for (const auto& [field, value] : stanza.fields_) {
    if (equal_ignoring_case(field, name)) {
      fail(ErrorCode::kInvalidData, "{}: the field {} comes twice in its paragraph", place(), name);
    }
  }
  stanza.fields_.emplace_back(name, trimmed(line.substr(colon + 1)));
}

}  // namespace mhe::tasks
