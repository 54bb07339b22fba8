// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/registry.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include <nlohmann/json.hpp>

#include "base/check.h"

namespace mhe::heads {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 2> kLossNames = {"softmax", "sigmoid"};
constexpr std::array<std::string_view, 3> kCodeNames = {"digits", "table", "powerset"};

template <class Enum, std::size_t Count>
void parse(const std::array<std::string_view, Count>& names, const std::string& name, Enum& value) {
  const auto found = std::find(names.begin(), names.end(), name);
  require(found != names.end(), "unknown value \"{}\"", name);
  value = static_cast<Enum>(found - names.begin());
}

struct SpecWriter {
  nlohmann::ordered_json& json;
  template <class T>
  void operator()(const char* key, const T& value) const {
    json[key] = value;
  }
  void operator()(const char* key, ProductCode code) const {
    json[key] = kCodeNames[static_cast<std::size_t>(code)];
  }
};

// What older cards do not have stays as it is by default.
struct SpecReader {
  const nlohmann::json& json;
  template <class T>
  void operator()(const char* key, T& value) const {
    value = json.value(key, value);
  }
  void operator()(const char* key, ProductCode& code) const {
    parse(kCodeNames, json.at(key).get<std::string>(), code);
  }
};

}  // namespace

const HeadType& head_type(HeadKind kind) {
  const auto found = std::find_if(kHeads.begin(), kHeads.end(),
                                  [&](const HeadType* type) { return kind_of(type->own) == kind; });
  MHE_ASSERT(found != kHeads.end());
  return **found;
}

std::unique_ptr<DenseHead> make_dense_head(const Context& context, HeadSpec spec,
                                           const HeadSetup& setup) {
  require(spec.num_labels >= 1, "a head needs labels");
  require(spec.dim >= 1, "a head needs features");
  const HeadType& type = head_type(spec.kind());
  return type.make(context, std::move(spec), setup);
}

std::unique_ptr<DenseSearch> DenseSearch::make(const HeadSpec& spec, const FindTensor& find) {
  return head_type(spec.kind()).open(spec, find);
}

DenseSearch::~DenseSearch() = default;

std::vector<LabelSet> DenseSearch::best_sets(std::size_t /*k*/) {
  fail(ErrorCode::kInvalidArgument, "the head predicts labels, not sets of labels");
}

std::unique_ptr<DenseSearch> make_search(const DenseHead& head) {
  const std::vector<HeadTensor> tensors = head.tensors();
  return DenseSearch::make(head.spec(), [&](std::string_view name) -> const HeadTensor* {
    const auto found = std::find_if(tensors.begin(), tensors.end(),
                                    [&](const HeadTensor& t) { return t.name == name; });
    return found == tensors.end() ? nullptr : &*found;
  });
}

std::uint64_t weight_bytes(const HeadSpec& spec) {
  return head_type(spec.kind()).weight_bytes(spec);
}

std::uint64_t training_bytes(const HeadSpec& spec, const BatchShape& shape) {
  return head_type(spec.kind()).training_bytes(spec, shape);
}

std::string_view loss_name(Loss loss) noexcept {
  return kLossNames[static_cast<std::size_t>(loss)];
}

// Cards of format 1 have these keys for every head, in this order, whether it uses them or not;
// what a head has gained since stands behind them, in cards of that head only.
nlohmann::ordered_json to_json(const HeadSpec& spec) {
  nlohmann::ordered_json json = {{"kind", head_kind_name(spec.kind())},
                                 {"num_labels", spec.num_labels},
                                 {"lengths", spec.lengths},
                                 {"dim", spec.dim},
                                 {"inner_dim", spec.dim},
                                 {"loss", loss_name(spec.loss)},
                                 {"candidates", CascadeSpec().candidates},
                                 {"parent_power", CascadeSpec().parent_power},
                                 {"extra_groups", 0},
                                 {"groups_per_example", 0},
                                 {"rank", 1},
                                 {"code", "digits"}};
  std::visit([&](const auto& own) { own.visit(own, SpecWriter{json}); }, spec.own);
  return json;
}

HeadSpec head_spec_from(const nlohmann::json& json) {
  HeadSpec spec;
  const HeadKind kind = parse_head_kind(json.at("kind").get<std::string>());
  json.at("num_labels").get_to(spec.num_labels);
  json.at("lengths").get_to(spec.lengths);
  json.at("dim").get_to(spec.dim);
  parse(kLossNames, json.at("loss").get<std::string>(), spec.loss);
  require(!spec.lengths.empty() && spec.lengths.size() <= LabelSpace::kMaxHeads,
          "{} head lengths; expected 1 to {}", spec.lengths.size(), LabelSpace::kMaxHeads);
  require(std::find(spec.lengths.begin(), spec.lengths.end(), 0U) == spec.lengths.end(),
          "a head of length 0");
  spec.own = head_type(kind).own;
  std::visit([&](auto& own) { own.visit(own, SpecReader{json}); }, spec.own);
  return spec;
}

}  // namespace mhe::heads
