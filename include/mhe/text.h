// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// How text becomes sparse TF-IDF vectors; docs/text.md has the formulas.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <mhe/context.h>
#include <mhe/dataset.h>
#include <mhe/ids.h>
#include <mhe/input.h>

namespace mhe {

namespace text {
class Vectorizer;
}

/// One column of text: whether it adds to the common features, and its own features.
struct FieldOptions {
  std::string name = "text";      ///< of the column; prefix of the names of its own features
  bool common = true;             ///< adds to the common features
  bool own = false;               ///< has its own features, beside the common ones
  double weight = 1.0;            ///< of its own features; > 0. The common ones weigh 1
  std::uint32_t word_ngrams = 1;  ///< own features: longest word n-gram, 0 to 5
  std::uint32_t char_min = 0;     ///< own features: shortest character n-gram
  std::uint32_t char_max = 0;     ///< own features: longest character n-gram; 0: none
  std::uint32_t first_words = 0;  ///< own features: only of this many first words; 0: all

  template <class Visitor>
  void visit(Visitor&& v) {
    v("name", name, "name of the column");
    v("common", common, "adds to the common features");
    v("own", own, "has features of its own");
    v("weight", weight, "weight of its own features");
    v("word_ngrams", word_ngrams, "own features: longest word n-gram");
    v("char_min", char_min, "own features: shortest character n-gram");
    v("char_max", char_max, "own features: longest character n-gram; 0: none");
    v("first_words", first_words, "own features: only of this many first words; 0: all");
  }
  friend bool operator==(const FieldOptions&, const FieldOptions&) = default;
};

/// How text becomes a sparse vector; docs/text.md has the formulas.
struct TextOptions {
  std::vector<FieldOptions> fields = {FieldOptions{}};
  std::uint32_t word_ngrams = 1;       ///< common features: longest word n-gram, 0 to 5
  std::uint32_t char_min = 0;          ///< common features: shortest character n-gram
  std::uint32_t char_max = 0;          ///< common features: longest one, up to 16; 0: none
  std::uint32_t min_token_length = 1;  ///< shorter words are skipped; in code points
  std::uint64_t min_df = 1;            ///< terms in fewer documents are dropped
  double max_df = 1.0;                 ///< terms in a larger share of the documents are dropped
  std::uint64_t max_features = 0;      ///< keep those in most documents; 0: all
  std::uint64_t max_vocabulary = 0;    ///< while fitting, forget rare terms beyond this; 0: never
  std::uint32_t hash_bits = 0;         ///< hash each part into 2^b columns, 8 to 28; 0: vocabulary
  bool sublinear_tf = true;            ///< 1 + ln(count) instead of the count
  bool binary = false;                 ///< count every term once
  bool idf = true;                     ///< weigh by inverse document frequency
  bool l2_norm = true;                 ///< each part, then the whole, to length 1

  template <class Visitor>
  void visit(Visitor&& v) {
    v("fields", fields, "columns of text");
    v("word_ngrams", word_ngrams, "longest word n-gram, in words; 0: none");
    v("char_min", char_min, "shortest character n-gram");
    v("char_max", char_max, "longest character n-gram; 0: none");
    v("min_token_length", min_token_length, "skip shorter words");
    v("min_df", min_df, "drop terms in fewer documents");
    v("max_df", max_df, "drop terms in a larger share of the documents");
    v("max_features", max_features, "keep the terms in most documents; 0: all");
    v("max_vocabulary", max_vocabulary, "while fitting, forget rare terms beyond this; 0: never");
    v("hash_bits", hash_bits, "hash terms into 2^b columns; 0: keep a vocabulary");
    v("sublinear_tf", sublinear_tf, "1 + ln(count) in place of the count");
    v("binary", binary, "count every term once");
    v("idf", idf, "weigh by inverse document frequency");
    v("l2_norm", l2_norm, "scale vectors to length 1");
  }
  friend bool operator==(const TextOptions&, const TextOptions&) = default;
};

/// Fields for these columns, those that `own` names with their own features: a column, then =
/// and a weight, then any of :words=N, :first=N, :chars=A-B, such as "title=2:first=3:chars=3-5".
/// Throws kInvalidArgument.
[[nodiscard]] std::vector<FieldOptions> make_fields(const std::vector<std::string>& columns,
                                                    const std::vector<std::string>& own);

struct FittedText;

/// Turns documents into sparse vectors over a fixed vocabulary, or over buckets of a hash.
/// Immutable and cheap to copy: copies share it. Many threads may use one.
class TextVectorizer {
 public:
  /// Reads what save() wrote. Throws kNotFound, kIo, or kInvalidData, saying what is wrong.
  [[nodiscard]] static TextVectorizer open(const std::string& path);
  /// Writes everything that was fitted; docs/text.md describes the file. Throws kIo.
  void save(const std::string& path) const;

  [[nodiscard]] const TextOptions& options() const noexcept;
  [[nodiscard]] std::size_t num_features() const noexcept;
  /// Such as "fisheries", "title:common fisheries", "title:#<fi" for the first characters of a
  /// word, or "title:bucket 17". Throws kInvalidArgument if there is no such feature.
  [[nodiscard]] std::string feature_name(FeatureId id) const;

  /// The vectors of documents, found on all threads. Throws kInvalidArgument if their number of
  /// fields is wrong, kResourceLimit if one is too long.
  [[nodiscard]] SparseMatrix transform(const Context& context, const TextRows& documents) const;
  /// Puts vectors in place of the texts of a batch.
  void transform(const Context& context, RowBatch& batch) const;
  /// The schema of a data set whose batches were transformed.
  [[nodiscard]] Schema transform(Schema schema) const;

 private:
  friend FittedText fit_text(const Context& context, Reader& reader, const TextOptions& options);
  explicit TextVectorizer(text::Vectorizer fitted);

  std::shared_ptr<const text::Vectorizer> vectorizer_;  // shared by copies, which are immutable
};

/// What fitting gives.
struct FittedText {
  TextVectorizer vectorizer;
  RowBatch rows;  ///< all that were read, transformed
};

/// Fits on all rows that are left in a reader, in one pass. Memory: about 130 bytes and its
/// spelling for each distinct term (max_vocabulary bounds their number, hashing does without) and 8
/// bytes for each distinct term of each document. Throws kInvalidArgument if the options are wrong
/// or have other fields than the rows.
[[nodiscard]] FittedText fit_text(const Context& context, Reader& reader,
                                  const TextOptions& options);

}  // namespace mhe
