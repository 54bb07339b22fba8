// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "text/vectorizer.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/parallel.h"
#include "text/hash.h"

namespace mhe::text {
namespace {

constexpr std::size_t kDocumentsPerBlock = 64;  // long enough to hide the cost of handing out
constexpr std::size_t kPrefetchAhead = 8;       // about the latency of memory over a look-up's time

void require_data(bool condition, std::string_view what) {
  if (!condition) fail(ErrorCode::kInvalidData, "vocabulary: {}", what);
}

TermKey key_of_spelling(std::string_view spelling, std::uint32_t part) noexcept {
  return {hash_in_part(hash_term(spelling), part), head_of(spelling), spelling, part};
}

void check_terms(const VectorizerArrays& arrays) {
  const Strings& terms = arrays.terms;
  require_data(terms.rows() == arrays.df.size(), "terms and document frequencies differ in number");
  require_data(terms.offsets.front() == 0 && terms.offsets.back() == terms.items.size() &&
                   std::is_sorted(terms.offsets.begin(), terms.offsets.end()),
               "the terms do not lie end to end");
  for (std::size_t part = 0; part + 1 < arrays.part_offsets.size(); ++part) {
    for (std::size_t i = arrays.part_offsets[part]; i < arrays.part_offsets[part + 1]; ++i) {
      const std::string_view term = string_at(terms, i);
      require_data(!term.empty(), "an empty term");
      require_data(i == arrays.part_offsets[part] || string_at(terms, i - 1) < term,
                   "the terms are not sorted");
    }
  }
}

void check_buckets(const VectorizerArrays& arrays, std::uint32_t hash_bits) {
  require_data(arrays.terms.rows() == 0, "terms are hashed, but spellings are there");
  for (std::size_t part = 0; part + 1 < arrays.part_offsets.size(); ++part) {
    require_data(
        arrays.part_offsets[part + 1] - arrays.part_offsets[part] == std::uint64_t{1} << hash_bits,
        "the number of buckets is wrong");
  }
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
  matrix.columns.resize(matrix.offsets.back());
  matrix.values.resize(matrix.offsets.back());
  parallel_for(context, blocks.size(), [&](std::size_t i) {
    const auto begin = static_cast<std::ptrdiff_t>(matrix.offsets[i * kDocumentsPerBlock]);
    std::copy(blocks[i].columns.begin(), blocks[i].columns.end(), matrix.columns.begin() + begin);
    std::copy(blocks[i].values.begin(), blocks[i].values.end(), matrix.values.begin() + begin);
    blocks[i] = {};
  });
}

}  // namespace

Vectorizer::Scratch::Scratch(const Vectorizer& vectorizer)
    : analyzer_(vectorizer.parts_, vectorizer.options_.min_token_length),
      fields_(vectorizer.options_.fields.size()) {}

Vectorizer::Vectorizer(VectorizerOptions options, VectorizerArrays arrays)
    : options_(std::move(options)), arrays_(std::move(arrays)) {
  validate(options_);
  parts_ = make_parts(options_);
  weighting_ = Weighting(options_);
  check_arrays();
  build_index();
}

void Vectorizer::check_arrays() const {
  const std::vector<std::uint64_t>& offsets = arrays_.part_offsets;
  require_data(offsets.size() == parts_.size() + 1 && offsets.front() == 0 &&
                   offsets.back() == arrays_.df.size() &&
                   std::is_sorted(offsets.begin(), offsets.end()),
               "the parts of the features do not fit the options");
  require_data(arrays_.df.size() < TermIndex::kNone, "too many features");
  require_data(arrays_.idf.size() == arrays_.df.size(), "an idf for each feature is expected");
  for (std::size_t i = 0; i < arrays_.df.size(); ++i) {
    require_data(arrays_.df[i] <= arrays_.num_documents, "more documents with a term than in all");
    const float idf = arrays_.idf[i];
    require_data(std::isfinite(idf) && (idf > 0 || (idf == 0 && options_.hash_bits > 0)),
                 "an idf is not positive");
  }
  if (options_.hash_bits == 0) {
    check_terms(arrays_);
  } else {
    check_buckets(arrays_, options_.hash_bits);
  }
}

void Vectorizer::build_index() {
  if (options_.hash_bits > 0) return;
  index_.reserve(arrays_.terms.rows());
  for (std::uint32_t part = 0; part < parts_.size(); ++part) {
    for (std::size_t i = arrays_.part_offsets[part]; i < arrays_.part_offsets[part + 1]; ++i) {
      index_.insert(key_of_spelling(string_at(arrays_.terms, i), part),
                    static_cast<std::uint32_t>(i));
    }
  }
}

std::string Vectorizer::feature_name(FeatureId id) const {
  const std::size_t column = index_of(id);
  require(column < num_features(), "feature {} does not exist; there are {}", column,
          num_features());
  const auto& offsets = arrays_.part_offsets;
  const auto part = static_cast<std::size_t>(
      std::upper_bound(offsets.begin(), offsets.end(), column) - offsets.begin() - 1);
  if (options_.hash_bits > 0) {
    return fmt::format("{}bucket {}", parts_[part].prefix, column - offsets[part]);
  }
  return parts_[part].prefix + std::string(string_at(arrays_.terms, column));
}

void Vectorizer::check_fields(std::size_t num_fields) const {
  require(num_fields == options_.fields.size(), "documents have {} text fields; expected {}",
          num_fields, options_.fields.size());
}

SparseRow Vectorizer::transform_one(std::span<const std::string_view> fields,
                                    Scratch& scratch) const {
  check_fields(fields.size());
  return transform_unchecked(fields, scratch);
}

SparseRow Vectorizer::transform_unchecked(std::span<const std::string_view> fields,
                                          Scratch& scratch) const {
  const std::span<const Term> terms = scratch.analyzer_.analyze(fields);
  scratch.row_.start(terms.size());
  if (options_.hash_bits > 0) {
    hash(terms, scratch.row_);
  } else {
    look_up(terms, scratch.row_);
  }
  return scratch.row_.finish(weighting_, arrays_.part_offsets, arrays_.idf);
}

void Vectorizer::look_up(std::span<const Term> terms, RowBuilder& row) const {
  const auto spelling_of = [this](std::uint32_t i) { return string_at(arrays_.terms, i); };
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (i + kPrefetchAhead < terms.size()) index_.prefetch(terms[i + kPrefetchAhead].hash);
    const std::uint32_t column = index_.find(key_of(terms[i]), spelling_of);
    if (column != TermIndex::kNone) row.add(column, 1);
  }
}

