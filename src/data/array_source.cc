// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// NumPy arrays as blocks of rows: dense, scipy CSR, and arrays of labels.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "data/line_error.h"
#include "data/npy.h"
#include "data/open_format.h"
#include "data/zip_archive.h"

namespace mhe::data {
namespace {

constexpr std::uint64_t kBlockItems = std::uint64_t{1} << 18;  // 1 MiB of floats
constexpr std::uint64_t kBlockRows = std::uint64_t{1} << 16;

void note_bad_row(std::uint64_t row, const std::string& message, ParsedBlock& block) {
  block.dropped.push_back(block.source_rows);
  block.bad.push_back({0, fmt::format("row {}: {}", row, message)});
}

// Rows of floats; one that is not finite makes a row bad.
class DenseSource final : public BlockSource {
 public:
  DenseSource(std::unique_ptr<NpyArray> array, std::unique_ptr<ZipArchive> archive)
      : archive_(std::move(archive)), array_(std::move(array)) {
    rows_ = array_->shape()[0];
    width_ = array_->shape().size() == 2 ? array_->shape()[1] : 1;
  }

  bool next(ParsedBlock& block) override {
    block.clear(0);
    const std::uint64_t rows_per_block = std::max<std::uint64_t>(1, kBlockItems / width_);
    const std::uint64_t rows = std::min(rows_per_block, rows_ - at_);
    if (rows == 0) {
      array_->expect_end();
      return false;
    }
    DenseMatrix& dense = block.rows.dense;
    dense.num_columns = static_cast<std::size_t>(width_);
    array_->read_floats(rows * width_, dense.values);
    check_rows(rows, block);
    at_ += rows;
    block.bytes = rows * width_ * sizeof(float);
    return true;
  }
  [[nodiscard]] const ByteSource& bytes() const noexcept override { return array_->source(); }

 private:
  void check_rows(std::uint64_t rows, ParsedBlock& block) const {
    std::vector<std::size_t> bad;
    const DenseMatrix& dense = block.rows.dense;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto values = dense[row];
      const auto odd = std::find_if(values.begin(), values.end(),
                                    [](float value) { return !std::isfinite(value); });
      if (odd != values.end()) {
        bad.push_back(row);
        note_bad_row(at_ + row,
                     fmt::format("expected finite numbers, found {} in column {}", *odd,
                                 odd - values.begin()),
                     block);
      }
      ++block.source_rows;
    }
    if (bad.empty()) return;
    block.remove_rows(bad);
    block.source_rows += bad.size();  // they were there, and are counted as dropped
  }

  std::unique_ptr<ZipArchive> archive_;  // before the array that reads from it
  std::unique_ptr<NpyArray> array_;
  std::uint64_t rows_ = 0;
  std::uint64_t width_ = 0;
  std::uint64_t at_ = 0;
};

// One integer a row, which is its label's name.
class LabelArraySource final : public BlockSource {
 public:
  explicit LabelArraySource(std::unique_ptr<NpyArray> array) : array_(std::move(array)) {}

  bool next(ParsedBlock& block) override {
    block.clear(0);
    const std::uint64_t rows = std::min(kBlockRows, array_->size() - at_);
    if (rows == 0) {
      array_->expect_end();
      return false;
    }
    numbers_.clear();
    array_->read_integers(rows, numbers_);
    for (const std::int64_t number : numbers_) {
      block.add_label(fmt::format("{}", number));
      block.end_label_row();
    }
    block.source_rows = rows;
    at_ += rows;
    return true;
  }
  [[nodiscard]] const ByteSource& bytes() const noexcept override { return array_->source(); }

 private:
  std::unique_ptr<NpyArray> array_;
  std::uint64_t at_ = 0;
  std::vector<std::int64_t> numbers_;
};

// What the rows of a sparse matrix are.
enum class CsrUse { kFeatures, kLabels };

// scipy's CSR matrix. Its arrays are read side by side, so memory does not grow with it.
class CsrSource final : public BlockSource {
 public:
  CsrSource(std::unique_ptr<ZipArchive> archive, CsrUse use)
      : archive_(std::move(archive)),
        use_(use),
        starts_(open("indptr.npy")),
        indices_(open("indices.npy")),
        values_(open("data.npy")) {
    read_shape();
    if (starts_.size() != rows_ + 1 || indices_.size() != values_.size()) {
      fail(ErrorCode::kInvalidData,
           "{}: expected {} row starts and as many indices as values, found {}, {} and {}", name(),
           rows_ + 1, starts_.size(), indices_.size(), values_.size());
    }
    if (!values_.is_number() || !indices_.is_integer() || !starts_.is_integer()) {
      fail(ErrorCode::kInvalidData, "{}: expected numbers in data, integers in indices and indptr",
           name());
    }
  }

  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::uint64_t columns() const noexcept { return columns_; }

