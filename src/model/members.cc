// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "model/dense_member.h"
#include "model/linear_member.h"
#include "model/member.h"

namespace mhe::model {
namespace {

// The kinds of members, a line each.
struct Kind {
  std::string_view name;
  Members (*open)(const MembersPlace& place, const nlohmann::json& card);
};
constexpr std::array kKinds = {Kind{kLinearKind, open_linear_members},
                               Kind{kDenseKind, open_dense_members}};

// Members of several kinds: the card has a part for each run of them.
constexpr std::string_view kMixedKind = "mixed";

std::string part_prefix(std::size_t part) {
  return fmt::format("part{}.", part);
}

Members open_mixed(const MembersPlace& place, const nlohmann::json& card) {
  Members members;
  const nlohmann::json& parts = card.at("parts");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    MembersPlace part = place;
    part.prefix = part_prefix(i);
    const std::string kind = parts.at(i).at("kind");
    if (kind == kMixedKind) fail_file(place.file.path(), "a mixed part of a mixed model");
    for (auto& member : open_members(kind, part, parts.at(i))) members.push_back(std::move(member));
  }
  return members;
}

// The members from `begin` on that share a part with the first of them.
MemberSpan run_of_one_kind(MemberSpan members, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < members.size() && members[end]->kind() == members[begin]->kind() &&
         members[begin]->shares_part()) {
    ++end;
  }
  return members.subspan(begin, end - begin);
}

nlohmann::ordered_json write_run(ModelFileWriter& writer, MemberSpan members,
                                 const std::string& prefix) {
  nlohmann::ordered_json card = {{"kind", members.front()->kind()}};
  for (std::size_t i = 0; i < members.size(); ++i) members[i]->write(writer, prefix, i, card);
  return card;
}

}  // namespace

std::vector<LabelSet> MemberSearch::best_sets(std::size_t /*k*/) {
  fail(ErrorCode::kInvalidArgument, "the model predicts labels, not sets of labels");
}

Members open_members(std::string_view kind, const MembersPlace& place, const nlohmann::json& card) {
  if (kind == kMixedKind) return open_mixed(place, card);
  for (const Kind& known : kKinds) {
    if (known.name == kind) return known.open(place, card);
  }
  fail_file(place.file.path(), "a model of kind \"{}\", which this version does not know", kind);
}

nlohmann::ordered_json write_members(ModelFileWriter& writer, MemberSpan members) {
  const MemberSpan first = run_of_one_kind(members, 0);
  if (first.size() == members.size()) return write_run(writer, members, "");
  nlohmann::ordered_json card = {{"kind", kMixedKind}};
  std::size_t part = 0;
  for (std::size_t begin = 0; begin < members.size();) {
    const MemberSpan run = run_of_one_kind(members, begin);
    card["parts"].push_back(write_run(writer, run, part_prefix(part++)));
    begin += run.size();
  }
  return card;
}

}  // namespace mhe::model