void Vectorizer::hash(std::span<const Term> terms, RowBuilder& row) const {
  for (const Term& term : terms) {
    const std::uint64_t column =
        arrays_.part_offsets[term.part] + bucket_of(term.hash, options_.hash_bits);
    if (arrays_.idf[column] > 0) row.add(static_cast<std::uint32_t>(column), 1);
  }
}

SparseMatrix Vectorizer::transform(const Context& context, const Documents& documents) const {
  check_fields(documents.num_fields());
  const std::size_t rows = documents.rows();
  SparseMatrix matrix;
  matrix.num_columns = num_features();
  matrix.offsets.resize(rows + 1);
  std::vector<std::unique_ptr<Scratch>> scratches(context.threads());
  std::vector<BlockRows> blocks((rows + kDocumentsPerBlock - 1) / kDocumentsPerBlock);
  parallel_blocks(context, rows, kDocumentsPerBlock, [&](const Block& block) {
    std::unique_ptr<Scratch>& scratch = scratches[block.worker];
    if (!scratch) scratch = std::make_unique<Scratch>(*this);
    BlockRows& out = blocks[block.index];
    for (std::size_t i = block.begin; i < block.end; ++i) {
      documents.get(i, scratch->fields_);
      const SparseRow row = transform_unchecked(scratch->fields_, *scratch);
      out.columns.insert(out.columns.end(), row.columns.begin(), row.columns.end());
      out.values.insert(out.values.end(), row.values.begin(), row.values.end());
      matrix.offsets[i + 1] = row.size();
    }
  });
  join_blocks(context, blocks, matrix);
  return matrix;
}

}  // namespace mhe::text