  bool next(ParsedBlock& block) override {
    block.clear(0);
    if (at_ == rows_) {
      finish();
      return false;
    }
    if (at_ == 0) next_start();  // where row 0 begins
    while (at_ < rows_ && block.source_rows < kBlockRows &&
           block.rows.features.nonzeros() + block.labels.items.size() < kBlockItems) {
      take_row(block);
    }
    block.rows.features.num_columns =
        use_ == CsrUse::kFeatures ? static_cast<std::size_t>(columns_) : 0;
    return true;
  }
  [[nodiscard]] const ByteSource& bytes() const noexcept override { return archive_->source(); }

 private:
  [[nodiscard]] NpyArray open(const std::string& member) const {
    return NpyArray(archive_->open(member));
  }
  [[nodiscard]] const std::string& name() const noexcept { return archive_->source().name(); }

  void read_shape() {
    NpyArray format = open("format.npy");
    const std::string found = format.read_string();
    if (found != "csr") {
      fail(ErrorCode::kInvalidData, "{}: expected a csr matrix, found {}; save it through tocsr()",
           name(), quote_found(found));
    }
    NpyArray shape = open("shape.npy");
    std::vector<std::int64_t> extents;
    if (shape.size() == 2) shape.read_integers(2, extents);
    constexpr std::int64_t kMaxIds = std::numeric_limits<std::uint32_t>::max() - 1;
    if (extents.size() != 2 || extents[0] < 0 || extents[1] < 0 || extents[1] > kMaxIds) {
      fail(ErrorCode::kInvalidData, "{}: expected a shape of rows and up to {} columns, found {}",
           name(), kMaxIds, fmt::format("{}", fmt::join(extents, " x ")));
    }
    rows_ = static_cast<std::uint64_t>(extents[0]);
    columns_ = static_cast<std::uint64_t>(extents[1]);
  }

  // The next row start, which must not be below the last nor beyond the end.
  std::uint64_t next_start() {
    if (starts_at_ == starts_buffer_.size()) {
      starts_buffer_.clear();
      starts_at_ = 0;
      const std::uint64_t rest = starts_.size() - starts_read_;
      const std::uint64_t count = std::min(rest, kBlockRows);
      starts_.read_integers(count, starts_buffer_);
      starts_read_ += count;
    }
    const std::int64_t start = starts_buffer_[starts_at_++];
    if (start < static_cast<std::int64_t>(last_start_) ||
        static_cast<std::uint64_t>(start) > indices_.size()) {
      fail(ErrorCode::kInvalidData,
           "{}: row {}: expected a row start from {} to {}, found {} in indptr", name(), at_,
           last_start_, indices_.size(), start);
    }
    return std::exchange(last_start_, static_cast<std::uint64_t>(start));
  }

  void take_row(ParsedBlock& block) {
    const std::uint64_t begin = next_start();
    const std::uint64_t count = last_start_ - begin;
    row_indices_.clear();
    row_values_.clear();
    indices_.read_integers(count, row_indices_);
    values_.read_floats(count, row_values_);
    const RowMark mark(block);
    try {
      add_row(block);
    } catch (const LineError& error) {
      mark.rewind(block);
      note_bad_row(at_, error.message, block);
    }
    block.bytes += count * (sizeof(std::int64_t) + sizeof(float));
    ++block.source_rows;
    ++at_;
  }

  void add_row(ParsedBlock& block) const {
    for (std::size_t i = 0; i < row_indices_.size(); ++i) {
      const std::int64_t index = row_indices_[i];
      if (index < 0 || static_cast<std::uint64_t>(index) >= columns_) {
        fail_line("expected an index from 0 to {}, found {}",
                  static_cast<std::int64_t>(columns_) - 1, index);
      }
      if (!std::isfinite(row_values_[i])) {
        fail_line("expected finite numbers, found {} in column {}", row_values_[i], index);
      }
      if (use_ == CsrUse::kFeatures) {
        block.rows.features.columns.push_back(static_cast<std::uint32_t>(index));
        block.rows.features.values.push_back(row_values_[i]);
      } else if (row_values_[i] != 0) {
        block.labels.items.push_back(static_cast<std::uint32_t>(index));
      }
    }
    if (use_ == CsrUse::kFeatures) {
      block.end_feature_row();
    } else {
      block.end_label_row();
    }
  }

  void finish() {
    if (rows_ > 0 && last_start_ != indices_.size()) {
      fail(ErrorCode::kInvalidData, "{}: expected {} entries as indptr says, found {}", name(),
           last_start_, indices_.size());
    }
    values_.expect_end();  // also lets the archive check its sums
    indices_.expect_end();
  }

