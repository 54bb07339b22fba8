// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/checked.h"
#include "data/line_error.h"
#include "data/number.h"

namespace mhe::data {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are copied as they are");

constexpr std::size_t kPieceBytes = std::size_t{1} << 18;  // memory grows only as data comes in

template <class T>
T load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

float half_to_float(std::uint16_t half) {
  const bool negative = (half & 0x8000U) != 0;
  const int exponent = (half >> 10) & 0x1F;
  const int fraction = half & 0x3FF;
  float value = 0;
  if (exponent == 31) {
    value = fraction == 0 ? std::numeric_limits<float>::infinity()
                          : std::numeric_limits<float>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<float>(fraction), -24);
  } else {
    value = std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  }
  return negative ? -value : value;
}

// A double that is too large for a float is infinite; a plain cast would be undefined.
float narrow(double wide) {
  if (std::fabs(wide) > static_cast<double>(std::numeric_limits<float>::max())) {
    return std::copysign(std::numeric_limits<float>::infinity(),
                         static_cast<float>(wide > 0 ? 1 : -1));
  }
  return static_cast<float>(wide);
}

std::int64_t load_integer(const char* at, char kind, std::size_t bytes) {
  const bool is_signed = kind == 'i';
  switch (bytes) {
    case 1:
      return is_signed ? load<std::int8_t>(at) : load<std::uint8_t>(at);
    case 2:
      return is_signed ? load<std::int16_t>(at) : load<std::uint16_t>(at);
    case 4:
      return is_signed ? load<std::int32_t>(at) : load<std::uint32_t>(at);
    default:
      return load<std::int64_t>(at);  // a u8 beyond 2^63 turns negative, which every user refuses
  }
}

float load_float(const char* at, char kind, std::size_t bytes) {
  if (kind == 'f') {
    if (bytes == 2) return half_to_float(load<std::uint16_t>(at));
    return bytes == 4 ? load<float>(at) : narrow(load<double>(at));
  }
  if (kind == 'u' && bytes == 8) return static_cast<float>(load<std::uint64_t>(at));
  return static_cast<float>(load_integer(at, kind, bytes));
}

// The value of a key in the header's Python literal, up to the comma or brace that ends it.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos) return {};
  std::string_view rest = header.substr(at + key.size());
  const std::size_t begin = rest.find_first_not_of(" :");
  if (begin == std::string_view::npos) return {};
  rest.remove_prefix(begin);
  const std::size_t end = rest.find(rest.starts_with('(') ? ")" : ",}");
  if (rest.starts_with('(')) return rest.substr(0, end == std::string_view::npos ? end : end + 1);
  return rest.substr(0, rest.find_first_of(",}"));
}

bool parse_shape(std::string_view text, std::vector<std::uint64_t>& shape) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return false;
  text = text.substr(1, text.size() - 2);
  while (true) {
    while (!text.empty() && (text.front() == ' ' || text.front() == ',')) text.remove_prefix(1);
    if (text.empty()) return true;
    std::uint64_t number = 0;
    std::size_t digits = 0;
    while (digits < text.size() && is_digit(text[digits])) {
      number = number * 10 + static_cast<std::uint64_t>(text[digits++] - '0');
    }
    if (digits == 0 || digits > 18) return false;
    shape.push_back(number);
    text.remove_prefix(digits);
  }
}

}  // namespace

