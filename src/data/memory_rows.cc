// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows in memory as blocks.
#include <algorithm>
#include <limits>
#include <utility>

#include <simdjson.h>

#include "base/check.h"
#include "data/line_error.h"
#include "data/open_format.h"
#include "input/input.h"

namespace mhe::data {
namespace {

using NamedLabels = std::span<const std::span<const std::string_view>>;
using NumberedLabels = std::span<const std::span<const LabelId>>;

void check_utf8(std::string_view text) {
  require(simdjson::validate_utf8(text.data(), text.size()), "expected UTF-8, found {}",
          quote_found(text));
}

std::size_t count_rows(const MemoryRows& memory) {
  if (const auto* batch = std::get_if<InputBatch>(&memory.input)) return size_of(*batch);
  const auto& csr = std::get<CsrRows>(memory.input);
  return csr.offsets.empty() ? 0 : csr.offsets.size() - 1;
}

// What rows in memory are called where bytes have a name, and how many of them were copied.
class CopiedBytes final : public ByteSource {
 public:
  explicit CopiedBytes(std::string name) : ByteSource(std::move(name)) {}

  void add(std::uint64_t bytes) noexcept { copied_ += bytes; }
  [[nodiscard]] std::size_t read(std::span<char> /*out*/) override { return 0; }
  [[nodiscard]] std::uint64_t consumed() const noexcept override { return copied_; }
  [[nodiscard]] std::uint64_t total() const noexcept override { return 0; }

 private:
  std::uint64_t copied_ = 0;
};

// Copies rows block by block. What is wrong with one is the caller's fault, so it is an error
// whatever the number of bad lines that are allowed in files.
class MemoryBlocks final : public BlockSource {
 public:
  MemoryBlocks(const Dataset& dataset, const Schema& schema)
      : dataset_(dataset),
        rows_(*dataset_.memory()),
        schema_(schema),
        num_rows_(count_rows(rows_)),
        bytes_(dataset.name()) {}

  bool next(ParsedBlock& block) override {
    constexpr std::uint64_t kBlockBytes = std::uint64_t{1} << 20;  // as text is read
    constexpr std::uint64_t kMostRows = std::uint64_t{1} << 16;
    block.clear(schema_.text_fields.size());
    while (at_ < num_rows_ && block.source_rows < kMostRows && block.bytes < kBlockBytes) {
      try {
        take_row(block);
      } catch (const Error& error) {
        fail(error.code(), "{}: row {}: {}", bytes_.name(), at_, error.what());
      }
      ++block.source_rows;
      ++at_;
    }
    bytes_.add(block.bytes);
    return block.source_rows > 0;
  }
  [[nodiscard]] const ByteSource& bytes() const noexcept override { return bytes_; }

 private:
  void take_row(ParsedBlock& block) const {
    if (const auto* csr = std::get_if<CsrRows>(&rows_.input)) {
      const std::uint64_t begin = csr->offsets[at_];
      const std::uint64_t end = csr->offsets[at_ + 1];
      require(begin <= end && end <= csr->columns.size() && end <= csr->values.size(),
              "offsets {} and {} among {} columns and {} values", begin, end, csr->columns.size(),
              csr->values.size());
      take({csr->columns.subspan(begin, end - begin), csr->values.subspan(begin, end - begin)},
           block);
    } else {
      const InputBatch& batch = std::get<InputBatch>(rows_.input);
      if (const auto* sparse = std::get_if<SparseRows>(&batch)) take(sparse->rows[at_], block);
      if (const auto* dense = std::get_if<DenseRows>(&batch)) take(dense->rows[at_], block);
      if (const auto* text = std::get_if<TextRows>(&batch)) {
        take(text->texts.subspan(at_ * text->num_fields, text->num_fields), block);
      }
    }
    if (const auto* names = std::get_if<NamedLabels>(&rows_.labels)) {
      for (const std::string_view name : (*names)[at_]) {
        check_utf8(name);
        block.add_label(name);
      }
    } else if (const auto* numbers = std::get_if<NumberedLabels>(&rows_.labels)) {
      take((*numbers)[at_], block);
    }
    if (schema_.has_labels) block.end_label_row();
    if (!schema_.has_ids) return;
    check_utf8(rows_.ids[at_]);
    block.rows.ids.push_row(rows_.ids[at_]);
  }

