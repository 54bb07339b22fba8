// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "encoders/registry.h"
#include "heads/head_spec.h"
#include "heads/registry.h"
#include "text/options.h"
#include "train/gradient_rules.h"
#include "train/label_order.h"
#include "train/linear_rules.h"
#include "train/member_options.h"
#include "train/name_rows.h"
#include "train/training_set.h"
#include "train/weigh_features.h"

namespace mhe {
namespace {

constexpr std::string_view kLinear = "linear";

[[noreturn]] void refuse_value(std::string_view name, std::string_view value,
                               std::string_view expected) {
  fail(ErrorCode::kInvalidArgument, "{} \"{}\"; expected {}", name, value, expected);
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    if (end > begin) parts.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

template <class T>
void parse(std::string_view name, std::string_view text, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    if (text != "true" && text != "false") refuse_value(name, text, "true or false");
    value = text == "true";
  } else if constexpr (std::is_same_v<T, std::string>) {
    value = text;
  } else if constexpr (std::is_same_v<T, std::vector<FieldOptions>>) {
    const auto fields = nlohmann::json::parse(text, nullptr, false);
    if (!fields.is_array()) refuse_value(name, text, "a JSON array of fields");
    value.clear();
    if (fields.empty()) return;  // by rule
    value = text::options_from_json(nlohmann::json{{"fields", fields}}.dump()).fields;
  } else if constexpr (std::is_arithmetic_v<T>) {
    const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || stop != text.data() + text.size()) {
      refuse_value(name, text, std::is_floating_point_v<T> ? "a number" : "a whole number");
    }
  } else {
    value.clear();
    for (const std::string& part : split(text)) parse(name, part, value.emplace_back());
  }
}

// Adds what `part` visits to an object.
template <class Part>
void put(Part& part, const TextOptions& text, nlohmann::ordered_json& json) {
  part.visit([&](const char* name, auto& value, const char*) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::vector<FieldOptions>>) {
      json[name] = nlohmann::json::parse(text::options_to_json(text)).at(name);
    } else {
      json[name] = value;
    }
  });
}

template <class Part>
std::set<std::string, std::less<>> names_of(Part part) {
  std::set<std::string, std::less<>> names;
  part.visit([&](const char* name, auto&, const char*) { names.insert(name); });
  return names;
}

// The options whose values are not those of `defaults`.
std::set<std::string, std::less<>> differing_options(TrainOptions options, TrainOptions defaults) {
  nlohmann::ordered_json mine;
  nlohmann::ordered_json theirs;
  put(options, options.text, mine);
  put(defaults, defaults.text, theirs);
  std::set<std::string, std::less<>> differing;
  for (const auto& [name, value] : mine.items()) {
    if (value != theirs.at(name)) differing.insert(name);
  }
  return differing;
}

// These, and the options that a user named.
std::set<std::string, std::less<>> changed_options(const TrainOptions& options,
                                                   const TrainOptions& defaults) {
  auto changed = differing_options(options, defaults);
  changed.insert(options.given.begin(), options.given.end());
  return changed;
}

// A value as set() takes it.
template <class T>
std::string text_of(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_arithmetic_v<T>) {
    return fmt::format("{}", value);  // of a float the shortest text that reads back as the same
  } else {
    return fmt::format("{}", fmt::join(value, ","));
  }
}

}  // namespace

TrainOptions::TrainOptions() {
  text.fields.clear();
  text.min_df = 2;  // a word of one document tells nothing about others
  text.word_ngrams = 2;
}

void TrainOptions::set(std::string_view name, std::string_view value) {
  bool is_known = name == "encoder";
  if (is_known) encoder = value;
  visit([&](const char* own_name, auto& option, const char*) {
    if (name != own_name) return;
    auto parsed = option;  // what cannot be parsed changes nothing
    parse(name, value, parsed);
    option = std::move(parsed);
    is_known = true;
  });
  require(is_known, "there is no option \"{}\"", name);
  given.emplace(name);
}

std::string TrainOptions::to_json() const {
  TrainOptions copy = *this;
  nlohmann::ordered_json json = {{"encoder", encoder}};
  put(copy, text, json);
  return json.dump();
}

