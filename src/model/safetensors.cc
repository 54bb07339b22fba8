// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mhe::model {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are mapped as they are");

struct DtypeFacts {
  std::string_view name;
  std::size_t size;
};

// In the order of the enumerators.
constexpr std::array<DtypeFacts, 17> kFacts = {{{"U8", 1},
                                                {"I8", 1},
                                                {"U16", 2},
                                                {"F16", 2},
                                                {"BF16", 2},
                                                {"I32", 4},
                                                {"U32", 4},
                                                {"F32", 4},
                                                {"I64", 8},
                                                {"U64", 8},
                                                {"F64", 8},
                                                {"BOOL", 1},
                                                {"I16", 2},
                                                {"F8_E4M3", 1},
                                                {"F8_E5M2", 1},
                                                {"F8_E8M0", 1},
                                                {"C64", 8}}};
static_assert(kFacts.size() == static_cast<std::size_t>(Dtype::kC64) + 1);

// Where the header ends, from the file's first 8 bytes.
std::uint64_t header_end(const MappedFile& file) {
  const std::size_t size = file.bytes().size();
  if (size <= kLengthBytes) {
    fail_file(file.path(), "not a safetensors file: {} bytes are too few to hold a header", size);
  }
  std::uint64_t length = 0;
  std::memcpy(&length, file.bytes().data(), sizeof(length));
  if (file.bytes()[kLengthBytes] != std::byte{'{'}) {
    fail_file(file.path(), "not a safetensors file: no JSON object at byte {}", kLengthBytes);
  }
  if (length > kMaxHeaderBytes) {
    fail_file(file.path(), "the header is said to have {} bytes; at most {} are allowed", length,
              kMaxHeaderBytes);
  }
  if (length > size - kLengthBytes) {
    fail_file(file.path(), "ends early: the header has {} bytes and the whole file {}", length,
              size);
  }
  return kLengthBytes + length;
}

// Takes the header's JSON piece by piece, so that what appears twice is seen and nothing nests
// deeper than it may. `where_` is what a message names when the JSON itself is broken.
class HeaderParser : public nlohmann::json_sax<nlohmann::json> {
 public:
  HeaderParser(const std::string& path, std::map<std::string, std::string, std::less<>>& metadata,
               std::vector<TensorInfo>& tensors)
      : path_(path), metadata_(metadata), tensors_(tensors) {}

  void parse(std::span<const std::byte> header) {
    const auto* const begin = reinterpret_cast<const char*>(header.data());
    (void)nlohmann::json::sax_parse(begin, begin + header.size(), this);
    // The parser takes a byte of 0 for the end.
    if (std::find(header.begin(), header.end(), std::byte{0}) != header.end()) {
      fail_file(path_, "the header has something after its closing brace");
    }
  }

  bool start_object(std::size_t /*size*/) override {
    if (place_ == Place::kOutside) return enter(Place::kEntries);
    if (place_ != Place::kEntries) refuse("an object");
    if (key_ == kMetadataKey) {
      if (std::exchange(has_metadata_, true)) fail_file(path_, "{} appears twice", kMetadataKey);
      return enter(Place::kMetadata);
    }
    tensor_ = TensorInfo();
    tensor_.name = key_;
    seen_ = 0;
    return enter(Place::kTensor);
  }

  bool key(string_t& key) override {
    key_ = key;
    where_ = place_ == Place::kMetadata
                 ? fmt::format("at {} in {}", in_quotes(key_), kMetadataKey)
                 : "at " + in_quotes(place_ == Place::kEntries ? key_ : tensor_.name);
    if (place_ != Place::kTensor) return true;
    const unsigned bit = field_bit();
    if (bit == 0) {
      fail_file(path_, "tensor {} has the unknown field {}", in_quotes(tensor_.name),
                in_quotes(key_));
    }
    if ((seen_ & bit) != 0) {
      fail_file(path_, "tensor {} has {} twice", in_quotes(tensor_.name), in_quotes(key_));
    }
    seen_ |= bit;
    return true;
  }

  bool end_object() override {
    if (place_ == Place::kTensor) add_tensor();
    return enter(place_ == Place::kEntries ? Place::kAfter : Place::kEntries);
  }

