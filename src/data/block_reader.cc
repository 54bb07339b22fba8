// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/block_reader.h"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"

namespace mhe::data {
namespace {

// Gives the labels of parsed rows their ids, in the order of the rows, so that ids do not depend on
// how the blocks were parsed.
class LabelInterner {
 public:
  LabelInterner(LabelNames& names, LabelForm form) : names_(names), form_(form) {}

  void begin_block(const ParsedBlock& block) {
    if (form_ == LabelForm::kNamed) ids_.assign(block.names.size(), kUnknown);
  }

  void append_row(const ParsedBlock& block, std::size_t row, Ragged<LabelId>& out) {
    const std::size_t begin = out.items.size();
    for (const std::uint32_t label : block.labels[row]) out.items.push_back(id_of(block, label));
    if (form_ != LabelForm::kNumbered) {
      std::sort(out.items.begin() + static_cast<std::ptrdiff_t>(begin), out.items.end());
    }
    out.end_row();
  }

 private:
  static constexpr LabelId kUnknown{std::numeric_limits<std::uint32_t>::max()};

  LabelId id_of(const ParsedBlock& block, std::uint32_t label) {
    if (form_ == LabelForm::kNumbered) return LabelId{label};
    if (form_ == LabelForm::kNumberNames) {
      const auto [found, is_new] = by_number_.try_emplace(label, kUnknown);
      if (is_new) found->second = names_.intern(std::to_string(label));
      return found->second;
    }
    LabelId& id = ids_[label];
    if (id == kUnknown) id = names_.intern(block.names.name(LabelId{label}));
    return id;
  }

  LabelNames& names_;
  LabelForm form_;
  std::unordered_map<std::uint32_t, LabelId> by_number_;
  std::vector<LabelId> ids_;  // of the block's own names; interned when first met in a good row
};

// One file: its blocks, and how many rows it was found and declared to have.
class CountedBlocks {
 public:
  CountedBlocks(std::unique_ptr<BlockSource> source, std::optional<std::uint64_t> declared)
      : source_(std::move(source)), declared_(declared) {}

  // The next block, cut to the declared number of rows; false at the end.
  bool next(ParsedBlock& block) {
    if (!source_->next(block)) {
      if (declared_ && rows_ < *declared_) {
        fail(ErrorCode::kInvalidData, "{}: expected {} rows as the header declares, found {}",
             name(), *declared_, rows_);
      }
      return false;
    }
    cut_to_declared(block);
    rows_ += block.source_rows;
    return true;
  }

  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
  [[nodiscard]] const std::string& name() const noexcept { return source_->bytes().name(); }
  [[nodiscard]] const ByteSource& bytes() const noexcept { return source_->bytes(); }

 private:
  void cut_to_declared(ParsedBlock& block) const {
    if (!declared_ || rows_ + block.source_rows <= *declared_) return;
    const std::uint64_t room = *declared_ - rows_;
    if (block.source_rows - room > block.blank_tail) {
      // A bad line before the excess is the first thing wrong, so let it speak.
      if (!block.dropped.empty() && block.dropped.front() < room) return;
      fail(ErrorCode::kInvalidData,
           "{}:{}: expected the end after {} rows as the header declares, found another row",
           name(), block.first_line + room, *declared_);
    }
    block.keep_source_rows(room);
  }

  std::unique_ptr<BlockSource> source_;
  std::optional<std::uint64_t> declared_;
  std::uint64_t rows_ = 0;
};

class BlockReader final : public Reader {
 public:
  BlockReader(const Context& context, LabelNames& names, const BlockReaderOptions& options,
              std::unique_ptr<BlockSource> rows, std::unique_ptr<BlockSource> labels)
      : context_(context),
        skip_bad_(options.skip_bad),
        rows_(std::move(rows), options.schema.declared_rows),
        interner_(names, options.label_form),
        stage_("reading " + rows_.name()) {
    schema_ = options.schema;
    num_columns_ = static_cast<std::size_t>(schema_.declared_features.value_or(0));
    if (labels) labels_.emplace(std::move(labels), options.declared_label_rows);
  }

  bool next(RowBatch& batch) override {
    do {
      std::swap(block_.rows, batch);
      if (!next_block()) {
        std::swap(block_.rows, batch);
        block_.clear(0);
        batch = RowBatch();
        finish();
        return false;
      }
      std::swap(block_.rows, batch);
      fill(batch);
    } while (batch.rows == 0);  // all its lines were bad
    return true;
  }

 private:
  // Takes a block whose bad lines are within what is allowed.
  bool next_block() {
    if (!rows_.next(block_)) return false;
    account_bad(rows_, block_);
    report_.bytes += block_.bytes;
    report_.duplicate_features += block_.duplicate_features;
    if (!labels_) report_.duplicate_labels += block_.duplicate_labels;
    context_.report({stage_, rows_.bytes().consumed(), rows_.bytes().total(), "bytes"});
    label_rows_.clear();
    if (labels_) {
      join();
    } else {
      interner_.begin_block(block_);
      for (std::size_t row = 0; row < block_.labels.rows(); ++row) {
        interner_.append_row(block_, row, label_rows_);
      }
    }
    return true;
  }

  void fill(RowBatch& batch) {
    batch.first_row = report_.rows;
    batch.rows = block_.good_rows();
    std::swap(batch.labels, label_rows_);
    if (schema_.kind == InputKind::kSparse) {
      num_columns_ = std::max(num_columns_, batch.features.num_columns);
      batch.features.num_columns = num_columns_;
    }
    report_.rows += batch.rows;
    count_empty(batch);
  }

