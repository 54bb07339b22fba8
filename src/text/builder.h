// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <mhe/context.h>
#include <mhe/input.h>

#include "text/documents.h"
#include "text/merged_counts.h"
#include "text/options.h"
#include "text/row_builder.h"
#include "text/term_counter.h"
#include "text/vectorizer.h"

namespace mhe::text {

/// Whether a VectorizerBuilder remembers the documents for the matrix of them.
enum class KeepDocuments { kNo, kYes };

/// What fitting gives.
struct Fitted {
  Vectorizer vectorizer;
  SparseMatrix features;  ///< of the documents it was fitted on, if they were kept
};

/// Fits a Vectorizer in one pass over the documents, batch after batch.
///
/// The result depends on the documents and their order only, not on the threads or on how the
/// documents are cut into batches. Memory: about 130 bytes and its spelling for each distinct term
/// (max_vocabulary bounds their number, hashing does without) and, if documents are kept, 5 bytes
/// for each distinct term of each document, beside the 8 that the matrix takes at the end.
class VectorizerBuilder {
 public:
  /// Throws kInvalidArgument if the options are wrong. `context` must outlive the builder.
  VectorizerBuilder(const Context& context, TextOptions options,
                    KeepDocuments keep = KeepDocuments::kNo);
  VectorizerBuilder(const VectorizerBuilder&) = delete;
  VectorizerBuilder& operator=(const VectorizerBuilder&) = delete;

  /// Counts the documents, on all threads. Throws kInvalidArgument if their number of fields is
  /// wrong, kResourceLimit if a document is too long or the terms are too many; the builder is then
  /// of no further use.
  void add(const Documents& documents);

  [[nodiscard]] std::size_t num_fields() const noexcept { return options_.fields.size(); }
  [[nodiscard]] std::uint64_t num_documents() const noexcept { return num_documents_; }

  /// Entries that are kept of the documents: at least as many as the matrix will have.
  [[nodiscard]] std::uint64_t kept_items() const noexcept;

  /// Ends fitting; call once, last.
  [[nodiscard]] Fitted finish();

 private:
  // The terms of a run of documents that one thread took. A count above 255 is written as several
  // entries of one term in a row.
  struct KeptBlock {
    std::vector<std::uint32_t> numbers;
    std::vector<std::uint8_t> counts;
    std::vector<std::uint64_t> row_ends;
    std::size_t numbering = 0;  // in term_ids_: whose numbers they are
    std::size_t first_row = 0;
  };
  // What a number came to in the end.
  struct TermColumn {
    std::uint32_t column = 0;
    float idf = 0;
  };

  [[nodiscard]] std::size_t piece_size() const noexcept;
  void add_piece(const Documents& documents, std::size_t begin, std::size_t end);
  static void keep_block(const TermCounter& counter, KeptBlock& kept);
  static void keep_large_counts(const CountedTerms& items, KeptBlock& kept);
  void merge();
  void name_columns(std::span<const std::uint32_t> columns, std::span<const float> idf);
  void measure_rows(SparseMatrix& matrix);
  void add_kept_row(const KeptBlock& block, std::size_t row, const Weighting& weighting,
                    RowBuilder& builder) const;
  void fill_rows(const Vectorizer& vectorizer, SparseMatrix& matrix);

  const Context& context_;
  TextOptions options_;
  KeepDocuments keep_;
  std::vector<Part> parts_;
  std::vector<std::unique_ptr<TermCounter>> counters_;  // by worker
  std::unique_ptr<MergedCounts> counts_;
  std::vector<KeptBlock> kept_;
  // By merge and counter: the ids of the numbers that the counter gave before that merge.
  std::vector<std::vector<std::uint32_t>> term_ids_;
  std::vector<std::vector<TermColumn>> term_columns_;  // made of these at the end
  std::uint64_t num_documents_ = 0;
};

}  // namespace mhe::text
