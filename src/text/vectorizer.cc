// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "text/vectorizer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/checked.h"
#include "base/parallel.h"
#include "text/hash.h"

namespace mhe::text {
namespace {

constexpr std::size_t kRowsPerBlock = 64;  // long enough to hide the cost of handing out
constexpr std::size_t kLookUpsAhead = 16;  // about the latency of memory over a look-up's time
// At once: several times as many as a core has accesses in flight, since every step waits for the
// first of them.
constexpr std::size_t kLookUps = 128;

// Of a TermCache: 256 KiB for documents one by one, so that a Scratch is made in no time, and 2
// MiB, a huge page, to transform many.
constexpr std::size_t kFewCacheSlots = 8192;
constexpr std::size_t kManyCacheSlots = 65536;
constexpr std::size_t kManyDocuments = 1024;

void require_data(bool condition, std::string_view what) {
  if (!condition) fail(ErrorCode::kInvalidData, "vocabulary: {}", what);
}

// Of terms that may be damaged.
void check_terms(const VectorizerView& view, const TermTable& table) {
  require_data(view.term_begins.front() == 0 && view.term_begins.back() == view.terms.size() &&
                   std::is_sorted(view.term_begins.begin(), view.term_begins.end()),
               "the terms do not lie end to end");
  for (std::size_t part = 0; part + 1 < view.part_offsets.size(); ++part) {
    for (std::size_t i = view.part_offsets[part]; i < view.part_offsets[part + 1]; ++i) {
      const std::string_view term = table.spelling(i);
      require_data(!term.empty(), "an empty term");
      require_data(i == view.part_offsets[part] || table.spelling(i - 1) < term,
                   "the terms are not sorted");
    }
  }
}

void check_buckets(const VectorizerView& view, std::uint32_t hash_bits) {
  require_data(view.terms.empty() && view.term_begins.empty() && view.slots.empty(),
               "terms are hashed, but spellings are there");
  for (std::size_t part = 0; part + 1 < view.part_offsets.size(); ++part) {
    require_data(
        view.part_offsets[part + 1] - view.part_offsets[part] == std::uint64_t{1} << hash_bits,
        "the number of buckets is wrong");
  }
}

std::vector<std::uint32_t> make_slots(const TermTable& table,
                                      std::span<const std::uint64_t> part_offsets) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(table.num_columns());
  for (std::uint32_t part = 0; part + 1 < part_offsets.size(); ++part) {
    for (std::size_t i = part_offsets[part]; i < part_offsets[part + 1]; ++i) {
      hashes.push_back(hash_in_part(hash_term(table.spelling(i)), part));
    }
  }
  return TermTable::make_slots(hashes);
}

// The rows that one block of documents gave, until all are put together.
struct BlockRows {
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
};

// Puts the rows of all blocks end to end. matrix.offsets[i + 1] holds the size of row i.
void join_blocks(const Context& context, std::vector<BlockRows>& blocks, SparseMatrix& matrix) {
  for (std::size_t i = 1; i < matrix.offsets.size(); ++i)
    matrix.offsets[i] += matrix.offsets[i - 1];
  make_nonzeros(context, matrix);
  parallel_for(context, blocks.size(), [&](std::size_t i) {
    const auto begin = static_cast<std::ptrdiff_t>(matrix.offsets[i * kRowsPerBlock]);
    std::copy(blocks[i].columns.begin(), blocks[i].columns.end(), matrix.columns.begin() + begin);
    std::copy(blocks[i].values.begin(), blocks[i].values.end(), matrix.values.begin() + begin);
    blocks[i] = {};
  });
}

}  // namespace

Vectorizer::Scratch::Scratch(const Vectorizer& vectorizer) : Scratch(vectorizer, kFewCacheSlots) {}

Vectorizer::Scratch::Scratch(const Vectorizer& vectorizer, std::size_t cache_slots)
    : analyzer_(vectorizer.parts_, vectorizer.options_.min_token_length),
      cache_(cache_slots),
      fields_(vectorizer.options_.fields.size()) {}

// Arrays that a Vectorizer keeps itself.
struct Vectorizer::Owned {
  VectorizerArrays arrays;
  std::vector<std::uint32_t> term_begins;
  std::vector<std::uint32_t> slots;
};

