// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "flags/help.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "output/console.h"

namespace mhe::app {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kNames = 30;  // columns of CLI11 for names
constexpr const char* kFirst = "Options";

std::string refuse_minus(const std::string& text) {
  return text.starts_with('-') ? fmt::format("expected 0 or more, found {}", text) : std::string();
}

// CLI11's names of types, with what its checks append to them.
bool is_type(const CLI::Option& option, std::string_view type) {
  return option.get_type_name().starts_with(type);
}

// What a flag that takes a text takes, where that is not any word.
std::string text_name(const std::string& flag) {
  constexpr std::pair<std::string_view, const char*> kTextNames[] = {
      {"columns", "NAME"}, {"config", "FILE"}, {"id", "NAME"},          {"label-file", "FILE"},
      {"labels", "NAME"},  {"out", "FILE"},    {"pred", "FILE"},        {"ram", "SIZE"},
      {"report", "FILE"},  {"svg", "FILE"},    {"text", "NAME"},        {"train", "FILE"},
      {"truth", "FILE"},   {"valid", "FILE"},  {"valid-labels", "FILE"}};
  for (const auto& [name, value] : kTextNames) {
    if (name == flag) return value;
  }
  return "WORD";
}

std::string value_name(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  std::string name = type.substr(0, type.find(':'));
  if (name == "UINT" || name == "INT") name = "N";
  if (name == "FLOAT") name = "X";
  if (name == "TEXT") name = text_name(option.get_lnames().empty() ? "" : option.get_lnames()[0]);
  return option.get_delimiter() == ',' ? fmt::format("{},{},...", name, name) : name;
}

}  // namespace

void show_first(CLI::App& command, std::initializer_list<std::string_view> flags,
                const std::string& examples) {
  command.set_help_all_flag("--help-all", "Show all flags");
  for (CLI::Option* option : command.get_options()) {
    if (option->get_group() == kFirst) option->group("The run");
  }
  for (const std::string_view flag : flags) {
    command.get_option(std::string(flag))->group(kFirst);
  }
  for (const char* help : {"--help", "--help-all"}) command.get_option(help)->group(kFirst);
  command.footer(examples);
}

std::string with_default(std::string description, const std::string& value) {
  if (value.empty()) return description;
  for (const std::string& word : {"; " + value + ": ", ", or " + value + ": "}) {
    const std::size_t at = description.find(word);
    if (at == std::string::npos) continue;
    return description.replace(at, word.size(), "; default: ");
  }
  if (description.find("efault: ") != std::string::npos) return description;
  return fmt::format("{}; default: {}", description, value);
}

void complete_options(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    const std::string description =
        with_default(option->get_description(), option->get_default_str());
    option->description(wrap_words(description, kWidth - kNames, ""));
    if (option->get_delimiter() == ',') option->allow_extra_args(false);
    if (is_type(*option, "UINT")) option->check(refuse_minus, "");
  }
  for (CLI::App* part : command.get_subcommands({})) {
    part->description(wrap_words(part->get_description(), kWidth - kNames, ""));
    complete_options(*part);
  }
}

std::string HelpFormatter::make_help(const CLI::App* command, std::string name,
                                     CLI::AppFormatMode mode) const {
  if (mode != CLI::AppFormatMode::Normal || command->get_help_all_ptr() == nullptr) {
    return Formatter::make_help(command, std::move(name), mode);
  }
  const auto in_group = [](bool is_first) {
    return [is_first](const CLI::Option* option) {
      return option->nonpositional() && (option->get_group() == kFirst) == is_first;
    };
  };
  return make_description(command) + make_usage(command, std::move(name)) +
         make_positionals(command) +
         make_group(kFirst, false, command->get_options(in_group(true))) +
         fmt::format("\n{} more with --help-all.\n", command->get_options(in_group(false)).size()) +
         "\n" + make_footer(command);
}

// In the list of commands it was wrapped to stand beside their names; here it has all columns.
std::string HelpFormatter::make_description(const CLI::App* command) const {
  std::string text = command->get_description();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.empty() ? text : wrap_words(text, kWidth, "") + "\n";
}

std::string HelpFormatter::make_usage(const CLI::App* command, std::string name) const {
  std::string usage = Formatter::make_usage(command, std::move(name));
  for (const auto& [theirs, ours] : {std::pair{"[OPTIONS]", "[--flags]"}, {"SUBCOMMAND", "VERB"}}) {
    const std::size_t at = usage.find(theirs);
    if (at != std::string::npos) usage.replace(at, std::string_view(theirs).size(), ours);
  }
  return usage;
}

// A switch that can be turned off is told as both its names.
std::string HelpFormatter::make_option_name(const CLI::Option* option, bool is_positional) const {
  std::string name = Formatter::make_option_name(option, is_positional);
  const std::string mark = "{false}";
  const std::size_t at = name.find(mark);
  return at == std::string::npos ? name : name.erase(at, mark.size());
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  if (option->get_positional() || option->get_type_size() == 0) return {};
  std::string text = " " + value_name(*option);
  if (option->get_required()) text += " (required)";
  return text;
}

}  // namespace mhe::app
