// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/context.h>
#include <mhe/ids.h>
#include <mhe/input.h>

#include "text/analyze.h"
#include "text/documents.h"
#include "text/options.h"
#include "text/row_builder.h"
#include "text/term_cache.h"
#include "text/term_table.h"

namespace mhe::text {

/// What fitting found, as arrays that a file can hold.
struct VectorizerArrays {
  std::uint64_t num_documents = 0;                ///< fitted on
  std::vector<std::uint64_t> part_offsets = {0};  ///< the columns of part i are [i] to [i + 1]
  Strings terms;                                  ///< by column, sorted by bytes within a part;
                                                  ///< empty where terms are hashed
  std::vector<std::uint32_t> df;                  ///< by column: documents with the term
  std::vector<float> idf;                         ///< by column; 0: dropped (hashing only)
};

/// The same as spans that may lie in a mapped file, with a table to find terms by.
struct VectorizerView {
  std::uint64_t num_documents = 0;
  std::span<const std::uint64_t> part_offsets;
  std::span<const std::uint32_t> term_begins;  ///< in `terms`; none where terms are hashed
  std::span<const char> terms;
  std::span<const std::uint32_t> df;
  std::span<const float> idf;
  std::span<const std::uint32_t> slots;  ///< of a TermTable; none where terms are hashed
};

/// Turns documents into sparse TF-IDF vectors over a fixed vocabulary, or over buckets of a hash.
/// Immutable; safe to use from many threads, each with a Scratch of its own.
class Vectorizer {
 public:
  /// Space for transform_one(). Made for one Vectorizer, which must outlive it and stay in place.
  class Scratch {
   public:
    explicit Scratch(const Vectorizer& vectorizer);

   private:
    friend class Vectorizer;
    Scratch(const Vectorizer& vectorizer, std::size_t cache_slots);

    Analyzer analyzer_;
    RowBuilder row_;
    TermCache cache_;
    std::vector<std::string_view> fields_;
  };

  /// Throws kInvalidData if the arrays do not fit together or the options, kInvalidArgument if the
  /// options are wrong.
  Vectorizer(TextOptions options, VectorizerArrays arrays);

  /// Over arrays that someone else keeps, for as long as this object and its copies live. Looks at
  /// their sizes only: damaged contents give wrong vectors, never a read outside. Throws as above.
  Vectorizer(TextOptions options, const VectorizerView& view);

  [[nodiscard]] const TextOptions& options() const noexcept { return options_; }
  [[nodiscard]] const VectorizerView& view() const noexcept { return view_; }
  [[nodiscard]] const Weighting& weighting() const noexcept { return weighting_; }
  [[nodiscard]] std::size_t num_features() const noexcept { return view_.df.size(); }

  /// Such as "fisheries", "title:common fisheries", "title:#<fi" for the first characters of a
  /// word, or "title:bucket 17". Throws kInvalidArgument if there is no such feature.
  [[nodiscard]] std::string feature_name(FeatureId id) const;

  /// The vector of one document, of a text for each field; valid until the scratch is used again.
  /// Allocates nothing once the scratch has seen the longest document. Throws kInvalidArgument if
  /// the number of fields is wrong, kResourceLimit if the document is too long.
  [[nodiscard]] SparseRow transform_one(std::span<const std::string_view> fields,
                                        Scratch& scratch) const;

  /// The vectors of many documents, found on all threads.
  [[nodiscard]] SparseMatrix transform(const Context& context, const Documents& documents) const;

  /// Everything as bytes; docs/text.md describes them.
  [[nodiscard]] std::string write() const;
  /// The reverse. Throws kInvalidData, saying what is wrong, for anything write() did not make.
  [[nodiscard]] static Vectorizer read(std::string_view bytes);

 private:
  struct Owned;

  void check_sizes() const;
  void check_contents() const;
  void check_fields(std::size_t num_fields) const;
  void add_row(std::span<const std::string_view> fields, Scratch& scratch) const;
  [[nodiscard]] BuiltRows finish_rows(Scratch& scratch) const;
  void look_up(std::span<const Term> terms, Scratch& scratch) const;
  void hash(std::span<const Term> terms, RowBuilder& row) const;

  TextOptions options_;
  std::vector<Part> parts_;
  Weighting weighting_;
  std::shared_ptr<const Owned> owned_;  // shared by copies, which are as immutable; may be none
  VectorizerView view_;
  TermTable table_;
};

}  // namespace mhe::text
