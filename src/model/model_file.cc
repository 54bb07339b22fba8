// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/model_file.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/checksum.h"
#include "base/parallel.h"
#include "model/container.h"

namespace mhe::model {
namespace {

bool is_padding(const TensorInfo& tensor) noexcept {
  return tensor.name.starts_with(kPadPrefix);
}

std::string format_shape(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

}  // namespace

ModelFile ModelFile::open(const std::string& path) {
  return ModelFile(SafetensorsFile(MappedFile::open(path)));
}

ModelFile::ModelFile(SafetensorsFile file) : file_(std::move(file)) {
  // The version first: what follows is true of this version only.
  read_format_version();
  check_header_checksum();
  (void)metadata(kMheVersionKey);
  read_tensors();
  read_checksums();
}

void ModelFile::read_format_version() {
  const std::string* format = find_metadata(kFormatKey);
  if (format == nullptr || *format != kFormatName) {
    fail_file(path(), "a safetensors file, but not an mhe model: its metadata lack \"{}\": \"{}\"",
              kFormatKey, kFormatName);
  }
  const std::string& text = metadata(kFormatVersionKey);
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, format_version_);
  if (status != std::errc() || stop != end || format_version_ == 0) {
    fail_file(path(), "{} is {}; expected a number from 1", kFormatVersionKey, in_quotes(text));
  }
  if (format_version_ > kFormatVersion) {
    fail_file(path(), "this file has format version {}; this mhe reads up to {}", format_version_,
              kFormatVersion);
  }
}

void ModelFile::check_header_checksum() const {
  const auto checksum = check_header(file_.bytes().first(file_.data_start()));
  if (!checksum) {
    fail_file(path(), "the header does not begin as mhe writes it; did another program save it?");
  }
  const std::string expected = format_checksum(checksum->computed);
  if (checksum->stored != expected) {
    fail_file(path(), "the header is damaged: its checksum is {}, the file says {}", expected,
              in_quotes(checksum->stored));
  }
}

void ModelFile::read_tensors() {
  if (file_.data_start() % kTensorAlignment != 0) {
    fail_file(path(), "the data begin at byte {}, which is no multiple of {}", file_.data_start(),
              kTensorAlignment);
  }
  for (const TensorInfo& tensor : file_.tensors()) {
    if (is_padding(tensor)) {
      if (tensor.dtype != Dtype::kU8 || tensor.num_bytes() >= kTensorAlignment) {
        fail_file(path(), "tensor {} is no padding: it has {} bytes of {}", in_quotes(tensor.name),
                  tensor.num_bytes(), name_of(tensor.dtype));
      }
      padding_bytes_ += tensor.num_bytes();
      continue;
    }
    if (tensor.num_bytes() > 0 && tensor.begin % kTensorAlignment != 0) {
      fail_file(path(), "tensor {} begins at byte {} of the data, which is no multiple of {}",
                in_quotes(tensor.name), tensor.begin, kTensorAlignment);
    }
    tensors_.push_back(tensor);
  }
}

void ModelFile::read_checksums() {
  std::vector<std::optional<std::uint64_t>> found(file_.tensors().size());
  const auto take = [&](const std::string& name, const std::string& digits) {
    const auto checksum = parse_checksum(digits);
    const TensorInfo* tensor = file_.find(name);
    if (tensor == nullptr || is_padding(*tensor) || !checksum) {
      fail_file(path(), "the metadata's {} make no sense for {}", kChecksumsKey, in_quotes(name));
    }
    auto& place = found[static_cast<std::size_t>(tensor - file_.tensors().data())];
    if (place) {
      fail_file(path(), "the metadata's {} name {} twice", kChecksumsKey, in_quotes(name));
    }
    place = checksum;
  };
  // A name twice is seen on the way: the object that comes out would have it once.
  std::string name;
  bool are_strings = true;
  const auto watch = [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    const bool is_whole = depth == 0;
    if (depth == 1 && event == Event::key) {
      name = parsed.get<std::string>();
    } else if (depth == 1 && event == Event::value && parsed.is_string() && are_strings) {
      take(name, parsed.get<std::string>());
    } else {
      are_strings = are_strings && is_whole && event != Event::array_start;
    }
    return is_whole || depth == 1;
  };
  const auto object = nlohmann::json::parse(metadata(kChecksumsKey), watch, false);
  if (!object.is_object() || !are_strings) {
    fail_file(path(), "the metadata's {} are no JSON object of strings", kChecksumsKey);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const TensorInfo& tensor = file_.tensors()[i];
    if (is_padding(tensor)) continue;
    if (!found[i]) fail_file(path(), "tensor {} has no checksum", in_quotes(tensor.name));
    checksums_.push_back(*found[i]);
  }
}

const std::string& ModelFile::metadata(std::string_view key) const {
  const std::string* value = find_metadata(key);
  if (value == nullptr) fail_file(path(), "the metadata lack {}", in_quotes(key));
  return *value;
}

const std::string* ModelFile::find_metadata(std::string_view key) const noexcept {
  const auto place = file_.metadata().find(key);
  return place == file_.metadata().end() ? nullptr : &place->second;
}

const TensorInfo& ModelFile::tensor_info(std::string_view name) const {
  const TensorInfo* tensor = file_.find(name);
  if (tensor == nullptr) fail_file(path(), "there is no tensor {}", in_quotes(name));
  return *tensor;
}

std::span<const std::byte> ModelFile::tensor_bytes(std::string_view name, Dtype dtype,
                                                   std::size_t element_bytes,
                                                   const std::optional<Shape>& shape) const {
  MHE_ASSERT(size_of(dtype) == element_bytes);
  const TensorInfo& tensor = tensor_info(name);
  if (tensor.dtype != dtype) {
    fail_file(path(), "tensor {} has dtype {}; expected {}", in_quotes(name), name_of(tensor.dtype),
              name_of(dtype));
  }
  if (shape && tensor.shape != *shape) {
    fail_file(path(), "tensor {} has shape {}; expected {}", in_quotes(name),
              format_shape(tensor.shape), format_shape(*shape));
  }
  if (tensor.num_bytes() == 0) return {};  // may lie anywhere, so it has no aligned address
  return file_.bytes_of(tensor);
}

StringsView ModelFile::strings(std::string_view name) const {
  const auto characters = tensor<char>(name);
  const auto offsets = tensor<std::uint64_t>(std::string(name) + std::string(kOffsetsSuffix));
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != characters.size()) {
    fail_file(path(), "the offsets of the strings {} do not go from 0 to {}", in_quotes(name),
              characters.size());
  }
  const auto fall = std::adjacent_find(offsets.begin(), offsets.end(), std::greater<>());
  if (fall != offsets.end()) {
    fail_file(path(), "string {} of {} ends before it begins", fall - offsets.begin(),
              in_quotes(name));
  }
  return {characters, offsets};
}

