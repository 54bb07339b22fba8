// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/dense_member.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mhe/error.h>

#include "base/check.h"
#include "encoders/registry.h"
#include "heads/registry.h"

namespace mhe::model {
namespace {

std::string prefix_of(const std::string& prefix, std::size_t member, std::string_view part) {
  return fmt::format("{}member{}.{}.", prefix, member, part);
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
      fail_file(file.path(), "{} is of type {}; expected F32 or U32", info.name,
                name_of(info.dtype));
  }
  return tensor;
}

DenseParts open_parts(const MembersPlace& place, std::size_t index, const nlohmann::json& card) {
  const ModelFile& file = place.file;
  DenseParts parts;
  try {
    const std::string prefix = prefix_of(place.prefix, index, "encoder");
    parts.encoder = encoders::make_view(
        encoders::spec_from_json(card.at("encoder")), [&](const encoders::TensorShape& expected) {
          return file.tensor<float>(prefix + expected.name, {.shape = expected.shape});
        });
    parts.head = heads::head_spec_from(card.at("head"));
  } catch (const Error& error) {
    // A spec that cannot be is the caller's mistake elsewhere; here it is the file's.
    if (error.code() == ErrorCode::kInvalidData) throw;
    fail_file(file.path(), "{}", error.what());
  }
  const std::string prefix = prefix_of(place.prefix, index, "head");
  for (const TensorInfo& info : file.tensors()) {
    if (!info.name.starts_with(prefix)) continue;
    parts.tensors.push_back(open_tensor(file, info, info.name.substr(prefix.size())));
  }
  return parts;
}

void check_member(const MembersPlace& place, const DenseMember& member) {
  const encoders::EncoderSpec& spec = member.parts().encoder.spec;
  const heads::HeadSpec& head = member.parts().head;
  if (spec.num_inputs != place.num_features || head.dim != spec.dim ||
      head.num_labels != place.num_labels) {
    fail_file(place.file.path(), "encoder, head and labels do not fit each other");
  }
  try {
    (void)member.make_search(place.num_labels);  // looks at the sizes
  } catch (const Error& error) {
    fail_file(place.file.path(), "{}", error.what());
  }
}

class DenseMemberSearch final : public MemberSearch {
 public:
  DenseMemberSearch(std::unique_ptr<encoders::BatchEncoder> encoder,
                    std::unique_ptr<heads::DenseSearch> head, std::size_t num_labels)
      : encoder_(std::move(encoder)), head_(std::move(head)), num_labels_(num_labels) {}

  void begin(const InputBatch& rows) override { features_ = encoder_->encode(rows); }

  void search(std::size_t row, const SearchDepth& depth, std::vector<ScoredLabel>& found) override {
    for (const auto& [label, score] : head_->search(features_[row], depth.labels, depth.beam)) {
      if (index_of(label) < num_labels_) found.push_back({label, score});
    }
  }

  [[nodiscard]] std::span<const std::uint32_t> best_choices() const override {
    return head_->best_choices();
  }
  [[nodiscard]] double phantom_mass() const override { return head_->phantom_mass(); }
  [[nodiscard]] std::vector<LabelSet> best_sets(std::size_t k) override {
    return head_->best_sets(k);
  }

 private:
  std::unique_ptr<encoders::BatchEncoder> encoder_;
  std::unique_ptr<heads::DenseSearch> head_;
  std::size_t num_labels_;
  MatrixView features_;
};

}  // namespace

heads::FindTensor DenseMember::find_tensor() const {
  return [this](std::string_view name) -> const heads::HeadTensor* {
    const auto found = std::find_if(parts_.tensors.begin(), parts_.tensors.end(),
                                    [&](const auto& tensor) { return tensor.name == name; });
    return found == parts_.tensors.end() ? nullptr : &*found;
  };
}

bool DenseMember::predicts_sets() const noexcept {
  return parts_.head.has_code(heads::ProductCode::kPowerset);
}

std::unique_ptr<MemberSearch> DenseMember::make_search(std::size_t num_labels) const {
  return std::make_unique<DenseMemberSearch>(encoders::open_encoder(parts_.encoder),
                                             heads::DenseSearch::make(parts_.head, find_tensor()),
                                             num_labels);
}

std::optional<HeadTargets> DenseMember::head_targets(std::size_t num_labels) const {
  return HeadTargets::of(parts_.head, find_tensor(), num_labels);
}

void DenseMember::write(ModelFileWriter& writer, const std::string& prefix, std::size_t index,
                        nlohmann::ordered_json& card) const {
  add_encoder(writer, prefix_of(prefix, index, "encoder"), parts_.encoder.tensors);
  add_head(writer, prefix_of(prefix, index, "head"), parts_.tensors);
  card["members"].push_back(
      {{"encoder", encoders::to_json(parts_.encoder.spec)}, {"head", heads::to_json(parts_.head)}});
}

Members open_dense_members(const MembersPlace& place, const nlohmann::json& card) {
  Members members;
  const nlohmann::json& list = card.at("members");
  for (std::size_t m = 0; m < list.size(); ++m) {
    auto member = std::make_unique<DenseMember>(open_parts(place, m, list.at(m)));
    check_member(place, *member);
    members.push_back(std::move(member));
  }
  if (members.empty()) fail_file(place.file.path(), "a model of no member");
  return members;
}

}  // namespace mhe::model
