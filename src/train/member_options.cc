// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/member_options.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "encoders/registry.h"
#include "heads/head_spec.h"
#include "train/options.h"

namespace mhe::train {
namespace {

// An encoder, and options as a user wrote them.
struct MemberWords {
  std::string encoder;
  std::vector<std::string> options;  // "lengths=60x72"
};

std::vector<std::string> cut(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<MemberWords> words_of(std::string_view encoder) {
  std::vector<MemberWords> members;
  for (const std::string& member : cut(encoder, ',')) {
    std::vector<std::string> words = cut(member, ':');
    require(!words.empty(), "encoder \"{}\"; expected linear, bag or dense", encoder);
    const std::string name = words.front();
    words.erase(words.begin());
    members.push_back({name, std::move(words)});
  }
  if (members.empty()) members.push_back({"linear", {}});
  return members;
}

void check_encoder(const std::string& name) {
  if (name == "linear") return;
  try {
    (void)encoders::encoder_named(name);
  } catch (const Error&) {
    fail(ErrorCode::kInvalidArgument, "encoder \"{}\"; expected linear, bag or dense", name);
  }
}

// What is done with the data once, for all members.
bool is_of_data(const std::string& name) {
  constexpr const char* kShared[] = {"encoder",    "held_out",        "refit", "feature_weights",
                                     "label_text", "min_label_count", "own"};
  if (std::find(std::begin(kShared), std::end(kShared), name) != std::end(kShared)) return true;
  bool is_text = false;
  TextOptions().visit(
      [&](const char* own, auto&, const char*) { is_text = is_text || name == own; });
  return is_text;
}

// Sets one option to what another set of options has.
void copy_option(TrainOptions from, const std::string& name, TrainOptions& to) {
  std::vector<const void*> values;
  from.visit([&](const char*, auto& value, const char*) { values.push_back(&value); });
  std::size_t next = 0;
  to.visit([&](const char* own, auto& value, const char*) {
    const void* source = values[next++];
    if (name == own) value = *static_cast<const std::decay_t<decltype(value)>*>(source);
  });
}

std::string name_of_option(const std::string& word) {
  std::string name = word.substr(0, word.find('='));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

void set_own(const MemberWords& member, TrainOptions& options) {
  for (const std::string& word : member.options) {
    const std::size_t equals = word.find('=');
    require(equals != std::string::npos && equals > 0,
            "encoder {}: expected option=value after the colon, found \"{}\"", member.encoder,
            word);
    const std::string name = name_of_option(word);
    require(!is_of_data(name), "the option {} is the same for all members; give it by itself",
            name);
    std::string value = word.substr(equals + 1);
    if (name == "lengths") std::replace(value.begin(), value.end(), 'x', ',');
    options.set(name, value);
  }
}

// Options of all members that this one's head does not have: another one may.
void drop_beyond_head(const MemberWords& member, TrainOptions& options) {
  const HeadKind head = options.head == "auto" ? HeadKind::kCascade : parse_head_kind(options.head);
  for (const std::string& name : asked_beyond(options, head)) {
    const bool is_own = std::any_of(member.options.begin(), member.options.end(),
                                    [&](const auto& word) { return name_of_option(word) == name; });
    if (is_own) continue;
    copy_option(TrainOptions(), name, options);
    options.given.erase(name);
  }
}

TrainOptions options_of_member(const TrainOptions& options, const MemberWords& member,
                               bool is_alone) {
  TrainOptions mine = options;
  mine.encoder = member.encoder;
  if (!is_alone) {
    const auto known = options_of(member.encoder);
    TrainOptions().visit([&](const char* name, auto&, const char*) {
      if (known.contains(name)) return;
      copy_option(TrainOptions(), name, mine);
      mine.given.erase(name);
    });
  }
  set_own(member, mine);
  if (!is_alone) drop_beyond_head(member, mine);
  return mine;
}

}  // namespace

std::vector<std::string> encoders_of(std::string_view encoder) {
  std::vector<std::string> names;
  for (MemberWords& member : words_of(encoder)) names.push_back(std::move(member.encoder));
  return names;
}

std::vector<TrainOptions> member_options(const TrainOptions& options) {
  const std::vector<MemberWords> members = words_of(options.encoder);
  std::vector<TrainOptions> all;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const MemberWords& member = members[i];
    check_encoder(member.encoder);
    for (std::size_t j = 0; j < i; ++j) {
      require(members[j].encoder != member.encoder || members[j].options != member.options,
              "encoder {} was given twice; \"ensemble\" trains several members", member.encoder);
    }
    all.push_back(options_of_member(options, member, members.size() == 1));
  }
  return all;
}

}  // namespace mhe::train