  std::unique_ptr<ZipArchive> archive_;
  CsrUse use_;
  NpyArray starts_;
  NpyArray indices_;
  NpyArray values_;
  std::uint64_t rows_ = 0;
  std::uint64_t columns_ = 0;
  std::uint64_t at_ = 0;
  std::uint64_t last_start_ = 0;
  std::vector<std::int64_t> starts_buffer_;
  std::size_t starts_at_ = 0;
  std::uint64_t starts_read_ = 0;
  std::vector<std::int64_t> row_indices_;
  std::vector<float> row_values_;
};

std::unique_ptr<BlockSource> make_dense_source(std::unique_ptr<NpyArray> array,
                                               std::unique_ptr<ZipArchive> archive) {
  const auto& shape = array->shape();
  const std::string& name = array->source().name();
  constexpr std::uint64_t kMaxWidth = std::uint64_t{1} << 28;  // a row of 1 GiB
  if (shape.empty() || shape.size() > 2 || !array->is_number() ||
      (shape.size() == 2 && (shape[1] == 0 || shape[1] > kMaxWidth))) {
    fail(ErrorCode::kInvalidData,
         "{}: expected an array of numbers of shape (rows, columns), found the shape ({})", name,
         fmt::format("{}", fmt::join(shape, ", ")));
  }
  return std::make_unique<DenseSource>(std::move(array), std::move(archive));
}

std::unique_ptr<BlockSource> make_label_array_source(std::unique_ptr<NpyArray> array) {
  if (array->shape().size() != 1 || !array->is_integer()) {
    fail(ErrorCode::kInvalidData,
         "{}: expected one integer label per row (a 1-D array); give several per row as a csr "
         "matrix (.npz)",
         array->source().name());
  }
  return std::make_unique<LabelArraySource>(std::move(array));
}

std::unique_ptr<Reader> open_dense(OpenRequest& request, std::unique_ptr<NpyArray> array,
                                   std::unique_ptr<ZipArchive> archive, Format format) {
  const std::vector<std::uint64_t> shape = array->shape();
  auto rows = make_dense_source(std::move(array), std::move(archive));
  BlockReaderOptions options;
  options.schema.format = format;
  options.schema.kind = InputKind::kDense;
  options.schema.declared_rows = shape[0];
  options.schema.declared_features = shape.size() == 2 ? shape[1] : 1;
  return read_with_label_file(request, std::move(options), std::move(rows));
}

}  // namespace

std::unique_ptr<Reader> read_with_label_file(OpenRequest& request, BlockReaderOptions options,
                                             std::unique_ptr<BlockSource> rows) {
  options.schema.has_labels = request.labels != nullptr;
  if (!request.labels) return read_blocks(request, std::move(options), std::move(rows));
  std::unique_ptr<BlockSource> labels;
  const std::string_view probe = request.labels->peek();
  if (probe.starts_with("PK")) {
    auto matrix = std::make_unique<CsrSource>(
        std::make_unique<ZipArchive>(make_byte_source(std::move(request.labels))), CsrUse::kLabels);
    options.label_form = number_labels(request.names, matrix->columns());
    options.declared_label_rows = matrix->rows();
    options.schema.declared_labels = matrix->columns();
    labels = std::move(matrix);
  } else if (probe.starts_with("\x93NUMPY")) {
    auto array = std::make_unique<NpyArray>(make_byte_source(std::move(request.labels)));
    options.declared_label_rows = array->size();
    labels = make_label_array_source(std::move(array));
  } else {
    labels = open_label_lines(request, options.schema);
  }
  const auto& label_rows = options.declared_label_rows;
  const std::uint64_t num_rows = options.schema.declared_rows.value_or(label_rows.value_or(0));
  if (label_rows.value_or(num_rows) != num_rows) {
    fail(ErrorCode::kInvalidData, "{} has {} rows, but {} has {}; they must be the same",
         rows->bytes().name(), num_rows, labels->bytes().name(), *label_rows);
  }
  return read_blocks(request, std::move(options), std::move(rows), std::move(labels));
}

std::unique_ptr<Reader> open_npy(OpenRequest request) {
  auto array = std::make_unique<NpyArray>(make_byte_source(std::move(request.rows)));
  return open_dense(request, std::move(array), nullptr, Format::kNpy);
}

std::unique_ptr<Reader> open_npz(OpenRequest request) {
  auto archive = std::make_unique<ZipArchive>(make_byte_source(std::move(request.rows)));
  const std::vector<std::string> members = archive->members();
  if (archive->has("indptr.npy")) {
    auto matrix = std::make_unique<CsrSource>(std::move(archive), CsrUse::kFeatures);
    BlockReaderOptions options;
    options.schema.format = Format::kNpz;
    options.schema.declared_rows = matrix->rows();
    options.schema.declared_features = matrix->columns();
    return read_with_label_file(request, std::move(options), std::move(matrix));
  }
  if (members.size() != 1) {
    fail(ErrorCode::kInvalidData,
         "{}: expected a csr matrix saved by scipy.sparse.save_npz or a single array, found {} "
         "members",
         archive->source().name(), members.size());
  }
  auto array = std::make_unique<NpyArray>(archive->open(members.front()));
  return open_dense(request, std::move(array), std::move(archive), Format::kNpz);
}

}  // namespace mhe::data