NpyArray::NpyArray(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {
  std::array<char, 8> start;
  read_exactly(start);
  if (std::string_view(start.data(), 6) != "\x93NUMPY" || start[6] < 1 || start[6] > 3) {
    fail(ErrorCode::kInvalidData, "{}: expected a NumPy array, found {}", source_->name(),
         quote_found({start.data(), start.size()}));
  }
  std::array<char, 4> length_bytes = {};
  const std::size_t length_size = start[6] == 1 ? 2 : 4;
  read_exactly(std::span(length_bytes).first(length_size));
  const auto length = load<std::uint32_t>(length_bytes.data());
  constexpr std::uint32_t kMaxHeader = 1 << 20;  // NumPy's own are below 200 bytes
  if (length > kMaxHeader) {
    fail(ErrorCode::kInvalidData, "{}: the array's header has {} bytes; expected {} at most",
         source_->name(), length, kMaxHeader);
  }
  std::string header(length, '\0');
  read_exactly(header);
  parse_header(header);
}

void NpyArray::parse_header(const std::string& header) {
  std::string_view descr = value_of(header, "'descr'");
  if (descr.size() < 2 || (descr.front() != '\'' && descr.front() != '"')) {
    fail(ErrorCode::kInvalidData, "{}: expected an array of numbers, found the header {}",
         source_->name(), quote_found(header));
  }
  parse_descr(std::string(descr.substr(1, descr.rfind(descr.front()) - 1)));
  if (!parse_shape(value_of(header, "'shape'"), shape_)) {
    fail(ErrorCode::kInvalidData, "{}: expected a shape such as (3, 4), found {}", source_->name(),
         quote_found(value_of(header, "'shape'")));
  }
  for (const std::uint64_t extent : shape_) {
    size_ = checked_mul(size_, extent, source_->name() + ": elements of the array");
  }
  const bool fortran = value_of(header, "'fortran_order'").starts_with("True");
  const auto long_axes = std::count_if(shape_.begin(), shape_.end(), [](auto n) { return n > 1; });
  if (fortran && long_axes > 1) {
    fail(ErrorCode::kInvalidData,
         "{}: expected an array in C order, found Fortran order; save it through "
         "numpy.ascontiguousarray",
         source_->name());
  }
}

void NpyArray::parse_descr(const std::string& descr) {
  const std::string found = quote_found(descr);
  if (descr.size() < 3 || descr.size() > 8 ||
      !std::all_of(descr.begin() + 2, descr.end(), is_digit)) {
    fail(ErrorCode::kInvalidData, "{}: expected an array of numbers, found the type {}",
         source_->name(), found);
  }
  kind_ = descr[1];
  item_bytes_ = static_cast<std::size_t>(std::stoul(descr.substr(2)));
  if (kind_ == 'U') item_bytes_ *= 4;
  if (descr[0] == '>' && item_bytes_ > 1) {
    fail(ErrorCode::kInvalidData, "{}: expected a little-endian array, found the type {}",
         source_->name(), found);
  }
  const bool power = item_bytes_ == 1 || item_bytes_ == 2 || item_bytes_ == 4 || item_bytes_ == 8;
  const bool number = (is_integer() && power) || (kind_ == 'f' && power && item_bytes_ > 1) ||
                      (kind_ == 'b' && item_bytes_ == 1);
  constexpr std::size_t kMaxString = 64;  // only scipy's "csr" is of use
  const bool string = (kind_ == 'S' || kind_ == 'U') && item_bytes_ <= kMaxString;
  if (!number && !string) {
    fail(ErrorCode::kInvalidData,
         "{}: expected an array of float16, float32, float64, integers or booleans, found the "
         "type {}",
         source_->name(), found);
  }
}

void NpyArray::read_exactly(std::span<char> out) {
  while (!out.empty()) {
    const std::size_t got = source_->read(out);
    if (got == 0) {
      fail(ErrorCode::kInvalidData, "{}: the array ends too early; is the file cut off?",
           source_->name());
    }
    out = out.subspan(got);
  }
}

template <class Append>
void NpyArray::for_each_piece(std::uint64_t count, Append&& append) {
  const std::size_t piece_items = std::max<std::size_t>(1, kPieceBytes / item_bytes_);
  while (count > 0) {
    const auto items = static_cast<std::size_t>(std::min<std::uint64_t>(count, piece_items));
    buffer_.resize(items * item_bytes_);
    read_exactly(buffer_);
    for (std::size_t i = 0; i < items; ++i) append(buffer_.data() + i * item_bytes_);
    count -= items;
  }
}

void NpyArray::read_floats(std::uint64_t count, std::vector<float>& out) {
  MHE_ASSERT(is_number());
  for_each_piece(count, [&](const char* at) { out.push_back(load_float(at, kind_, item_bytes_)); });
}

void NpyArray::read_integers(std::uint64_t count, std::vector<std::int64_t>& out) {
  if (!is_integer()) {
    fail(ErrorCode::kInvalidData, "{}: expected an array of integers", source_->name());
  }
  for_each_piece(count,
                 [&](const char* at) { out.push_back(load_integer(at, kind_, item_bytes_)); });
}

std::string NpyArray::read_string() {
  if ((kind_ != 'S' && kind_ != 'U') || size_ != 1) {
    fail(ErrorCode::kInvalidData, "{}: expected one short string", source_->name());
  }
  std::string text(item_bytes_, '\0');
  read_exactly(text);
  std::erase(text, '\0');
  return text;
}

void NpyArray::expect_end() {
  std::array<char, 1> byte;
  if (source_->read(byte) != 0) {
    fail(ErrorCode::kInvalidData, "{}: other bytes follow the array", source_->name());
  }
}

}  // namespace mhe::data