  bool start_array(std::size_t /*size*/) override {
    if (place_ != Place::kTensor || key_ == "dtype") refuse("an array");
    numbers_.clear();
    return enter(Place::kNumbers);
  }

  bool end_array() override {
    if (key_ == "shape") {
      tensor_.shape = numbers_;
    } else {
      if (numbers_.size() != 2) {
        fail_file(path_, "tensor {} has {} data_offsets; expected 2", in_quotes(tensor_.name),
                  numbers_.size());
      }
      tensor_.begin = numbers_[0];
      tensor_.end = numbers_[1];
    }
    return enter(Place::kTensor);
  }

  bool string(string_t& value) override {
    if (place_ == Place::kMetadata) {
      const auto [place, is_new] = metadata_.emplace(key_, std::move(value));
      if (!is_new) fail_file(path_, "{} has {} twice", kMetadataKey, in_quotes(place->first));
      return true;
    }
    if (place_ != Place::kTensor || key_ != "dtype") refuse("a string");
    const auto dtype = find_dtype(value);
    if (!dtype) {
      fail_file(path_, "tensor {} has the unknown dtype {}", in_quotes(tensor_.name),
                in_quotes(value));
    }
    tensor_.dtype = *dtype;
    return true;
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ != Place::kNumbers) refuse("a number");
    numbers_.push_back(value);
    return true;
  }

  bool null() override { refuse("null"); }
  bool boolean(bool /*value*/) override { refuse("true or false"); }
  bool number_integer(number_integer_t /*value*/) override { refuse("a negative number"); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override {
    refuse("a number that is not whole or too large");
  }
  bool binary(binary_t& /*value*/) override { refuse("binary data"); }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::json::exception& error) override {
    if (place_ == Place::kAfter) {
      fail_file(path_, "the header has something after its closing brace");
    }
    fail_file(path_, "the header is not what safetensors prescribes, {}: {}", where_, error.what());
  }

 private:
  enum class Place : std::uint8_t { kOutside, kEntries, kMetadata, kTensor, kNumbers, kAfter };

  bool enter(Place place) noexcept {
    place_ = place;
    return true;
  }

  [[noreturn]] void refuse(std::string_view what) const {
    fail_file(path_, "the header is not what safetensors prescribes, {}: {} does not belong there",
              where_, what);
  }

  [[nodiscard]] unsigned field_bit() const noexcept {
    if (key_ == "dtype") return kDtypeField;
    if (key_ == "shape") return kShapeField;
    return key_ == "data_offsets" ? kOffsetsField : 0;
  }

  void add_tensor() {
    if (seen_ != (kDtypeField | kShapeField | kOffsetsField)) {
      fail_file(path_, "tensor {} lacks one of dtype, shape, data_offsets",
                in_quotes(tensor_.name));
    }
    tensors_.push_back(std::move(tensor_));
  }

  static constexpr unsigned kDtypeField = 1;
  static constexpr unsigned kShapeField = 2;
  static constexpr unsigned kOffsetsField = 4;

  const std::string& path_;
  std::map<std::string, std::string, std::less<>>& metadata_;
  std::vector<TensorInfo>& tensors_;
  Place place_ = Place::kOutside;
  std::string key_;
  TensorInfo tensor_;
  unsigned seen_ = 0;
  std::vector<std::uint64_t> numbers_;
  std::string where_ = "at its start";
  bool has_metadata_ = false;
};

// Checks that tensors, in the order of their data, follow each other from 0 to `data_bytes`.
void check_layout(const std::string& path, const std::vector<TensorInfo>& tensors,
                  std::uint64_t data_bytes) {
  std::uint64_t end = 0;
  for (const TensorInfo& tensor : tensors) {
    const std::string name = in_quotes(tensor.name);
    if (tensor.end < tensor.begin) {
      fail_file(path, "tensor {} ends at byte {}, before it begins at {}", name, tensor.end,
                tensor.begin);
    }
    if (tensor.end > data_bytes) {
      fail_file(path, "ends early: tensor {} reaches to byte {} of the data, which has {}", name,
                tensor.end, data_bytes);
    }
    if (tensor.begin < end) {
      fail_file(path, "tensor {} begins at byte {}, inside the one before it, which ends at {}",
                name, tensor.begin, end);
    }
    if (tensor.begin > end) {
      fail_file(path, "bytes {} to {} of the data, before tensor {}, belong to no tensor", end,
                tensor.begin, name);
    }
    const std::uint64_t needed =
        count_bytes(tensor.dtype, tensor.shape, fmt::format("{}: tensor {}", path, name));
    if (needed != tensor.num_bytes()) {
      fail_file(path, "tensor {} has {} bytes; its dtype and shape need {}", name,
                tensor.num_bytes(), needed);
    }
    end = tensor.end;
  }
  if (end != data_bytes) {
    fail_file(path, "{} bytes after the last tensor belong to no tensor", data_bytes - end);
  }
}

}  // namespace

