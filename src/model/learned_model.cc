// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/learned_model.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mhe/error.h>

#include "base/check.h"
#include "heads/registry.h"
#include "model/file_error.h"
#include "model/spec_json.h"

namespace mhe::model {
namespace {

std::string prefix_of(std::size_t member, std::string_view part) {
  return fmt::format("member{}.{}.", member, part);
}

// The parameters of an encoder, named as make_view() asks for them.
void add_encoder(ModelFileWriter& writer, const std::string& prefix,
                 const encoders::EncoderView& view) {
  std::size_t next = 0;
  const std::vector<encoders::ParameterShape> shapes = encoders::parameter_shapes(view.spec);
  const auto add = [&](std::span<const float> values) {
    writer.add_tensor<float>(prefix + shapes[next].name, shapes[next].shape, values);
    ++next;
  };
  if (view.spec.input == InputKind::kDense) {
    add(view.mean);
    add(view.scale);
  }
  for (const encoders::EncoderView::Layer& layer : view.layers) {
    add(layer.weights);
    add(layer.bias);
  }
}

void add_head(ModelFileWriter& writer, const std::string& prefix,
              std::span<const heads::HeadTensor> tensors) {
  for (const heads::HeadTensor& tensor : tensors) {
    std::visit(
        [&](auto values) {
          using Value = typename decltype(values)::value_type;
          writer.add_tensor<Value>(prefix + tensor.name, tensor.shape, values);
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
    case Dtype::kU32:
      tensor.data = file.tensor<std::uint32_t>(info.name);
      break;
    default:
      fail(ErrorCode::kInvalidData, "{}: {} is of type {}; expected F32 or U32", file.path(),
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
    add_encoder(writer, prefix_of(m, "encoder"), member.encoder);
    add_head(writer, prefix_of(m, "head"), member.tensors);
    members.push_back(
        {{"encoder", to_json(member.encoder.spec)}, {"head", heads::to_json(member.head)}});
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
        encoder_spec_from(card.at("encoder")), [&](const encoders::ParameterShape& expected) {
          return file().tensor<float>(prefix_of(index, "encoder") + expected.name,
                                      {.shape = expected.shape});
        });
    member.head = heads::head_spec_from(card.at("head"));
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