  void take(const SparseRow& row, ParsedBlock& block) const {
    input::check(row);
    SparseMatrix& to = block.rows.features;
    if (row.size() > 0) {
      const std::uint32_t last = row.columns.back();
      require(last < std::numeric_limits<std::uint32_t>::max(), "feature {} is too high", last);
      require(last < schema_.declared_features.value_or(std::uint64_t{last} + 1),
              "feature {} is out of range; there are {}", last, rows_.num_features);
      to.num_columns = std::max(to.num_columns, std::size_t{last} + 1);
    }
    to.columns.insert(to.columns.end(), row.columns.begin(), row.columns.end());
    to.values.insert(to.values.end(), row.values.begin(), row.values.end());
    to.end_row();
    block.bytes += row.columns.size_bytes() + row.values.size_bytes();
  }

  void take(DenseRow row, ParsedBlock& block) const {
    DenseMatrix& to = block.rows.dense;
    to.num_columns = static_cast<std::size_t>(*schema_.declared_features);
    require(row.size() == to.num_columns, "a vector of {} numbers; rows have {}", row.size(),
            to.num_columns);
    input::check(row);
    to.values.insert(to.values.end(), row.begin(), row.end());
    block.bytes += row.size_bytes();
  }

  static void take(std::span<const std::string_view> texts, ParsedBlock& block) {
    for (std::size_t field = 0; field < texts.size(); ++field) {
      check_utf8(texts[field]);
      block.rows.text[field].push_row(texts[field]);
      block.bytes += texts[field].size();
    }
  }

  void take(std::span<const LabelId> labels, ParsedBlock& block) const {
    for (const LabelId label : labels) {
      if (rows_.names != nullptr) {
        block.add_label(rows_.names->name(label));
      } else {
        block.labels.items.push_back(static_cast<std::uint32_t>(index_of(label)));
      }
    }
  }

  Dataset dataset_;  // a copy, which keeps the rows where it owns them
  const MemoryRows& rows_;
  Schema schema_;
  std::size_t num_rows_;
  std::size_t at_ = 0;
  CopiedBytes bytes_;
};

// One more than the highest number of a label.
std::uint64_t count_numbers(NumberedLabels rows) {
  constexpr std::size_t kMostLabels = std::numeric_limits<std::uint32_t>::max() - 1;
  std::uint64_t count = 0;
  for (const auto labels : rows) {
    for (const LabelId label : labels) {
      require(index_of(label) < kMostLabels, "label {} is out of range; ids are below {}",
              index_of(label), kMostLabels);
      count = std::max<std::uint64_t>(count, index_of(label) + 1);
    }
  }
  return count;
}

Schema schema_of(const MemoryRows& rows) {
  Schema schema;
  schema.declared_rows = count_rows(rows);
  schema.has_labels = !std::holds_alternative<std::monostate>(rows.labels);
  schema.has_ids = !rows.ids.empty();
  if (rows.num_features > 0) schema.declared_features = rows.num_features;
  const auto* batch = std::get_if<InputBatch>(&rows.input);
  if (batch == nullptr) return schema;
  schema.kind = kind_of(*batch);
  if (const auto* dense = std::get_if<DenseRows>(batch)) {
    schema.declared_features = dense->rows.empty() ? 0 : dense->rows[0].size();
  } else if (const auto* text = std::get_if<TextRows>(batch)) {
    require(text->num_fields > 0 && text->texts.size() % text->num_fields == 0,
            "{}: {} texts do not make whole documents of {} fields", rows.name, text->texts.size(),
            text->num_fields);
    schema.text_fields = rows.text_fields;
    if (schema.text_fields.empty()) schema.text_fields = {"text"};
    require(schema.text_fields.size() == text->num_fields, "{}: {} names for {} text fields",
            rows.name, schema.text_fields.size(), text->num_fields);
  }
  return schema;
}

void check_size(const MemoryRows& rows, std::size_t found, std::string_view what) {
  const std::size_t expected = count_rows(rows);
  require(found == expected, "{}: {} for {} rows, but there are {}", rows.name, what, found,
          expected);
}

}  // namespace

std::unique_ptr<Reader> open_memory(const Context& context, const Dataset& dataset,
                                    LabelNames& names) {
  const MemoryRows& rows = *dataset.memory();
  BlockReaderOptions options;
  options.schema = schema_of(rows);
  if (options.schema.has_ids) check_size(rows, rows.ids.size(), "ids");
  if (const auto* named = std::get_if<NamedLabels>(&rows.labels)) {
    check_size(rows, named->size(), "labels");
  } else if (const auto* numbered = std::get_if<NumberedLabels>(&rows.labels)) {
    check_size(rows, numbered->size(), "labels");
    if (rows.names == nullptr) {
      const std::uint64_t count = count_numbers(*numbered);
      options.schema.declared_labels = count;
      options.label_form = number_labels(names, count);
    }
  }
  auto source = std::make_unique<MemoryBlocks>(dataset, options.schema);
  return make_block_reader(context, names, options, std::move(source), nullptr);
}

}  // namespace mhe::data
