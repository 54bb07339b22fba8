// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// A Vectorizer as bytes. All numbers little-endian:
//
//   magic      8 bytes, "mhe-text"
//   version    u32, 1
//   parts      u32
//   documents, features, bytes of options, bytes of terms: u64 each
//   options    JSON
//   part_offsets[1..]  u64 each
//   df         u32 for each feature
//   idf        f32 for each feature
//   sizes      u32 for each term; none where terms are hashed
//   terms      bytes, end to end
//   checksum   u64, hash_bytes() of all before it
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/checked.h"
#include "text/hash.h"
#include "text/vectorizer.h"

namespace mhe::text {
namespace {

constexpr std::string_view kMagic = "mhe-text";
constexpr std::uint32_t kVersion = 1;

template <class T>
void put(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
void put_all(std::string& out, std::span<const T> values) {
  if (!values.empty()) {
    out.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
}

[[noreturn]] void fail_read(std::string_view what) {
  fail(ErrorCode::kInvalidData, "saved vocabulary: {}", what);
}

// Takes values from the front of bytes that cannot be trusted.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }

  std::string_view take_bytes(std::uint64_t size) {
    if (size > bytes_.size()) fail_read("it ends too early");
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  template <class T>
  T take() {
    T value;
    std::memcpy(&value, take_bytes(sizeof value).data(), sizeof value);
    return value;
  }

  // Checks that the bytes are there before it asks for the memory.
  template <class T>
  std::vector<T> take_all(std::uint64_t count) {
    const std::string_view taken = take_bytes(checked_mul<std::uint64_t>(count, sizeof(T), "size"));
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), taken.data(), taken.size());
    return values;
  }

 private:
  std::string_view bytes_;
};

std::string_view without_checksum(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) fail_read("it does not start as one");
  if (bytes.size() < kMagic.size() + sizeof(std::uint64_t)) fail_read("it ends too early");
  const std::string_view content = bytes.substr(0, bytes.size() - sizeof(std::uint64_t));
  const auto checksum = ByteReader(bytes.substr(content.size())).take<std::uint64_t>();
  if (checksum != hash_bytes(content)) fail_read("its checksum is wrong; the file is damaged");
  return content;
}

Strings take_strings(ByteReader& reader, std::uint64_t count, std::uint64_t num_bytes) {
  const auto sizes = reader.take_all<std::uint32_t>(count);
  Strings strings;
  strings.offsets.reserve(count + 1);
  for (const std::uint32_t size : sizes) strings.offsets.push_back(strings.offsets.back() + size);
  if (strings.offsets.back() != num_bytes) fail_read("the sizes of the terms do not add up");
  strings.items = reader.take_all<char>(num_bytes);
  return strings;
}

}  // namespace

std::string Vectorizer::write() const {
  const std::string options = options_to_json(options_);
  std::string out(kMagic);
  put(out, kVersion);
  put(out, static_cast<std::uint32_t>(parts_.size()));
  for (const std::uint64_t number :
       {view_.num_documents, std::uint64_t{num_features()}, std::uint64_t{options.size()},
        std::uint64_t{view_.terms.size()}}) {
    put(out, number);
  }
  out += options;
  put_all(out, view_.part_offsets.subspan(1));
  put_all(out, view_.df);
  put_all(out, view_.idf);
  for (std::size_t i = 0; i < table_.num_columns(); ++i) {
    put(out, static_cast<std::uint32_t>(table_.spelling(i).size()));
  }
  put_all(out, view_.terms);
  put(out, hash_bytes(out));
  return out;
}

Vectorizer Vectorizer::read(std::string_view bytes) {
  ByteReader reader(without_checksum(bytes));
  reader.take_bytes(kMagic.size());
  const auto version = reader.take<std::uint32_t>();
  if (version != kVersion) {
    fail(ErrorCode::kInvalidData, "saved vocabulary: version {} is not known; expected {}", version,
         kVersion);
  }
  const auto num_parts = reader.take<std::uint32_t>();
  VectorizerArrays arrays;
  arrays.num_documents = reader.take<std::uint64_t>();
  const auto num_features = reader.take<std::uint64_t>();
  const auto options_size = reader.take<std::uint64_t>();
  const auto terms_size = reader.take<std::uint64_t>();
  TextOptions options = options_from_json(reader.take_bytes(options_size));
  arrays.part_offsets = reader.take_all<std::uint64_t>(num_parts);
  arrays.part_offsets.insert(arrays.part_offsets.begin(), 0);
  arrays.df = reader.take_all<std::uint32_t>(num_features);
  arrays.idf = reader.take_all<float>(num_features);
  arrays.terms = take_strings(reader, options.hash_bits == 0 ? num_features : 0, terms_size);
  if (!reader.empty()) fail_read("there is more than it says");
  return {std::move(options), std::move(arrays)};
}

}  // namespace mhe::text
