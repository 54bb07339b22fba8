// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "text/builder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"

namespace mhe::text {
namespace {

constexpr std::size_t kDocumentsPerBlock = 64;

// Documents that are counted at once. Pieces are cut by the number of a document, not by batches:
// with a bounded vocabulary, which is pruned after every piece, the result depends on where they
// end, and the bound is passed by the new terms of a piece at most.
constexpr std::size_t kPiece = 8192;
constexpr std::size_t kBoundedPiece = 1024;

// A counter with more terms than this is merged and begins anew. Merging a frequent term again and
// again costs time, a large table costs cache: 2^18 terms are 30 MB.
constexpr std::size_t kMaxCounterTerms = std::size_t{1} << 18;

// What a kept count can say at once.
constexpr std::uint32_t kMaxCount = std::numeric_limits<std::uint8_t>::max();

TextOptions validated(TextOptions options) {
  validate(options);
  return options;
}

}  // namespace

VectorizerBuilder::VectorizerBuilder(const Context& context, TextOptions options,
                                     KeepDocuments keep)
    : context_(context),
      options_(validated(std::move(options))),
      keep_(keep),
      parts_(make_parts(options_)),
      counts_(std::make_unique<MergedCounts>(options_, parts_.size())) {
  for (std::size_t i = 0; i < context.threads(); ++i) {
    counters_.push_back(std::make_unique<TermCounter>(options_, parts_));
  }
}

std::size_t VectorizerBuilder::piece_size() const noexcept {
  return options_.max_vocabulary > 0 ? kBoundedPiece : kPiece;
}

void VectorizerBuilder::add(const Documents& documents) {
  require(documents.num_fields() == options_.fields.size(),
          "documents have {} text fields; expected {}", documents.num_fields(),
          options_.fields.size());
  if (documents.rows() > std::numeric_limits<std::uint32_t>::max() - num_documents_) {
    fail(ErrorCode::kResourceLimit, "more than 2^32 - 1 documents to fit on");
  }
  for (std::size_t begin = 0; begin < documents.rows();) {
    const std::size_t left_in_piece = piece_size() - num_documents_ % piece_size();
    const std::size_t end = begin + std::min(documents.rows() - begin, left_in_piece);
    add_piece(documents, begin, end);
    num_documents_ += end - begin;
    begin = end;
    const bool may_prune = options_.max_vocabulary > 0 && num_documents_ % piece_size() == 0;
    const bool is_full = std::any_of(counters_.begin(), counters_.end(), [](const auto& counter) {
      return counter->num_terms() > kMaxCounterTerms;
    });
    if (may_prune || is_full) merge();
    if (may_prune && counts_->num_terms() > options_.max_vocabulary) {
      counts_->prune(context_, options_.max_vocabulary);
    }
  }
}

void VectorizerBuilder::add_piece(const Documents& documents, std::size_t begin, std::size_t end) {
  const std::size_t rows = end - begin;
  const std::size_t first_kept = kept_.size();
  if (keep_ == KeepDocuments::kYes) {
    kept_.resize(first_kept + (rows + kDocumentsPerBlock - 1) / kDocumentsPerBlock);
  }
  parallel_blocks(context_, rows, kDocumentsPerBlock, [&](const Block& range) {
    TermCounter& counter = *counters_[range.worker];
    counter.clear_items();
    std::vector<std::string_view> fields(options_.fields.size());
    std::vector<std::uint64_t> row_ends;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      documents.get(begin + i, fields);
      counter.add(fields);
      row_ends.push_back(counter.num_items());
    }
    if (keep_ == KeepDocuments::kNo) return;
    KeptBlock& kept = kept_[first_kept + range.index];
    kept.row_ends = std::move(row_ends);
    kept.numbering = term_ids_.size() + range.worker;
    keep_block(counter, kept);
  });
}

// Takes over the items of a counter; kept.row_ends says where its rows end among them.
void VectorizerBuilder::keep_block(const TermCounter& counter, KeptBlock& kept) {
  const CountedTerms items = counter.items();
  const std::size_t size = items.numbers.size();
  kept.numbers.assign(items.numbers.begin(), items.numbers.end());
  kept.counts.resize(size);
  std::uint32_t all_bits = 0;
  for (std::size_t i = 0; i < size; ++i) {
    kept.counts[i] = static_cast<std::uint8_t>(items.counts[i]);
    all_bits |= items.counts[i];
  }
  if (all_bits > kMaxCount) keep_large_counts(items, kept);
}

// The same where a count may be more than an entry can say: it is then spread over several.
void VectorizerBuilder::keep_large_counts(const CountedTerms& items, KeptBlock& kept) {
  kept.numbers.clear();
  kept.counts.clear();
  std::size_t item = 0;
  for (std::uint64_t& row_end : kept.row_ends) {
    for (; item < row_end; ++item) {
      std::uint32_t count = items.counts[item];
      for (; count > kMaxCount; count -= kMaxCount) {
        kept.numbers.push_back(items.numbers[item]);
        kept.counts.push_back(kMaxCount);
      }
      kept.numbers.push_back(items.numbers[item]);
      kept.counts.push_back(static_cast<std::uint8_t>(count));
    }
    row_end = kept.numbers.size();
  }
}

