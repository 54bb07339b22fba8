// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/learned_model.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mhe/error.h>

#include "base/check.h"
#include "encoders/registry.h"
#include "model/file_error.h"
#include "model/spec_json.h"

namespace mhe::model {
namespace {

std::string prefix_of(std::size_t member, std::string_view part) {
  return fmt::format("member{}.{}.", member, part);
}

void add_encoder(ModelFileWriter& writer, const std::string& prefix,
                 std::span<const encoders::EncoderTensor> tensors) {
  for (const encoders::EncoderTensor& tensor : tensors) {
    writer.add_tensor<float>(prefix + tensor.name, tensor.shape, tensor.values);
  }
}

void add_head(ModelFileWriter& writer, const std::string& prefix,
              std::span<const heads::HeadTensor> tensors) {
  for (const heads::HeadTensor& tensor : tensors) {
    std::visit(
        [&](auto values) {
          // Two bytes are bf16, which has no type of its own.
          using Value = typename decltype(values)::value_type;
          const Dtype dtype = std::is_same_v<Value, std::uint16_t> ? Dtype::kBF16 : kDtypeOf<Value>;
          writer.add_tensor(prefix + tensor.name, dtype, tensor.shape, std::as_bytes(values));
        },
        tensor.data);
  }
}

heads::HeadTensor open_tensor(const ModelFile& file, const TensorInfo& info, std::string name) {
  heads::HeadTensor tensor = {std::move(name), info.shape, {}};
  switch (info.dtype) {
    case Dtype::kF32:
      tensor.data = file.tensor<float>(info.name);
      break;
    case Dtype::kBF16:
      tensor.data = file.tensor<std::uint16_t>(info.name, {.dtype = Dtype::kBF16});
      break;
    case Dtype::kU32:
      tensor.data = file.tensor<std::uint32_t>(info.name);
      break;
    default:
      fail(ErrorCode::kInvalidData, "{}: {} is of type {}; expected F32, BF16 or U32", file.path(),
           info.name, name_of(info.dtype));
  }
  return tensor;
}

}  // namespace

heads::FindTensor LearnedMember::find_tensor() const {
  return [this](std::string_view name) -> const heads::HeadTensor* {
    const auto found = std::find_if(tensors.begin(), tensors.end(),
                                    [&](const auto& tensor) { return tensor.name == name; });
    return found == tensors.end() ? nullptr : &*found;
  };
}

void write_learned(const std::string& path, const TrainedLearned& trained) {
  ModelFileWriter writer(path);
  PartsWriter parts(writer, trained.parts);
  parts.add_labels();
  nlohmann::ordered_json members = nlohmann::ordered_json::array();
  for (std::size_t m = 0; m < trained.members.size(); ++m) {
    const LearnedMember& member = trained.members[m];
    add_encoder(writer, prefix_of(m, "encoder"), member.encoder.tensors);
    add_head(writer, prefix_of(m, "head"), member.tensors);
    members.push_back({{"encoder", to_json(member.encoder.spec)}, {"head", to_json(member.head)}});
  }
  parts.finish(kLearnedKind, {{"members", members}});
  writer.commit();
}

LearnedModel::LearnedModel(ModelFile file) : Model(std::move(file), kLearnedKind) {
  const nlohmann::json card = this->card();
  try {
    const nlohmann::json& members = card.at("members");
    for (std::size_t m = 0; m < members.size(); ++m) {
      members_.push_back(load_member(m, members.at(m)));
    }
  } catch (const nlohmann::json::exception& error) {
    refuse_card(error);
  }
  if (members_.empty()) {
    fail(ErrorCode::kInvalidData, "{}: a model of no member", this->file().path());
  }
  for (const LearnedMember& member : members_) check_member(member);
  if (vectorizer() == nullptr && members_[0].encoder.spec.input == InputKind::kDense) {
    set_input_kind(InputKind::kDense);
  }
}

LearnedMember LearnedModel::load_member(std::size_t index, const nlohmann::json& card) const {
  LearnedMember member;
  try {
    member.encoder = encoders::make_view(
        encoders::spec_from_json(card.at("encoder")), [&](const encoders::TensorShape& expected) {
          return file().tensor<float>(prefix_of(index, "encoder") + expected.name,
                                      {.shape = expected.shape});
        });
    member.head = head_spec_from(card.at("head"));
  } catch (const Error& error) {
    // A spec that cannot be is the caller's mistake elsewhere; here it is the file's.
    if (error.code() == ErrorCode::kInvalidData) throw;
    fail_file(file().path(), "{}", error.what());
  }
  const std::string prefix = prefix_of(index, "head");
  for (const TensorInfo& info : file().tensors()) {
    if (!info.name.starts_with(prefix)) continue;
    member.tensors.push_back(open_tensor(file(), info, info.name.substr(prefix.size())));
  }
  return member;
}

void LearnedModel::check_member(const LearnedMember& member) const {
  const encoders::EncoderSpec& spec = member.encoder.spec;
  const bool same_input = spec.input == members_[0].encoder.spec.input;
  if (!same_input || spec.num_inputs != num_features() || member.head.dim != spec.dim ||
      member.head.num_labels != num_labels()) {
    fail(ErrorCode::kInvalidData, "{}: encoder, head and labels do not fit each other",
         file().path());
  }
  if (vectorizer() != nullptr && spec.input == InputKind::kDense) {
    fail(ErrorCode::kInvalidData, "{}: text for an encoder of dense vectors", file().path());
  }
  try {
    (void)heads::DenseSearch::make(member.head, member.find_tensor());  // looks at the sizes
  } catch (const Error& error) {
    fail_file(file().path(), "{}", error.what());
  }
}

}  // namespace mhe::model
