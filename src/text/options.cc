// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "text/options.h"

#include <cmath>
#include <concepts>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/check.h"

namespace mhe::text {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kMaxWordNgrams = 5;
constexpr std::uint32_t kMaxCharNgrams = 16;
constexpr std::size_t kMaxFields = 200;  // parts are told apart by a byte in the term table

// `whose` is "common features" or the name of a field.
void validate_ngrams(std::string_view whose, std::uint32_t words, std::uint32_t char_min,
                     std::uint32_t char_max) {
  require(words <= kMaxWordNgrams, "{}: word_ngrams is {}; expected 0 to {}", whose, words,
          kMaxWordNgrams);
  require(char_max <= kMaxCharNgrams, "{}: char_max is {}; expected 0 to {}", whose, char_max,
          kMaxCharNgrams);
  require(char_max == 0 ? char_min == 0 : char_min >= 1 && char_min <= char_max,
          "{}: char_min is {}; expected 1 to char_max, which is {}", whose, char_min, char_max);
  require(words > 0 || char_max > 0, "{}: neither word nor character n-grams are asked for", whose);
}

void validate_field(const FieldOptions& field) {
  require(!field.name.empty(), "a field has no name");
  require(field.common || field.own, "field \"{}\" adds to no features", field.name);
  require(std::isfinite(field.weight) && field.weight > 0 && field.weight <= 1e6,
          "field \"{}\": weight is {}; expected more than 0 and at most a million", field.name,
          field.weight);
  if (field.own) validate_ngrams(field.name, field.word_ngrams, field.char_min, field.char_max);
}

void validate_fields(const std::vector<FieldOptions>& fields) {
  require(!fields.empty() && fields.size() <= kMaxFields, "{} text fields; expected 1 to {}",
          fields.size(), kMaxFields);
  std::set<std::string_view> names;
  for (const FieldOptions& field : fields) {
    validate_field(field);
    require(names.insert(field.name).second, "two text fields are called \"{}\"", field.name);
  }
}

struct JsonWriter {
  Json& object;

  template <class T>
  void operator()(const char* name, const T& value, const char* /*help*/) {
    object[name] = value;
  }
  void operator()(const char* name, const std::vector<FieldOptions>& fields, const char* /*help*/) {
    Json& list = object[name] = Json::array();
    for (FieldOptions field : fields) field.visit(JsonWriter{list.emplace_back(Json::object())});
  }
};

[[noreturn]] void fail_kind(std::string_view name, std::string_view expected) {
  fail(ErrorCode::kInvalidData, "text options: \"{}\" should be {}", name, expected);
}

// Takes the options it knows out of the object; what is then left over is unknown.
struct JsonReader {
  Json& object;

  template <class T>
  void operator()(const char* name, T& value, const char* /*help*/) {
    const auto found = object.find(name);
    if (found == object.end()) return;
    convert(name, *found, value);
    object.erase(found);
  }

 private:
  static void convert(std::string_view name, const Json& json, bool& value) {
    if (!json.is_boolean()) fail_kind(name, "true or false");
    value = json.get<bool>();
  }
  static void convert(std::string_view name, const Json& json, double& value) {
    if (!json.is_number()) fail_kind(name, "a number");
    value = json.get<double>();
  }
  static void convert(std::string_view name, const Json& json, std::string& value) {
    if (!json.is_string()) fail_kind(name, "a string");
    value = json.get<std::string>();
  }
  template <std::unsigned_integral Unsigned>
  static void convert(std::string_view name, const Json& json, Unsigned& value) {
    if (!json.is_number_unsigned() || !std::in_range<Unsigned>(json.get<std::uint64_t>())) {
      fail_kind(name, "a count");
    }
    value = json.get<Unsigned>();
  }
  static void convert(std::string_view name, Json& json, std::vector<FieldOptions>& fields) {
    if (!json.is_array()) fail_kind(name, "a list");
    fields.clear();
    for (Json& item : json) read_object(item, fields.emplace_back());
  }

 public:
  template <class Options>
  static void read_object(Json& json, Options& options) {
    if (!json.is_object()) fail(ErrorCode::kInvalidData, "text options: expected a JSON object");
    options.visit(JsonReader{json});
    if (!json.empty()) {
      fail(ErrorCode::kInvalidData, "text options: \"{}\" is unknown", json.begin().key());
    }
  }
};

}  // namespace

void validate(const TextOptions& options) {
  validate_fields(options.fields);
  bool any_common = false;
  for (const FieldOptions& field : options.fields) any_common = any_common || field.common;
  if (any_common) {
    validate_ngrams("common features", options.word_ngrams, options.char_min, options.char_max);
  }
  require(options.max_df > 0 && options.max_df <= 1,
          "max_df is {}; expected a share of the documents, more than 0 and at most 1",
          options.max_df);
  require(options.hash_bits == 0 || (options.hash_bits >= 8 && options.hash_bits <= 28),
          "hash_bits is {}; expected 0 or 8 to 28", options.hash_bits);
  require(options.hash_bits == 0 || (options.max_features == 0 && options.max_vocabulary == 0),
          "hash_bits keeps no vocabulary: max_features and max_vocabulary do not go with it");
}

std::string options_to_json(const TextOptions& options) {
  Json object = Json::object();
  TextOptions copy = options;  // visit() lends its members for writing too
  copy.visit(JsonWriter{object});
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

TextOptions options_from_json(std::string_view json) {
  Json object = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  TextOptions options;
  JsonReader::read_object(object, options);
  validate(options);
  return options;
}

std::vector<Part> make_parts(const TextOptions& options) {
  std::vector<Part> parts;
  Part common = {.prefix = {},
                 .weight = 1.0,
                 .word_ngrams = options.word_ngrams,
                 .char_min = options.char_min,
                 .char_max = options.char_max,
                 .first_words = 0,
                 .fields = {}};
  for (std::size_t i = 0; i < options.fields.size(); ++i) {
    if (options.fields[i].common) common.fields.push_back(i);
  }
  if (!common.fields.empty()) parts.push_back(std::move(common));
  for (std::size_t i = 0; i < options.fields.size(); ++i) {
    const FieldOptions& field = options.fields[i];
    if (!field.own) continue;
    parts.push_back({.prefix = field.name + ":",
                     .weight = field.weight,
                     .word_ngrams = field.word_ngrams,
                     .char_min = field.char_min,
                     .char_max = field.char_max,
                     .first_words = field.first_words,
                     .fields = {i}});
  }
  return parts;
}

}  // namespace mhe::text
