// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "output/train_command.h"

#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "flags/option_flags.h"
#include "flags/usage_error.h"

namespace mhe::app {
namespace {

using Json = nlohmann::ordered_json;

// A word that a shell takes as it is.
std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.,:=/+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(word);
  }
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string flag(std::string_view name, const std::string& value) {
  return fmt::format(" --{}{}{}", name, value.starts_with('-') ? "=" : " ", shell_word(value));
}

std::string list_flag(std::string_view name, const Json& values) {
  std::string list;
  for (const Json& value : values) {
    list += (list.empty() ? "" : ",") + value.get<std::string>();
  }
  return flag(name, list);
}

std::string separator_flag(const std::string& separator) {
  if (separator == "\n") return " --label-separator none";
  if (separator == " ") return " --label-separator space";
  if (separator == "\t") return " --label-separator tab";
  return flag("label-separator", separator);
}

std::string option_flag(const std::string& name, const Json& value) {
  if (name == "fields") {
    throw_error(
        ErrorCode::kInvalidData,
        "its text fields were set by a program that uses the library; no flag says the same");
  }
  const std::string kebab = OptionFlags::kebab(name);
  if (value.is_array()) {
    std::string flags;
    for (const Json& one : value) flags += flag(kebab, one.get<std::string>());
    return flags;
  }
  const auto text = value.get<std::string>();
  if (text == "true") return fmt::format(" --{}", kebab);
  if (text == "false") return fmt::format(" --no-{}", kebab);
  return flag(kebab, text);
}

// How the data is to be read.
std::string data_flags(const Json& data) {
  std::string flags = flag("format", data.at("format").get<std::string>());
  if (data.contains("columns")) flags += list_flag("columns", data.at("columns"));
  if (data.contains("text_columns")) flags += list_flag("text", data.at("text_columns"));
  if (data.contains("label_column")) {
    flags += flag("labels", data.at("label_column").get<std::string>());
  }
  if (data.contains("label_separator")) {
    flags += separator_flag(data.at("label_separator").get<std::string>());
  }
  if (data.contains("label_prefix")) {
    flags += flag("label-prefix", data.at("label_prefix").get<std::string>());
  }
  if (data.contains("index_base")) flags += flag("index-base", data.at("index_base").dump());
  return flags;
}

std::string file_flags(const Json& command) {
  std::string flags;
  for (const auto& [key, name, variable] :
       {std::tuple{"label_file", "label-file", "LABEL_FILE"}, std::tuple{"valid", "valid", "VALID"},
        std::tuple{"valid_labels", "valid-labels", "VALID_LABELS"}}) {
    if (command.contains(key)) flags += fmt::format(" --{} \"${}\"", name, variable);
  }
  return flags;
}

std::string compose(const Json& command, const Json& data) {
  std::string text =
      "mhe train \"$DATA\" --out \"$MODEL\"" + file_flags(command) + data_flags(data);
  if (command.contains("skip_bad")) text += flag("skip-bad", command.at("skip_bad").dump());
  text += flag("encoder", command.at("encoder").get<std::string>());
  if (command.at("preset") != "default") {
    text += flag("preset", command.at("preset").get<std::string>());
  }
  text += flag("seed", command.at("seed").dump());
  for (const auto& [name, value] : command.at("options").items()) text += option_flag(name, value);
  return text;
}

}  // namespace

std::string train_command(const std::string& path, const FileCard& card) {
  const auto parsed = [&](const char* key) {
    const auto found = card.metadata.find(key);
    return found == card.metadata.end() ? Json() : Json::parse(found->second, nullptr, false);
  };
  const Json command = parsed("command");
  const Json data = parsed("data");
  if (!command.is_object() || !data.is_object()) {
    throw_error(ErrorCode::kInvalidData,
                "{} does not say how it was trained: an older version wrote it, or a program that "
                "had its rows in memory",
                path);
  }
  try {
    return compose(command, data);
  } catch (const Json::exception&) {
    throw_error(ErrorCode::kInvalidData, "{}: the record of its training is damaged", path);
  }
}

}  // namespace mhe::app