bool ModelFile::is_damaged(std::size_t tensor) const noexcept {
  return checksum64(file_.bytes_of(tensors_[tensor])) != checksums_[tensor];
}

bool ModelFile::is_padding_damaged() const noexcept {
  return std::any_of(file_.tensors().begin(), file_.tensors().end(), [&](const TensorInfo& tensor) {
    const std::span<const std::byte> bytes = file_.bytes_of(tensor);
    return is_padding(tensor) && std::any_of(bytes.begin(), bytes.end(),
                                             [](std::byte value) { return value != std::byte{0}; });
  });
}

std::vector<std::string> ModelFile::find_damage(const Context& context) const {
  std::vector<char> damaged(tensors_.size(), 0);
  parallel_for(context, tensors_.size(),
               [&](std::size_t i) { damaged[i] = is_damaged(i) ? 1 : 0; });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    if (damaged[i] != 0) names.push_back(tensors_[i].name);
  }
  if (is_padding_damaged()) names.emplace_back(kPadPrefix);
  return names;
}

void ModelFile::verify(const Context& context) const {
  const std::vector<std::string> damaged = find_damage(context);
  if (!damaged.empty()) fail_file(path(), "{}", describe_damage(damaged));
}

std::string describe_damage(std::span<const std::string> damaged) {
  MHE_ASSERT(!damaged.empty());
  const std::string others =
      damaged.size() == 1 ? std::string() : fmt::format(", nor do {} others", damaged.size() - 1);
  return fmt::format("damaged: tensor {} does not match its checksum{}", in_quotes(damaged.front()),
                     others);
}

}  // namespace mhe::model
