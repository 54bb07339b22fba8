// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/columns.h"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/ranges.h>

#include "base/ascii.h"
#include "base/check.h"
#include "data/line_error.h"

namespace mhe::data {
namespace {

// docs/formats.md lists these.
constexpr std::array<std::string_view, 12> kTextNames = {
    "text",     "title",  "content", "body",     "abstract", "description",
    "sentence", "review", "query",   "question", "document", "name"};
constexpr std::array<std::string_view, 11> kLabelNames = {
    "labels", "label",      "tags",     "tag",     "classes",   "class",
    "target", "categories", "category", "targets", "target_ind"};
constexpr std::array<std::string_view, 2> kIdNames = {"id", "uid"};

// The columns as a message lists them, made printable.
std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMaxShown = 8;
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (shown.size() == kMaxShown) {
      shown.emplace_back("...");
      break;
    }
    shown.push_back(name.empty() ? "\"\"" : quote_found(name));
  }
  return fmt::format("{}", fmt::join(shown, ", "));
}

class Chooser {
 public:
  Chooser(const std::vector<std::string>& names, std::string_view where, std::string_view noun)
      : names_(names), where_(where), noun_(noun) {}

  [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - names_.begin());
  }

  [[nodiscard]] bool has_any(const std::vector<std::string>& wanted) const {
    return std::any_of(wanted.begin(), wanted.end(),
                       [this](const std::string& name) { return find(name).has_value(); });
  }

  [[nodiscard]] std::size_t named(const std::string& name) const {
    const std::optional<std::size_t> found = find(name);
    if (!found) {
      fail(ErrorCode::kInvalidData, "{}: expected a {} called \"{}\", found {}", where_, noun_,
           name, list_of(names_));
    }
    return *found;
  }

  // The first well-known name that occurs.
  [[nodiscard]] std::optional<std::size_t> known(std::span<const std::string_view> wanted) const {
    for (const std::string_view candidate : wanted) {
      for (std::size_t i = 0; i < names_.size(); ++i) {
        if (equal_ignoring_case(names_[i], candidate)) return i;
      }
    }
    return std::nullopt;
  }

 private:
  const std::vector<std::string>& names_;
  std::string_view where_;
  std::string_view noun_;
};

std::vector<std::size_t> known_text(const std::vector<std::string>& names) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::any_of(kTextNames.begin(), kTextNames.end(),
                    [&](std::string_view known) { return equal_ignoring_case(names[i], known); })) {
      found.push_back(i);
    }
  }
  return found;
}

std::vector<std::string> wanted_text(const Chooser& chooser, const ReadOptions& options) {
  if (!options.text_columns.empty()) return options.text_columns;
  if (!options.expected.text_columns.empty()) return options.expected.text_columns;
  const std::vector<std::string>& fields = options.expected_text;
  // One text is one text, whatever its column is called.
  if (fields.size() == 1 && !chooser.find(fields.front())) return {};
  return fields;
}

std::optional<std::size_t> choose_label_column(const Chooser& chooser, const ReadOptions& options) {
  if (!options.label_column.empty()) return chooser.named(options.label_column);
  const std::string& expected = options.expected.label_column;
  return expected.empty() ? chooser.known(kLabelNames) : chooser.find(expected);
}

void require_distinct(const ColumnChoice& choice, const std::vector<std::string>& names,
                      std::string_view noun) {
  std::vector<std::size_t> used = choice.text;
  if (choice.labels) used.push_back(*choice.labels);
  if (choice.id) used.push_back(*choice.id);
  std::sort(used.begin(), used.end());
  const auto twice = std::adjacent_find(used.begin(), used.end());
  require(twice == used.end(), "the {} \"{}\" is chosen twice", noun,
          twice == used.end() ? "" : names[*twice]);
}

}  // namespace

ColumnChoice choose_columns(const std::vector<std::string>& names, const ReadOptions& options,
                            std::string_view where, std::string_view noun, TextColumns text) {
  const Chooser chooser(names, where, noun);
  ColumnChoice choice;
  const std::vector<std::string> wanted = wanted_text(chooser, options);
  for (const std::string& name : wanted) choice.text.push_back(chooser.named(name));
  if (choice.text.empty()) choice.text = known_text(names);
  choice.labels = choose_label_column(chooser, options);
  choice.id =
      options.id_column.empty() ? chooser.known(kIdNames) : chooser.named(options.id_column);
  if (choice.text.empty() && text == TextColumns::kRequired) {
    fail(
        ErrorCode::kInvalidData,
        "{}: expected a {} of text, called text, title or content, found {}; choose text columns{}",
        where, noun, list_of(names),
        noun == "column" ? ", or name the columns if there is no header" : "");
  }
  // A rule never takes what the options gave to another purpose.
  const auto is_text = [&](std::size_t column) {
    return std::find(choice.text.begin(), choice.text.end(), column) != choice.text.end();
  };
  if (options.label_column.empty() && choice.labels && is_text(*choice.labels)) {
    choice.labels.reset();
  }
  if (options.id_column.empty() && choice.id &&
      (is_text(*choice.id) || choice.id == choice.labels)) {
    choice.id.reset();
  }
  if (wanted.empty()) {
    std::erase_if(choice.text, [&](std::size_t column) {
      return column == choice.labels || column == choice.id;
    });
  }
  if (text == TextColumns::kUnused) choice.text.clear();
  require_distinct(choice, names, noun);
  return choice;
}

bool has_known_column(const std::vector<std::string>& names, const ReadOptions& options) {
  const Chooser chooser(names, "", "");
  return chooser.has_any(options.expected_text) || chooser.has_any(options.expected.text_columns) ||
         chooser.find(options.expected.label_column) || chooser.known(kTextNames) ||
         chooser.known(kLabelNames) || chooser.known(kIdNames);
}

std::vector<std::string> text_names(const std::vector<std::string>& names,
                                    const ColumnChoice& choice) {
  std::vector<std::string> fields;
  for (const std::size_t column : choice.text) fields.push_back(names[column]);
  return fields;
}

}  // namespace mhe::data