Vectorizer::Vectorizer(TextOptions options, VectorizerArrays arrays)
    : options_(std::move(options)) {
  validate(options_);
  parts_ = make_parts(options_);
  weighting_ = Weighting(options_);
  const auto owned = std::make_shared<Owned>();
  owned->arrays = std::move(arrays);
  const Strings& terms = owned->arrays.terms;
  const bool has_terms = options_.hash_bits == 0;
  if (has_terms || terms.rows() > 0) {
    for (const std::uint64_t offset : terms.offsets) {
      owned->term_begins.push_back(checked_cast<std::uint32_t>(offset, "bytes of a vocabulary"));
    }
  }
  owned_ = owned;
  view_ = {owned->arrays.num_documents,
           owned->arrays.part_offsets,
           owned->term_begins,
           owned->arrays.terms.items,
           owned->arrays.df,
           owned->arrays.idf,
           owned->slots};
  table_ = TermTable({}, view_.part_offsets, view_.term_begins, view_.terms);
  check_sizes();
  check_contents();
  if (!has_terms) return;
  owned->slots = make_slots(table_, view_.part_offsets);
  view_.slots = owned->slots;
  table_ = TermTable(view_.slots, view_.part_offsets, view_.term_begins, view_.terms);
}

Vectorizer::Vectorizer(TextOptions options, const VectorizerView& view)
    : options_(std::move(options)), view_(view) {
  validate(options_);
  parts_ = make_parts(options_);
  weighting_ = Weighting(options_);
  check_sizes();
  require_data(options_.hash_bits > 0 || std::has_single_bit(view_.slots.size()),
               "the table of terms has a wrong size");
  table_ = TermTable(view_.slots, view_.part_offsets, view_.term_begins, view_.terms);
}

// What reading depends on.
void Vectorizer::check_sizes() const {
  const std::span<const std::uint64_t> offsets = view_.part_offsets;
  require_data(offsets.size() == parts_.size() + 1 && offsets.front() == 0 &&
                   offsets.back() == view_.df.size() &&
                   std::is_sorted(offsets.begin(), offsets.end()),
               "the parts of the features do not fit the options");
  require_data(view_.df.size() < TermTable::kNone / 2, "too many features");
  require_data(view_.idf.size() == view_.df.size(), "an idf for each feature is expected");
  if (options_.hash_bits > 0) {
    check_buckets(view_, options_.hash_bits);
  } else {
    require_data(view_.term_begins.size() == view_.df.size() + 1,
                 "terms and document frequencies differ in number");
  }
}

void Vectorizer::check_contents() const {
  for (std::size_t i = 0; i < view_.df.size(); ++i) {
    require_data(view_.df[i] <= view_.num_documents, "more documents with a term than in all");
    const float idf = view_.idf[i];
    require_data(std::isfinite(idf) && (idf > 0 || (idf == 0 && options_.hash_bits > 0)),
                 "an idf is not positive");
  }
  if (options_.hash_bits == 0) check_terms(view_, table_);
}

std::string Vectorizer::feature_name(FeatureId id) const {
  const std::size_t column = index_of(id);
  require(column < num_features(), "feature {} does not exist; there are {}", column,
          num_features());
  const auto& offsets = view_.part_offsets;
  const auto part = static_cast<std::size_t>(
      std::upper_bound(offsets.begin(), offsets.end(), column) - offsets.begin() - 1);
  if (options_.hash_bits > 0) {
    return fmt::format("{}bucket {}", parts_[part].prefix, column - offsets[part]);
  }
  return parts_[part].prefix + std::string(table_.spelling(column));
}

void Vectorizer::check_fields(std::size_t num_fields) const {
  require(num_fields == options_.fields.size(), "documents have {} text fields; expected {}",
          num_fields, options_.fields.size());
}

SparseRow Vectorizer::transform_one(std::span<const std::string_view> fields,
                                    Scratch& scratch) const {
  check_fields(fields.size());
  scratch.row_.start(num_features());
  add_row(fields, scratch);
  const BuiltRows rows = finish_rows(scratch);
  return {rows.columns, rows.values};
}

void Vectorizer::add_row(std::span<const std::string_view> fields, Scratch& scratch) const {
  const std::span<const Term> terms = scratch.analyzer_.analyze(fields);
  scratch.row_.start_row(terms.size());
  if (options_.hash_bits > 0) {
    hash(terms, scratch.row_);
  } else {
    look_up(terms, scratch);
  }
  scratch.row_.end_row();
}

