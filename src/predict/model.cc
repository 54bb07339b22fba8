// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The public face of models and their files.
#include "model/model.h"

#include <utility>

#include <mhe/context.h>
#include <mhe/model.h>

#include "model/container.h"

namespace mhe {
namespace {

// The card of a file of ours, or of another's.
template <class File>
FileCard describe(const File& file, std::uint64_t header_bytes) {
  FileCard card;
  card.header_bytes = header_bytes;
  for (const model::TensorInfo& tensor : file.tensors()) {
    card.tensors.push_back({tensor.name, std::string(model::name_of(tensor.dtype)), tensor.shape,
                            tensor.num_bytes(), header_bytes + tensor.begin});
  }
  return card;
}

bool is_model(const model::SafetensorsFile& file) {
  const auto format = file.metadata().find(model::kFormatKey);
  return format != file.metadata().end() && format->second == model::kFormatName;
}

FileCard describe_model(const model::ModelFile& file, const Context* verify) {
  FileCard card = describe(file, file.header_bytes());
  card.format_version = file.format_version();
  card.mhe_version = file.metadata(model::kMheVersionKey);
  card.file_bytes = file.file_bytes();
  card.padding_bytes = file.padding_bytes();
  for (const auto& [key, value] : file.all_metadata()) {
    if (!model::is_container_key(key)) card.metadata.emplace(key, value);
  }
  if (verify != nullptr) card.damaged = file.find_damage(*verify);
  return card;
}

}  // namespace

Model Model::open(const std::string& path, Verify verify) {
  constexpr std::uint64_t kSmall = 256'000'000;  // bytes
  std::shared_ptr<const model::Model> opened = model::Model::open(path);
  const bool is_small = opened->file().file_bytes() <= kSmall;
  if (verify == Verify::kAll || (verify == Verify::kIfSmall && is_small)) {
    opened->file().verify(Context({.threads = 1}));
  }
  return Model(std::move(opened));
}

std::size_t Model::num_labels() const noexcept {
  return impl_->num_labels();
}

std::size_t Model::num_features() const noexcept {
  return impl_->num_features();
}

InputKind Model::input_kind() const noexcept {
  return impl_->input_kind();
}

std::vector<std::string> Model::text_fields() const {
  return impl_->text_fields();
}

ReadOptions Model::read_options(std::string path) const {
  ReadOptions options;
  options.path = std::move(path);
  options.expected_text = impl_->text_fields();
  options.expected = impl_->layout();
  return options;
}

HeadKind Model::head_kind() const noexcept {
  return impl_->head_kind();
}

bool Model::predicts_sets() const noexcept {
  return impl_->predicts_sets();
}

std::string Model::label_name(LabelId label) const {
  return impl_->label_name(label);
}

LabelNames Model::label_names() const {
  return impl_->label_names();
}

std::optional<LabelId> Model::find_label(std::string_view name) const {
  return impl_->label_names().find(name);
}

std::uint64_t Model::training_rows() const noexcept {
  return impl_->training_rows();
}

std::span<const std::uint32_t> Model::label_counts() const noexcept {
  return impl_->label_counts();
}

std::vector<std::uint64_t> Model::head_choices() const {
  const auto targets = impl_->members().front()->head_targets(impl_->num_labels());
  return targets ? targets->choices() : std::vector<std::uint64_t>();
}

void Model::verify(const Context& context) const {
  impl_->file().verify(context);
}

std::string describe_damage(std::span<const std::string> damaged) {
  return model::describe_damage(damaged);
}

std::string printable(std::string_view text, std::size_t max_bytes) {
  return model::printable(text, max_bytes);
}

std::string in_quotes(std::string_view name) {
  return model::in_quotes(name);
}

FileCard read_card(const std::string& path, const Context* verify) {
  model::SafetensorsFile file(MappedFile::open(path));
  if (is_model(file)) return describe_model(model::ModelFile(std::move(file)), verify);
  FileCard card = describe(file, file.data_start());
  card.file_bytes = file.bytes().size();
  card.metadata = file.metadata();
  return card;
}

}  // namespace mhe
