// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "text/builder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"
#include "text/row_builder.h"

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

VectorizerOptions validated(VectorizerOptions options) {
  validate(options);
  return options;
}

}  // namespace

VectorizerBuilder::VectorizerBuilder(const Context& context, VectorizerOptions options,
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
  for (const auto& counter : counters_) counter->clear_items();
  const std::size_t rows = end - begin;
  std::vector<CountedBlock> blocks((rows + kDocumentsPerBlock - 1) / kDocumentsPerBlock);
  parallel_blocks(context_, rows, kDocumentsPerBlock, [&](const Block& range) {
    CountedBlock& block = blocks[range.index];
    TermCounter& counter = *counters_[range.worker];
    block.counter = range.worker;
    block.first_item = counter.items().size();
    std::vector<std::string_view> fields(options_.fields.size());
    for (std::size_t i = range.begin; i < range.end; ++i) {
      documents.get(begin + i, fields);
      counter.add(fields);
      block.row_ends.push_back(counter.items().size());
    }
  });
  if (keep_ == KeepDocuments::kNo) return;
  const std::size_t first = kept_.size();
  kept_.resize(first + blocks.size());
  parallel_for(context_, blocks.size(),
               [&](std::size_t i) { keep_block(blocks[i], kept_[first + i]); });
}

void VectorizerBuilder::keep_block(const CountedBlock& block, KeptBlock& kept) const {
  const TermCounter& counter = *counters_[block.counter];
  kept.counter = block.counter;
  const std::size_t size = block.row_ends.back() - block.first_item;
  kept.ids.reserve(size);
  kept.counts.reserve(size);
  std::size_t item = block.first_item;
  for (const std::size_t row_end : block.row_ends) {
    for (; item < row_end; ++item) {
      const CountedTerm term = counter.items()[item];
      std::uint32_t count = term.count;
      for (; count > kMaxCount; count -= kMaxCount) {
        kept.ids.push_back(term.number);
        kept.counts.push_back(kMaxCount);
      }
      kept.ids.push_back(term.number);
      kept.counts.push_back(static_cast<std::uint8_t>(count));
    }
    kept.row_ends.push_back(kept.ids.size());
  }
}

void VectorizerBuilder::merge() {
  counts_->merge(context_, counters_);
  parallel_for(context_, kept_.size() - num_merged_blocks_, [&](std::size_t i) {
    KeptBlock& block = kept_[num_merged_blocks_ + i];
    for (std::uint32_t& id : block.ids) id = counters_[block.counter]->id(id);
  });
  num_merged_blocks_ = kept_.size();
  for (const auto& counter : counters_) counter->clear();
}

std::uint64_t VectorizerBuilder::kept_items() const noexcept {
  std::uint64_t items = 0;
  for (const KeptBlock& block : kept_) items += block.ids.size();
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
    measure_rows(selection.columns, features);
    fill_rows(vectorizer, selection.columns, features);
  }
  return {std::move(vectorizer), std::move(features)};
}

void VectorizerBuilder::measure_rows(const std::vector<std::uint32_t>& columns,
                                     SparseMatrix& matrix) {
  for (KeptBlock& block : kept_) {
    block.first_row = matrix.rows();
    matrix.offsets.resize(matrix.offsets.size() + block.row_ends.size());
  }
  parallel_for(context_, kept_.size(), [&](std::size_t b) {
    const KeptBlock& block = kept_[b];
    std::uint64_t i = 0;
    for (std::size_t row = 0; row < block.row_ends.size(); ++row) {
      const std::uint64_t begin = i;
      std::uint64_t size = 0;
      for (; i < block.row_ends[row]; ++i) {
        const bool repeats = i > begin && block.ids[i] == block.ids[i - 1];
        size += !repeats && columns[block.ids[i]] != MergedCounts::kDropped ? 1 : 0;
      }
      matrix.offsets[block.first_row + row + 1] = size;
    }
  });
  for (std::size_t i = 1; i < matrix.offsets.size(); ++i)
    matrix.offsets[i] += matrix.offsets[i - 1];
}

void VectorizerBuilder::fill_rows(const Vectorizer& vectorizer,
                                  const std::vector<std::uint32_t>& columns, SparseMatrix& matrix) {
  matrix.columns.resize(matrix.offsets.back());
  matrix.values.resize(matrix.offsets.back());
  std::vector<RowBuilder> builders(context_.threads());
  parallel_blocks(context_, kept_.size(), 1, [&](const Block& range) {
    RowBuilder& builder = builders[range.worker];
    KeptBlock& block = kept_[range.begin];
    std::uint64_t i = 0;
    for (std::size_t row = 0; row < block.row_ends.size(); ++row) {
      builder.start(block.row_ends[row] - i);
      for (; i < block.row_ends[row]; ++i) {
        const std::uint32_t column = columns[block.ids[i]];
        if (column != MergedCounts::kDropped) builder.add(column, block.counts[i]);
      }
      const VectorizerView& arrays = vectorizer.view();
      const SparseRow made =
          builder.finish(vectorizer.weighting(), arrays.part_offsets, arrays.idf);
      const std::uint64_t begin = matrix.offsets[block.first_row + row];
      MHE_ASSERT(begin + made.size() == matrix.offsets[block.first_row + row + 1]);
      std::copy(made.columns.begin(), made.columns.end(), matrix.columns.data() + begin);
      std::copy(made.values.begin(), made.values.end(), matrix.values.data() + begin);
    }
    block = {};
  });
}

}  // namespace mhe::text
