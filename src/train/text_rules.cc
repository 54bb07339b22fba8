// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/text_rules.h"

#include <fmt/format.h>

#include "text/options.h"

namespace mhe::train {

void choose_text_options(const TextSample& sample, TextOptions& text) {
  constexpr double kShortText =
      800;  // bytes; pairs of words of longer texts cost more than they tell
  constexpr std::size_t kManyRows = 256;  // of few rows, all that recurs is worth keeping
  const std::uint32_t longest = text.word_ngrams;
  if (sample.mean_bytes >= kShortText) {
    text.word_ngrams = 1;
    text.min_token_length = 2;  // single letters and digits number the parts of long texts
  } else if (sample.rows >= kManyRows) {
    text.min_df = 3;
  }
  text.fields.clear();
  for (const std::string& name : sample.columns) {
    FieldOptions& field = text.fields.emplace_back();
    field.name = name;
    if (text.fields.size() > 1) continue;
    field.own = true;
    if (sample.columns.size() > 1) {
      field.word_ngrams = longest;
    } else {
      field.weight = 0.7;
      field.first_words = 3;
      field.char_min = 3;
      field.char_max = 5;
    }
  }
}

TextRule text_rule_of(const TrainOptions& options) {
  return [given = options.given, own = options.own](const TextSample& sample, TextOptions& text) {
    const TextOptions asked = text;
    choose_text_options(sample, text);
    if (given.contains("word_ngrams")) text.word_ngrams = asked.word_ngrams;
    if (given.contains("min_df")) text.min_df = asked.min_df;
    if (given.contains("min_token_length")) text.min_token_length = asked.min_token_length;
    if (!asked.fields.empty()) text.fields = asked.fields;
    if (!own.empty()) text.fields = make_fields(sample.columns, own);
  };
}

namespace {

// A field's own features as make_fields() reads them.
std::string own_features_text(const FieldOptions& field) {
  std::string text = fmt::format("{}={}:words={}", field.name, field.weight, field.word_ngrams);
  if (field.first_words > 0) text += fmt::format(":first={}", field.first_words);
  if (field.char_max > 0) text += fmt::format(":chars={}-{}", field.char_min, field.char_max);
  return text;
}

}  // namespace

std::vector<std::string> own_features(const TextOptions& used) {
  std::vector<std::string> columns;
  std::vector<std::string> own;
  for (const FieldOptions& field : used.fields) {
    if (field.name.find_first_of(":=") != std::string::npos) return {};
    columns.push_back(field.name);
    if (field.own) own.push_back(own_features_text(field));
  }
  if (own.empty() || make_fields(columns, own) != used.fields) return {};
  return own;
}

void name_text(const TextOptions& used, TrainOptions& options) {
  options.text.word_ngrams = used.word_ngrams;
  options.given.insert("word_ngrams");
  if (options.own.empty()) options.own = own_features(used);
}

}  // namespace mhe::train