BuiltRows Vectorizer::finish_rows(Scratch& scratch) const {
  return scratch.row_.finish_counts(weighting_, view_.part_offsets, view_.idf);
}

// What the cache does not have is looked up some terms at a time and step by step, so that the
// parts of the table that the next step needs are on their way from memory meanwhile.
void Vectorizer::look_up(std::span<const Term> terms, Scratch& scratch) const {
  std::array<const Term*, kLookUps> missed;     // NOLINT: filled below
  std::array<std::uint32_t, kLookUps> columns;  // NOLINT: the same
  std::size_t num_missed = 0;
  const auto count = [&](std::uint32_t column) {
    if (column == TermTable::kNone) return;
    __builtin_prefetch(&view_.idf[column]);  // for when the row is finished
    scratch.row_.count(column);
  };
  const auto look_up_missed = [&] {
    for (std::size_t i = 0; i < num_missed; ++i) columns[i] = table_.guess(missed[i]->hash);
    for (std::size_t i = 0; i < num_missed; ++i) table_.prefetch_spelling(columns[i]);
    for (std::size_t i = 0; i < num_missed; ++i) {
      const Term& term = *missed[i];
      std::uint32_t column = TermTable::kNone;
      if (columns[i] != column) column = table_.find(term.hash, term.spelling(), term.part);
      scratch.cache_.put(term, column);
      count(column);
    }
    num_missed = 0;
  };
  for (const Term& term : terms.first(std::min(kLookUpsAhead, terms.size()))) {
    scratch.cache_.prefetch(term);
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Term& term = terms[i];
    if (i + kLookUpsAhead < terms.size()) scratch.cache_.prefetch(terms[i + kLookUpsAhead]);
    std::uint32_t column = TermTable::kNone;
    if (!scratch.cache_.find(term, column)) {
      table_.prefetch_slot(term.hash);
      missed[num_missed++] = &term;
      if (num_missed == kLookUps) look_up_missed();
    } else {
      count(column);
    }
  }
  look_up_missed();
}

void Vectorizer::hash(std::span<const Term> terms, RowBuilder& row) const {
  for (const Term& term : terms) {
    const std::uint64_t column =
        view_.part_offsets[term.part] + bucket_of(term.hash, options_.hash_bits);
    if (view_.idf[column] > 0) row.count(static_cast<std::uint32_t>(column));
  }
}

SparseMatrix Vectorizer::transform(const Context& context, const Documents& documents) const {
  check_fields(documents.num_fields());
  const std::size_t rows = documents.rows();
  SparseMatrix matrix;
  matrix.num_columns = num_features();
  matrix.offsets.resize(rows + 1);
  const std::size_t cache_slots = rows < kManyDocuments ? kFewCacheSlots : kManyCacheSlots;
  std::vector<std::unique_ptr<Scratch>> scratches(context.threads());
  std::vector<BlockRows> blocks((rows + kRowsPerBlock - 1) / kRowsPerBlock);
  parallel_blocks(context, rows, kRowsPerBlock, [&](const Block& block) {
    std::unique_ptr<Scratch>& scratch = scratches[block.worker];
    if (!scratch) scratch.reset(new Scratch(*this, cache_slots));  // its constructor is private
    BlockRows& out = blocks[block.index];
    for (std::size_t i = block.begin; i < block.end;) {
      scratch->row_.start(num_features());
      const std::size_t first = i;
      const std::size_t end = std::min(block.end, first + scratch->row_.max_rows());
      for (; i < end; ++i) {
        documents.get(i, scratch->fields_);
        add_row(scratch->fields_, *scratch);
      }
      const BuiltRows made = finish_rows(*scratch);
      out.columns.insert(out.columns.end(), made.columns.begin(), made.columns.end());
      out.values.insert(out.values.end(), made.values.begin(), made.values.end());
      for (std::size_t row = 0; row < made.row_ends.size(); ++row) {
        matrix.offsets[first + row + 1] = made.size_of(row);
      }
    }
  });
  join_blocks(context, blocks, matrix);
  return matrix;
}

}  // namespace mhe::text