void VectorizerBuilder::merge() {
  counts_->merge(context_, counters_);
  for (const auto& counter : counters_) {
    if (keep_ == KeepDocuments::kYes) term_ids_.push_back(counter->take_ids());
    counter->clear();
  }
}

std::uint64_t VectorizerBuilder::kept_items() const noexcept {
  std::uint64_t items = 0;
  for (const KeptBlock& block : kept_) items += block.numbers.size();
  return items;
}

Fitted VectorizerBuilder::finish() {
  merge();
  MergedCounts::Selection selection = counts_->select(context_, num_documents_);
  counts_.reset();  // the terms live on in the selection
  counters_.clear();
  Vectorizer vectorizer(options_, std::move(selection.arrays));
  SparseMatrix features;
  features.num_columns = vectorizer.num_features();
  if (keep_ == KeepDocuments::kYes) {
    name_columns(selection.columns, vectorizer.view().idf);
    measure_rows(features);
    fill_rows(vectorizer, features);
  }
  return {std::move(vectorizer), std::move(features)};
}

// One look-up a term of a document then says what it weighs and where.
void VectorizerBuilder::name_columns(std::span<const std::uint32_t> columns,
                                     std::span<const float> idf) {
  term_columns_.resize(term_ids_.size());
  parallel_for(context_, term_ids_.size(), [&](std::size_t i) {
    term_columns_[i].reserve(term_ids_[i].size());
    for (const std::uint32_t id : term_ids_[i]) {
      const std::uint32_t column = columns[id];
      term_columns_[i].push_back({column, column == MergedCounts::kDropped ? 0 : idf[column]});
    }
    term_ids_[i] = {};
  });
}

void VectorizerBuilder::measure_rows(SparseMatrix& matrix) {
  for (KeptBlock& block : kept_) {
    block.first_row = matrix.rows();
    matrix.offsets.resize(matrix.offsets.size() + block.row_ends.size());
  }
  parallel_for(context_, kept_.size(), [&](std::size_t b) {
    const KeptBlock& block = kept_[b];
    const std::span<const TermColumn> columns = term_columns_[block.numbering];
    std::uint32_t previous = MergedCounts::kDropped;
    std::size_t i = 0;
    for (std::size_t row = 0; row < block.row_ends.size(); ++row) {
      std::uint64_t size = 0;
      for (; i < block.row_ends[row]; ++i) {
        const std::uint32_t number = block.numbers[i];
        size += static_cast<std::uint64_t>((number != previous) &
                                           (columns[number].column != MergedCounts::kDropped));
        previous = number;
      }
      previous = MergedCounts::kDropped;
      matrix.offsets[block.first_row + row + 1] = size;
    }
  });
  for (std::size_t i = 1; i < matrix.offsets.size(); ++i)
    matrix.offsets[i] += matrix.offsets[i - 1];
}

void VectorizerBuilder::add_kept_row(const KeptBlock& block, std::size_t row,
                                     const Weighting& weighting, RowBuilder& builder) const {
  const std::span<const TermColumn> columns = term_columns_[block.numbering];
  const std::size_t begin = row == 0 ? 0 : block.row_ends[row - 1];
  const std::size_t end = block.row_ends[row];
  builder.start_row(end - begin);
  for (std::size_t i = begin; i < end; ++i) {
    const std::uint32_t number = block.numbers[i];
    std::uint64_t count = block.counts[i];
    while (i + 1 < end && block.numbers[i + 1] == number) count += block.counts[++i];
    const TermColumn term = columns[number];
    builder.add_if(term.column != MergedCounts::kDropped, term.column,
                   weighting.tf(count) * term.idf);
  }
  builder.end_row();
}

void VectorizerBuilder::fill_rows(const Vectorizer& vectorizer, SparseMatrix& matrix) {
  make_nonzeros(context_, matrix);
  std::vector<RowBuilder> builders(context_.threads());
  parallel_blocks(context_, kept_.size(), 1, [&](const Block& range) {
    RowBuilder& builder = builders[range.worker];
    KeptBlock& block = kept_[range.begin];
    for (std::size_t row = 0; row < block.row_ends.size();) {
      builder.start(vectorizer.num_features());
      const std::uint64_t begin = matrix.offsets[block.first_row + row];
      const std::size_t end = std::min(block.row_ends.size(), row + builder.max_rows());
      for (; row < end; ++row) add_kept_row(block, row, vectorizer.weighting(), builder);
      const std::uint64_t size = matrix.offsets[block.first_row + row] - begin;
      builder.finish_values(vectorizer.weighting(), vectorizer.view().part_offsets,
                            std::span(matrix.columns).subspan(begin, size),
                            std::span(matrix.values).subspan(begin, size));
    }
    block = {};
  });
}

}  // namespace mhe::text
