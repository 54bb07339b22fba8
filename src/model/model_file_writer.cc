// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/model_file_writer.h"

#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mhe/context.h>

#include "base/check.h"
#include "base/checked.h"
#include "base/checksum.h"
#include "model/container.h"

namespace mhe::model {
namespace {

constexpr std::array<std::byte, kTensorAlignment> kZeros = {};

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A JSON string. The library's error for text that is not UTF-8 becomes ours.
std::string to_json(std::string_view text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    fail(ErrorCode::kInvalidArgument, "a model file holds UTF-8 only, not {}", in_quotes(text));
  }
}

std::uint64_t padding_after(std::uint64_t position) {
  return (kTensorAlignment - position % kTensorAlignment) % kTensorAlignment;
}

}  // namespace

void ModelFileWriter::add_tensor(std::string name, Dtype dtype, Shape shape,
                                 std::span<const std::byte> bytes) {
  require(!name.empty() && !name.starts_with(kReservedPrefix),
          "a tensor cannot be called {}: empty names and those that begin with {} are reserved",
          in_quotes(name), kReservedPrefix);
  const std::uint64_t needed = count_bytes(dtype, shape, in_quotes(name));
  require(needed == bytes.size(), "tensor {} is given {} bytes; its dtype and shape need {}",
          in_quotes(name), bytes.size(), needed);
  require(names_.insert(name).second, "there is a tensor {} already", in_quotes(name));
  if (!bytes.empty()) pad();
  append({{std::move(name), dtype, std::move(shape)}, bytes});
}

void ModelFileWriter::add_strings(const std::string& name, const Strings& strings) {
  add_tensor(name, Shape{strings.items.size()}, std::span<const char>(strings.items));
  add_tensor(name + std::string(kOffsetsSuffix), Shape{strings.offsets.size()},
             std::span<const std::uint64_t>(strings.offsets));
}

void ModelFileWriter::set_metadata(std::string key, std::string value) {
  require(!is_container_key(key), "the metadata key {} is set by the container itself",
          in_quotes(key));
  metadata_.insert_or_assign(std::move(key), std::move(value));
}

// The format allows no bytes that belong to no tensor, so a gap is a tensor too.
void ModelFileWriter::pad() {
  const std::uint64_t gap = padding_after(entries_.empty() ? 0 : entries_.back().info.end);
  if (gap == 0) return;
  append({{fmt::format("{}{}", kPadPrefix, num_pads_++), Dtype::kU8, Shape{gap}},
          std::span(kZeros).first(gap),
          true});
}

void ModelFileWriter::append(Entry entry) {
  entry.info.begin = entries_.empty() ? 0 : entries_.back().info.end;
  entry.info.end = checked_add<std::uint64_t>(entry.info.begin, entry.bytes.size(), "model file");
  entries_.push_back(std::move(entry));
}

std::string ModelFileWriter::make_checksums() const {
  std::string json;
  for (const Entry& entry : entries_) {
    if (entry.is_padding) continue;
    json += fmt::format("{}{}:\"{}\"", json.empty() ? "{" : ",", to_json(entry.info.name),
                        format_checksum(checksum64(entry.bytes)));
  }
  return json.empty() ? "{}" : json + "}";
}

// The length, the header and its padding, sealed.
std::string ModelFileWriter::make_header() const {
  std::map<std::string, std::string, std::less<>> metadata = metadata_;
  metadata.emplace(kChecksumsKey, make_checksums());
  metadata.emplace(kFormatVersionKey, fmt::format("{}", kFormatVersion));
  metadata.emplace(kMheVersionKey, version());
  std::string text(kLengthBytes, '\0');
  text += fmt::format("{}{:0>{}}\"", kHeaderStart, "", kChecksumDigits);
  for (const auto& [key, value] : metadata) {
    text += fmt::format(",{}:{}", to_json(key), to_json(value));
  }
  text += '}';
  for (const Entry& entry : entries_) {
    text += fmt::format(R"(,{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                        to_json(entry.info.name), name_of(entry.info.dtype),
                        fmt::join(entry.info.shape, ","), entry.info.begin, entry.info.end);
  }
  text += '}';
  text.append(padding_after(text.size()), ' ');
  const std::uint64_t length = text.size() - kLengthBytes;
  if (length > kMaxHeaderBytes) {
    fail(ErrorCode::kResourceLimit, "{}: the header would have {} bytes; at most {} are allowed",
         file_.path(), length, kMaxHeaderBytes);
  }
  std::memcpy(text.data(), &length, sizeof(length));
  seal_header(std::as_writable_bytes(std::span(text)));
  return text;
}

void ModelFileWriter::commit() {
  require(!std::exchange(is_committed_, true), "{} has been written already", file_.path());
  file_.write(make_header());
  for (const Entry& entry : entries_) file_.write(as_text(entry.bytes));
  file_.commit();
}

}  // namespace mhe::model