  void count_empty(const RowBatch& batch) {
    for (std::size_t row = 0; row < batch.rows; ++row) {
      report_.empty_rows += is_empty(batch, row) ? 1 : 0;
      if (schema_.has_labels && batch.labels[row].empty()) ++report_.unlabeled_rows;
    }
  }

  [[nodiscard]] bool is_empty(const RowBatch& batch, std::size_t row) const {
    if (schema_.kind == InputKind::kDense) return false;
    if (schema_.kind == InputKind::kSparse) return batch.features[row].size() == 0;
    return std::all_of(batch.text.begin(), batch.text.end(),
                       [row](const Strings& field) { return field[row].empty(); });
  }

  void account_bad(const CountedBlocks& file, const ParsedBlock& block) {
    for (const BadLine& bad : block.bad) {
      std::string message =
          block.first_line == 0
              ? fmt::format("{}: {}", file.name(), bad.message)
              : fmt::format("{}:{}: {}", file.name(), block.first_line + bad.line, bad.message);
      if (report_.bad_lines.size() >= skip_bad_) {
        if (skip_bad_ > 0)
          message += fmt::format(" (the {} bad lines allowed are used up)", skip_bad_);
        throw Error(ErrorCode::kInvalidData, message);
      }
      context_.warn("skipped " + message);
      report_.bad_lines.push_back(std::move(message));
    }
  }

  // Fills label_rows_ for the good rows of block_ from the label file. A row that is bad in either
  // file is left out.
  void join() {
    std::vector<std::size_t> without_labels;  // positions among the good rows
    std::size_t next_dropped = 0;
    std::size_t position = 0;
    for (std::uint64_t row = 0; row < block_.source_rows; ++row) {
      const bool good =
          next_dropped == block_.dropped.size() || block_.dropped[next_dropped] != row;
      if (!good) ++next_dropped;
      if (!have_label_row()) {
        end_of_labels(row);
        break;
      }
      if (take_label_row(good ? &label_rows_ : nullptr) == LabelRow::kBad && good) {
        without_labels.push_back(position);
      }
      if (good) ++position;
    }
    block_.remove_rows(without_labels);
  }

  // The rows from `row` on have no labels: fine if they are empty lines at the end of the file.
  void end_of_labels(std::uint64_t row) {
    if (block_.source_rows - row > block_.blank_tail || !rest_is_blank(rows_)) fail_row_counts();
    block_.keep_source_rows(row);
  }

  enum class LabelRow { kGood, kBad };

  bool have_label_row() {
    while (label_at_ == label_block_.source_rows) {
      label_at_ = label_good_ = label_dropped_ = 0;
      if (!labels_->next(label_block_)) {
        label_block_.clear(0);
        return false;
      }
      account_bad(*labels_, label_block_);
      report_.duplicate_labels += label_block_.duplicate_labels;
      interner_.begin_block(label_block_);
    }
    return true;
  }

  LabelRow take_label_row(Ragged<LabelId>* out) {
    const std::uint64_t row = label_at_++;
    if (label_dropped_ < label_block_.dropped.size() &&
        label_block_.dropped[label_dropped_] == row) {
      ++label_dropped_;
      return LabelRow::kBad;
    }
    if (out != nullptr) interner_.append_row(label_block_, label_good_, *out);
    ++label_good_;
    return LabelRow::kGood;
  }

  // Reads a file to its end; whether there were only empty lines.
  static bool rest_is_blank(CountedBlocks& file) {
    bool blank = true;
    ParsedBlock rest;
    while (file.next(rest)) blank = blank && rest.blank_tail == rest.source_rows;
    return blank;
  }

  [[noreturn]] void fail_row_counts() {
    (void)rest_is_blank(rows_);  // to know their numbers
    (void)rest_is_blank(*labels_);
    fail(ErrorCode::kInvalidData, "{} has {} rows, but {} has {}; they must be the same",
         rows_.name(), rows_.rows(), labels_->name(), labels_->rows());
  }

  // The rows are at their end; so must be the labels.
  void finish() {
    if (!labels_ || finished_) return;
    finished_ = true;
    if (!have_label_row()) return;
    const bool blank = label_block_.source_rows - label_at_ <= label_block_.blank_tail;
    if (!blank || !rest_is_blank(*labels_)) fail_row_counts();
  }

  const Context& context_;
  std::uint64_t skip_bad_;
  CountedBlocks rows_;
  std::optional<CountedBlocks> labels_;
  LabelInterner interner_;
  std::string stage_;
  std::size_t num_columns_ = 0;
  ParsedBlock block_;
  ParsedBlock label_block_;
  std::uint64_t label_at_ = 0;     // source row of label_block_ that comes next
  std::size_t label_good_ = 0;     // how many good rows came before it
  std::size_t label_dropped_ = 0;  // how many bad ones
  Ragged<LabelId> label_rows_;
  bool finished_ = false;
};

}  // namespace

LabelForm number_labels(LabelNames& names, std::uint64_t count) {
  if (!names.can_extend_numbered(static_cast<std::size_t>(count))) return LabelForm::kNumberNames;
  names.extend_numbered(static_cast<std::size_t>(count));
  return LabelForm::kNumbered;
}

std::unique_ptr<Reader> make_block_reader(const Context& context, LabelNames& names,
                                          const BlockReaderOptions& options,
                                          std::unique_ptr<BlockSource> rows,
                                          std::unique_ptr<BlockSource> labels) {
  return std::make_unique<BlockReader>(context, names, options, std::move(rows), std::move(labels));
}

}  // namespace mhe::data
