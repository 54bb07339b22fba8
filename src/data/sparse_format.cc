// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "base/check.h"
#include "data/line_error.h"
#include "data/number.h"
#include "data/row_format.h"

namespace mhe::data {
namespace {

// An unsigned integer written the one usual way, so that reading it back gives the same name.
bool parse_label_number(std::string_view name, std::uint32_t& number) {
  if (name.empty() || (name.size() > 1 && name.front() == '0')) return false;
  const char* const end = name.data() + name.size();
  return parse_uint32(name.data(), end, number) == end &&
         number < std::numeric_limits<std::uint32_t>::max() - 1;
}

class XmcFormat final : public RowFormat {
 public:
  explicit XmcFormat(const LabelNumbers& numbers) : numbers_(numbers) {}

  void append(const RowBatch& batch, std::size_t row, std::string& out) const override {
    if (batch.labels.rows() > 0) {
      std::vector<std::uint32_t> numbers;
      numbers_.numbers_of(batch.labels[row], numbers);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (i > 0) out += ',';
        append_unsigned(numbers[i], out);
      }
    }
    append_pairs(batch, row, out);
    out += '\n';
  }

 private:
  LabelNumbers numbers_;
};

class FeatureFormat final : public RowFormat {
 public:
  void append(const RowBatch& batch, std::size_t row, std::string& out) const override {
    const std::size_t begin = out.size();
    append_pairs(batch, row, out);
    if (out.size() > begin) out.erase(begin, 1);  // the blank before the first pair
    out += '\n';
  }
};

class LabelMatrixFormat final : public RowFormat {
 public:
  explicit LabelMatrixFormat(const LabelNumbers& numbers) : numbers_(numbers) {}

  void append(const RowBatch& batch, std::size_t row, std::string& out) const override {
    std::vector<std::uint32_t> numbers;
    numbers_.numbers_of(batch.labels[row], numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (i > 0) out += ' ';
      append_unsigned(numbers[i], out);
      out += ":1";
    }
    out += '\n';
  }

 private:
  LabelNumbers numbers_;
};

class SvmlightFormat final : public RowFormat {
 public:
  explicit SvmlightFormat(const LabelNames& names) : names_(names) {}

  void append(const RowBatch& batch, std::size_t row, std::string& out) const override {
    const std::size_t begin = out.size();
    if (batch.labels.rows() > 0) {
      for (const LabelId label : batch.labels[row]) {
        if (out.size() > begin) out += ',';
        append_label(names_.name(label), out);
      }
    }
    append_pairs(batch, row, out);
    if (out.size() == begin) out += ' ';  // an empty line would be no row
    out += '\n';
  }

 private:
  static void append_label(const std::string& name, std::string& out) {
    const bool plus = name.size() > 1 && name[0] == '+' && is_digit(name[1]);
    if (name.empty() || plus || name.find_first_of(" \t\r\n,:#") != std::string::npos) {
      fail(
          ErrorCode::kInvalidData,
          "the label {} cannot be written in svmlight, whose labels have no blank, comma, colon or "
          "# in them",
          quote_found(name));
    }
    out += name;
  }

  const LabelNames& names_;
};

class RawFloatFormat final : public RowFormat {
 public:
  void append(const RowBatch& batch, std::size_t row, std::string& out) const override {
    const std::span<const float> values = batch.dense[row];
    out.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
};

void append_pair(std::uint64_t column, float value, std::string& out) {
  out += ' ';
  append_unsigned(column, out);
  out += ':';
  append_float(value, out);
}

}  // namespace

std::uint32_t LabelNumbers::number_of(LabelId label) const {
  const auto id = static_cast<std::uint32_t>(index_of(label));
  if (rule_ == Rule::kById || id < names_.num_numbered()) return id;
  const std::string name = names_.name(label);
  std::uint32_t number = 0;
  if (!parse_label_number(name, number)) {
    fail(ErrorCode::kInvalidData,
         "the label {} is not a number, but the format numbers its labels; give a file for label "
         "names to number them and write their names there",
         quote_found(name));
  }
  return number;
}

void LabelNumbers::numbers_of(std::span<const LabelId> labels,
                              std::vector<std::uint32_t>& numbers) const {
  numbers.clear();
  for (const LabelId label : labels) numbers.push_back(number_of(label));
  std::sort(numbers.begin(), numbers.end());
}

void append_float(float value, std::string& out) {
  std::array<char, 32> digits;  // the longest float has 15 characters
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), result.ptr);
}

void append_unsigned(std::uint64_t value, std::string& out) {
  std::array<char, 20> digits;
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), result.ptr);
}

void append_pairs(const RowBatch& batch, std::size_t row, std::string& out) {
  if (batch.features.rows() > 0) {
    const SparseRow features = batch.features[row];
    for (std::size_t i = 0; i < features.size(); ++i) {
      append_pair(features.columns[i], features.values[i], out);
    }
    return;
  }
  const std::span<const float> values = batch.dense[row];
  for (std::size_t column = 0; column < values.size(); ++column) {
    if (values[column] != 0) append_pair(column, values[column], out);
  }
}

std::unique_ptr<RowFormat> make_xmc_format(const LabelNumbers& numbers) {
  return std::make_unique<XmcFormat>(numbers);
}

std::unique_ptr<RowFormat> make_feature_format() {
  return std::make_unique<FeatureFormat>();
}

std::unique_ptr<RowFormat> make_label_matrix_format(const LabelNumbers& numbers) {
  return std::make_unique<LabelMatrixFormat>(numbers);
}

std::unique_ptr<RowFormat> make_svmlight_format(const LabelNames& names) {
  return std::make_unique<SvmlightFormat>(names);
}

std::unique_ptr<RowFormat> make_raw_float_format() {
  return std::make_unique<RawFloatFormat>();
}

}  // namespace mhe::data