void TrainOptions::set_json(std::string_view json) {
  const auto object = nlohmann::json::parse(json, nullptr, false);
  require(object.is_object(), "expected a JSON object of options");
  for (const auto& [name, value] : object.items()) {
    if (value.is_string()) {
      set(name, value.get<std::string>());
    } else if (value.is_array() && name != "fields") {
      std::string list;
      for (const auto& item : value) {
        list +=
            (list.empty() ? "" : ",") + (item.is_string() ? item.get<std::string>() : item.dump());
      }
      set(name, list);
    } else {
      set(name, value.dump());
    }
  }
}

TrainOptions preset_options(std::string_view preset, std::string_view encoder) {
  TrainOptions options;
  options.encoder = encoder;
  const std::vector<std::string> encoders = train::encoders_of(encoder);
  const bool is_gradient = std::any_of(encoders.begin(), encoders.end(),
                                       [](const auto& name) { return name != kLinear; });
  if (preset == "fast") {
    if (is_gradient) {
      options.dim = 256;
    } else {
      options.leaf = 40;
      options.prune_strength = 1.75F;
    }
    options.text.word_ngrams = 1;
  } else if (preset == "best") {
    options.ensemble = 3;
  } else {
    require(preset == "default", "preset \"{}\"; expected fast, default or best", preset);
  }
  return options;
}

std::set<std::string, std::less<>> options_of(std::string_view encoder) {
  std::set<std::string, std::less<>> names = names_of(CommonOptions());
  names.merge(names_of(TextOptions()));
  names.insert("own");
  encoder = encoder.substr(0, encoder.find(':'));
  if (encoder == kLinear) {
    names.merge(names_of(SolverOptions()));
  } else {
    (void)encoders::encoder_named(encoder);
    names.merge(names_of(GradientOptions()));
  }
  return names;
}

