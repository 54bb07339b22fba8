// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/spec_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace mhe::model {
namespace {

using heads::Loss;
using heads::ProductCode;

constexpr std::array<std::pair<Loss, std::string_view>, 2> kLosses = {
    {{Loss::kSoftmax, "softmax"}, {Loss::kSigmoid, "sigmoid"}}};
constexpr std::array<std::pair<ProductCode, std::string_view>, 3> kCodes = {
    {{ProductCode::kDigits, "digits"},
     {ProductCode::kTable, "table"},
     {ProductCode::kPowerset, "powerset"}}};

template <class Names, class Value>
std::string name_of(const Names& names, Value value) {
  for (const auto& [known, name] : names) {
    if (known == value) return std::string(name);
  }
  return "?";
}

template <class Names>
auto value_of(const Names& names, const std::string& wanted) {
  for (const auto& [value, name] : names) {
    if (name == wanted) return value;
  }
  fail(ErrorCode::kInvalidArgument, "unknown value \"{}\"", wanted);
}

}  // namespace

nlohmann::ordered_json to_json(const heads::HeadSpec& spec) {
  return {{"kind", head_kind_name(spec.kind)},
          {"num_labels", spec.num_labels},
          {"lengths", spec.lengths},
          {"dim", spec.dim},
          {"inner_dim", spec.inner_dim},
          {"loss", name_of(kLosses, spec.loss)},
          {"candidates", spec.candidates},
          {"parent_power", spec.parent_power},
          {"extra_groups", spec.extra_groups},
          {"groups_per_example", spec.groups_per_example},
          {"rank", spec.rank},
          {"code", name_of(kCodes, spec.code)}};
}

heads::HeadSpec head_spec_from(const nlohmann::json& json) {
  heads::HeadSpec spec;
  spec.kind = parse_head_kind(json.at("kind").get<std::string>());
  json.at("num_labels").get_to(spec.num_labels);
  json.at("lengths").get_to(spec.lengths);
  json.at("dim").get_to(spec.dim);
  json.at("inner_dim").get_to(spec.inner_dim);
  spec.loss = value_of(kLosses, json.at("loss").get<std::string>());
  json.at("candidates").get_to(spec.candidates);
  json.at("parent_power").get_to(spec.parent_power);
  json.at("extra_groups").get_to(spec.extra_groups);
  spec.groups_per_example = json.value("groups_per_example", std::size_t{0});  // not always there
  json.at("rank").get_to(spec.rank);
  spec.code = value_of(kCodes, json.at("code").get<std::string>());
  require(!spec.lengths.empty() && spec.lengths.size() <= LabelSpace::kMaxHeads,
          "{} head lengths; expected 1 to {}", spec.lengths.size(), LabelSpace::kMaxHeads);
  require(std::find(spec.lengths.begin(), spec.lengths.end(), 0U) == spec.lengths.end(),
          "a head of length 0");
  require(spec.rank >= 1 && spec.rank <= heads::kMaxRank, "a rank of {}; expected 1 to {}",
          spec.rank, heads::kMaxRank);
  require(spec.parent_power >= 0 && spec.parent_power <= 100, "a parent_power of {}",
          spec.parent_power);
  // What a search keeps must be bounded by what there is to find.
  require(spec.kind != HeadKind::kCascade ||
              spec.candidates <= std::max<std::uint64_t>(1, spec.num_labels),
          "{} candidates for {} labels", spec.candidates, spec.num_labels);
  return spec;
}

}  // namespace mhe::model