std::string_view name_of(Dtype dtype) noexcept {
  return kFacts[static_cast<std::size_t>(dtype)].name;
}

std::size_t size_of(Dtype dtype) noexcept {
  return kFacts[static_cast<std::size_t>(dtype)].size;
}

std::optional<Dtype> find_dtype(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kFacts.size(); ++i) {
    if (kFacts[i].name == name) return static_cast<Dtype>(i);
  }
  return std::nullopt;
}

SafetensorsFile::SafetensorsFile(MappedFile file) : file_(std::move(file)) {
  data_start_ = header_end(file_);
  HeaderParser(path(), metadata_, tensors_)
      .parse(bytes().subspan(kLengthBytes, data_start_ - kLengthBytes));
  // Stable, so that empty tensors keep the header's order.
  std::stable_sort(tensors_.begin(), tensors_.end(), [](const TensorInfo& a, const TensorInfo& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  by_name_.resize(tensors_.size());
  std::iota(by_name_.begin(), by_name_.end(), std::size_t{0});
  std::sort(by_name_.begin(), by_name_.end(),
            [this](std::size_t a, std::size_t b) { return tensors_[a].name < tensors_[b].name; });
  const auto twice = std::adjacent_find(
      by_name_.begin(), by_name_.end(),
      [this](std::size_t a, std::size_t b) { return tensors_[a].name == tensors_[b].name; });
  if (twice != by_name_.end()) {
    fail_file(path(), "tensor {} appears twice", in_quotes(tensors_[*twice].name));
  }
  check_layout(path(), tensors_, bytes().size() - data_start_);
}

const TensorInfo* SafetensorsFile::find(std::string_view name) const noexcept {
  const auto place = std::lower_bound(by_name_.begin(), by_name_.end(), name,
                                      [this](std::size_t position, std::string_view wanted) {
                                        return tensors_[position].name < wanted;
                                      });
  if (place == by_name_.end() || tensors_[*place].name != name) return nullptr;
  return &tensors_[*place];
}

std::uint64_t count_bytes(Dtype dtype, std::span<const std::uint64_t> shape,
                          std::string_view where) {
  std::uint64_t count = size_of(dtype);
  for (const std::uint64_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) {
      fail(ErrorCode::kInvalidData, "{}: its shape is too large to count", where);
    }
  }
  return count;
}

std::string printable(std::string_view text, std::size_t max_bytes) {
  const bool is_cut = text.size() > max_bytes;
  if (is_cut) {
    const auto continues = [&](std::size_t i) {
      return (static_cast<unsigned char>(text[i]) & 0xc0U) == 0x80;
    };
    while (max_bytes > 0 && continues(max_bytes)) --max_bytes;  // not inside a character
    text = text.substr(0, max_bytes);
  }
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto code = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : '\0');
    if (code < 0x20 || code == 0x7f) {
      shown += fmt::format("\\x{:02x}", code);
    } else if (code == 0xc2 && next >= 0x80 && next < 0xa0) {
      shown += fmt::format("\\x{:02x}", next);  // U+0080 to U+009F steer terminals too
      ++i;
    } else {
      shown += text[i];
    }
  }
  return is_cut ? shown + "..." : shown;
}

std::string in_quotes(std::string_view name) {
  constexpr std::size_t kMaxBytes = 100;  // enough to find it, short enough for one line
  return fmt::format("\"{}\"", printable(name, kMaxBytes));
}

}  // namespace mhe::model