namespace train {
namespace {

void validate_common(const TrainOptions& options) {
  for (const std::uint32_t length : options.lengths) require(length > 0, "a head of length 0");
  require(options.ensemble >= 1 && options.ensemble <= 64, "ensemble {}; expected 1 to 64",
          options.ensemble);
  require(options.beam <= std::size_t{heads::kMaxParents}, "beam {}; expected 1 to {}, or 0",
          options.beam, heads::kMaxParents);
  require(options.parent_weight >= 0 && options.parent_weight <= 100,
          "parent weight {}; expected 0 to 100", options.parent_weight);
  require(options.held_out >= 0 && options.held_out <= 0.5, "held out {}; expected 0 to 0.5",
          options.held_out);
  require(options.refit == "auto" || options.refit == "yes" || options.refit == "no",
          "refit \"{}\"; expected yes, no or auto", options.refit);
  (void)trim_rule_of(options);
  check_order(options.order);
  check_feature_weights(options.feature_weights);
  check_label_text(options.label_text);
}

}  // namespace

std::set<std::string, std::less<>> asked_for(const TrainOptions& options) {
  // Presets differ in their defaults only, so what differs from all of them was asked for.
  auto changed = changed_options(options, TrainOptions());
  for (const char* preset : {"fast", "best"}) {
    const auto other = changed_options(options, preset_options(preset, options.encoder));
    std::erase_if(changed, [&](const std::string& name) { return !other.contains(name); });
  }
  return changed;
}

std::vector<std::string> asked_beyond(const TrainOptions& options, HeadKind head) {
  const auto has = [](const heads::HeadType& type, const std::string& name) {
    return std::find(type.options.begin(), type.options.end(), name) != type.options.end();
  };
  std::vector<std::string> beyond;
  for (const std::string& name : asked_for(options)) {
    const bool is_of_heads =
        std::any_of(heads::kHeads.begin(), heads::kHeads.end(),
                    [&](const heads::HeadType* type) { return has(*type, name); });
    if (is_of_heads && !has(heads::head_type(head), name)) beyond.push_back(name);
  }
  return beyond;
}

namespace {

HeadKind head_of_options(const TrainOptions& options) {
  // What is left open becomes a cascade, or one-hot heads, which have fewer options.
  return options.head == "auto" ? HeadKind::kCascade : parse_head_kind(options.head);
}

// Throws for what a user named and no member has.
void check_known(const TrainOptions& options, const std::vector<TrainOptions>& members) {
  std::set<std::string, std::less<>> known = {"encoder"};
  for (const TrainOptions& member : members) known.merge(options_of(member.encoder));
  for (const std::string& name : asked_for(options)) {
    require(known.contains(name), "the option {} does not belong to the encoder {}", name,
            options.encoder.empty() ? std::string(kLinear) : options.encoder);
  }
  for (const std::string& name : asked_beyond(options, head_of_options(members.front()))) {
    const bool is_used = std::any_of(members.begin(), members.end(), [&](const auto& member) {
      const auto beyond = asked_beyond(options, head_of_options(member));
      return std::find(beyond.begin(), beyond.end(), name) == beyond.end();
    });
    if (is_used) continue;
    fail(ErrorCode::kInvalidArgument, "the option {} does not belong to {}", name,
         members.front().head == "auto" ? "the heads cascade and onehot; name the head"
                                        : fmt::format("the head {}", members.front().head));
  }
}

void validate_member(const TrainOptions& member) {
  const auto known = options_of(member.encoder);
  for (const std::string& name : asked_for(member)) {
    require(name == "encoder" || known.contains(name),
            "the option {} does not belong to the encoder {}", name, member.encoder);
  }
  for (const std::string& name : asked_beyond(member, head_of_options(member))) {
    fail(ErrorCode::kInvalidArgument, "the option {} does not belong to the head {}", name,
         member.head);
  }
  validate_common(member);
  if (member.encoder == kLinear) {
    validate_linear(member);
  } else {
    validate_gradient(member);
  }
}

}  // namespace

void validate(const TrainOptions& options) {
  const std::vector<TrainOptions> members = member_options(options);
  check_known(options, members);
  for (const TrainOptions& member : members) validate_member(member);
}

namespace {

// What has to be said to get these options from a preset. That a value was named matters only
// where texts have rules of their own.
std::set<std::string, std::less<>> spoken_options(const TrainOptions& options,
                                                  std::string_view preset) {
  auto spoken = differing_options(options, preset_options(preset, options.encoder));
  for (const char* name : {"word_ngrams", "min_df", "min_token_length"}) {
    if (options.given.contains(name)) spoken.insert(name);
  }
  return spoken;
}

}  // namespace

std::string preset_of(const TrainOptions& options) {
  const char* best = "default";
  for (const char* preset : {"fast", "best"}) {
    if (spoken_options(options, preset).size() < spoken_options(options, best).size()) {
      best = preset;
    }
  }
  return best;
}

std::string spoken_options_json(const TrainOptions& options, const std::string& preset) {
  TrainOptions copy = options;
  const auto spoken = spoken_options(options, preset);
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  copy.visit([&](const char* name, auto& value, const char*) {
    using Value = std::decay_t<decltype(value)>;
    if (!spoken.contains(name)) return;
    if constexpr (std::is_same_v<Value, std::vector<FieldOptions>>) {
      json[name] = nlohmann::json::parse(text::options_to_json(copy.text)).at(name).dump();
    } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
      json[name] = value;
    } else {
      json[name] = text_of(value);
    }
  });
  return json.dump();
}

namespace {

// Floats as their shortest text, "0.3" and not what a double makes of it, for people to read.
template <class Part>
void shorten_floats(Part& part, nlohmann::ordered_json& json) {
  part.visit([&](const char* name, const auto& value, const char*) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, float>) {
      json[name] = std::stod(fmt::format("{}", value));
    }
  });
}

}  // namespace

std::string used_options_json(const TrainOptions& options, const std::string& encoder) {
  TrainOptions copy = options;
  nlohmann::ordered_json json = {{"encoder", encoder}};
  put(static_cast<CommonOptions&>(copy), copy.text, json);
  if (encoder == kLinear) {
    put(static_cast<SolverOptions&>(copy), copy.text, json);
  } else {
    put(static_cast<GradientOptions&>(copy), copy.text, json);
  }
  json["own"] = copy.own;
  put(copy.text, copy.text, json);
  shorten_floats(static_cast<CommonOptions&>(copy), json);
  if (encoder == kLinear) {
    shorten_floats(static_cast<SolverOptions&>(copy), json);
  } else {
    shorten_floats(static_cast<GradientOptions&>(copy), json);
  }
  return json.dump();
}

}  // namespace train
}  // namespace mhe
