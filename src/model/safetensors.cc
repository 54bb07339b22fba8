// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/check.h"
#include "model/file_error.h"

namespace mhe::model {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are mapped as they are");

namespace ondemand = simdjson::ondemand;

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

// Walks the header's JSON. Nothing is skipped, so all of it is checked; nesting is fixed, so there
// is no recursion. `where_` is what a message names when the JSON itself is broken.
class HeaderParser {
 public:
  HeaderParser(const std::string& path, std::map<std::string, std::string, std::less<>>& metadata,
               std::vector<TensorInfo>& tensors)
      : path_(path), metadata_(metadata), tensors_(tensors) {}

  void parse(std::span<const std::byte> header) {
    try {
      const simdjson::padded_string text(reinterpret_cast<const char*>(header.data()),
                                         header.size());
      ondemand::parser parser;
      ondemand::document document = parser.iterate(text);
      ondemand::object entries = document.get_object();
      for (ondemand::field entry : entries) parse_entry(entry);
      where_ = "after its end";
      if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) {
        fail_file(path_, "the header has something after its closing brace");
      }
    } catch (const simdjson::simdjson_error& error) {
      fail_file(path_, "the header is not what safetensors prescribes, {}: {}", where_,
                error.what());
    }
  }

 private:
  void parse_entry(ondemand::field& entry) {
    std::string key(std::string_view(entry.unescaped_key()));
    where_ = "at " + in_quotes(key);
    if (key == kMetadataKey) {
      parse_metadata(entry.value().get_object());
    } else {
      parse_tensor(std::move(key), entry.value().get_object());
    }
  }

  void parse_metadata(ondemand::object entries) {
    if (std::exchange(has_metadata_, true)) fail_file(path_, "{} appears twice", kMetadataKey);
    for (ondemand::field entry : entries) {
      std::string key(std::string_view(entry.unescaped_key()));
      where_ = fmt::format("at {} in {}", in_quotes(key), kMetadataKey);
      std::string value(std::string_view(entry.value().get_string()));
      const auto [place, is_new] = metadata_.emplace(std::move(key), std::move(value));
      if (!is_new) fail_file(path_, "{} has {} twice", kMetadataKey, in_quotes(place->first));
    }
  }

  void parse_tensor(std::string name, ondemand::object fields) {
    TensorInfo tensor;
    tensor.name = std::move(name);
    unsigned seen = 0;
    for (ondemand::field field : fields) {
      const std::string key(std::string_view(field.unescaped_key()));
      const unsigned bit = parse_field(tensor, key, field.value());
      if ((seen & bit) != 0) {
        fail_file(path_, "tensor {} has {} twice", in_quotes(tensor.name), in_quotes(key));
      }
      seen |= bit;
    }
    if (seen != (kDtypeField | kShapeField | kOffsetsField)) {
      fail_file(path_, "tensor {} lacks one of dtype, shape, data_offsets", in_quotes(tensor.name));
    }
    tensors_.push_back(std::move(tensor));
  }

  // Returns which field it was.
  unsigned parse_field(TensorInfo& tensor, const std::string& key, ondemand::value value) {
    if (key == "dtype") {
      const std::string_view name = value.get_string();
      const auto dtype = find_dtype(name);
      if (!dtype) {
        fail_file(path_, "tensor {} has the unknown dtype {}", in_quotes(tensor.name),
                  in_quotes(name));
      }
      tensor.dtype = *dtype;
      return kDtypeField;
    }
    if (key == "shape") {
      // Assigned, not appended: a field given twice is reported afterwards.
      tensor.shape = parse_numbers(value.get_array());
      return kShapeField;
    }
    if (key == "data_offsets") {
      const std::vector<std::uint64_t> offsets = parse_numbers(value.get_array());
      if (offsets.size() != 2) {
        fail_file(path_, "tensor {} has {} data_offsets; expected 2", in_quotes(tensor.name),
                  offsets.size());
      }
      tensor.begin = offsets[0];
      tensor.end = offsets[1];
      return kOffsetsField;
    }
    fail_file(path_, "tensor {} has the unknown field {}", in_quotes(tensor.name), in_quotes(key));
  }

  static std::vector<std::uint64_t> parse_numbers(ondemand::array array) {
    std::vector<std::uint64_t> numbers;
    for (ondemand::value number : array) numbers.push_back(number.get_uint64());
    return numbers;
  }

  static constexpr unsigned kDtypeField = 1;
  static constexpr unsigned kShapeField = 2;
  static constexpr unsigned kOffsetsField = 4;

  const std::string& path_;
  std::map<std::string, std::string, std::less<>>& metadata_;
  std::vector<TensorInfo>& tensors_;
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
