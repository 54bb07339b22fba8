// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "flags/config_file.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "flags/suggest.h"
#include "flags/usage_error.h"

namespace mhe::app {
namespace {

using Json = nlohmann::ordered_json;

// "out" for --out, "data" for the positional DATA; empty for what is no part of a configuration.
std::string key_of(const CLI::Option& option) {
  std::string key = option.get_lnames().empty() ? option.get_name() : option.get_lnames().front();
  std::transform(key.begin(), key.end(), key.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return key == "help" || key == "help-all" || key == "config" || key == "dump-config"
             ? std::string()
             : key;
}

bool is_flag(const CLI::Option& option) {
  return option.get_expected_max() == 0;
}

bool is_list(const CLI::Option& option) {
  return option.get_items_expected_max() > 1;
}

// One word of the command line as JSON: numbers where the flag takes numbers.
Json value_of_word(const CLI::Option& option, const std::string& word) {
  // Of other names are files and sizes.
  const std::string type = option.get_type_name();
  const bool is_number =
      type.starts_with("UINT") || type.starts_with("INT") || type.starts_with("FLOAT");
  if (!is_number) return word;
  const Json value = Json::parse(word, nullptr, false);
  return value.is_number() ? value : Json(word);
}

Json value_of(const CLI::Option& option) {
  if (is_flag(option)) return option.count() > 0 && option.as<bool>();
  const std::vector<std::string>& words = option.results();
  if (words.empty()) {
    const std::string by_default = option.get_default_str();
    return by_default.empty() ? Json(nullptr) : value_of_word(option, by_default);
  }
  if (!is_list(option)) return value_of_word(option, words.back());
  Json list = Json::array();
  for (const std::string& word : words) list.push_back(value_of_word(option, word));
  return list;
}

// A value as one would type it; throws what is wrong with it.
std::string word_of_value(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  throw UsageError(fmt::format("expected a number, a text, true or false, found {}", value.dump()));
}

void give(CLI::Option& option, const Json& value) {
  std::vector<std::string> words;
  if (value.is_array() && is_list(option)) {
    for (const Json& item : value) words.push_back(word_of_value(item));
  } else {
    words.push_back(word_of_value(value));
  }
  if (is_flag(option) && !value.is_boolean()) {
    throw UsageError(fmt::format("expected true or false, found {}", value.dump()));
  }
  if (words.empty()) return;  // an empty list is what a flag that is not given means
  option.add_result(std::move(words));
  option.run_callback();
}

Json read_object(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw_error(ErrorCode::kNotFound, "cannot open {}: {}", path,
                std::generic_category().message(errno));
  try {
    Json json = Json::parse(file);
    if (!json.is_object()) throw UsageError(path + ": expected a JSON object of flags");
    return json;
  } catch (const nlohmann::json::parse_error& error) {
    throw UsageError(
        fmt::format("{}: expected a JSON object of flags; no JSON at byte {}", path, error.byte));
  }
}

}  // namespace

void add_config_flags(CLI::App& command, std::string& config, bool& dump) {
  command.add_option("--config", config,
                     "Take flags from this JSON file, as --dump-config writes it; those given here "
                     "go first");
  command.add_flag("--dump-config", dump, "Print all flags as JSON and do nothing else");
}

void apply_config(CLI::App& command, const std::string& path) {
  std::vector<std::string> keys;
  for (const CLI::Option* option : command.get_options()) keys.push_back(key_of(*option));
  const Json json = read_object(path);
  for (const auto& [key, value] : json.items()) {
    const auto found = key.empty() ? keys.end() : std::find(keys.begin(), keys.end(), key);
    if (found == keys.end()) {
      const std::string meant = nearest(key, keys);
      throw UsageError(fmt::format("{}: unknown key \"{}\"{}", path, key,
                                   meant.empty() ? "" : "; did you mean \"" + meant + "\"?"));
    }
    CLI::Option& option = *command.get_options()[static_cast<std::size_t>(found - keys.begin())];
    if (value.is_null() || option.count() > 0) continue;
    try {
      give(option, value);
    } catch (const std::runtime_error& error) {  // ours, or what CLI11 says of a value
      throw UsageError(fmt::format("{}: \"{}\": {}", path, key, error.what()));
    }
  }
}

nlohmann::ordered_json dump_config(const CLI::App& command, const nlohmann::ordered_json& known) {
  Json json = Json::object();
  for (const CLI::Option* option : command.get_options()) {
    const std::string key = key_of(*option);
    if (key.empty()) continue;
    json[key] = known.contains(key) ? known.at(key) : value_of(*option);
  }
  return json;
}

}  // namespace mhe::app
