// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mhe::text {

/// One column of text: whether it adds to the common features, and which of its own it has.
struct FieldOptions {
  std::string name = "text";      ///< of the column; prefix of the names of its own features
  bool common = true;             ///< adds to the common features
  bool own = false;               ///< has features of its own, beside the common ones
  double weight = 1.0;            ///< of its own features; > 0. The common ones weigh 1
  std::uint32_t word_ngrams = 1;  ///< own features: n-grams of 1 to so many words, 0 to 5
  std::uint32_t char_min = 0;     ///< own features: shortest character n-gram
  std::uint32_t char_max = 0;     ///< own features: longest character n-gram; 0: none
  std::uint32_t first_words = 0;  ///< own features: only of the first so many words; 0: all

  template <class Visitor>
  void visit(Visitor&& v) {
    v("name", name, "name of the column");
    v("common", common, "adds to the common features");
    v("own", own, "has features of its own");
    v("weight", weight, "weight of its own features");
    v("word_ngrams", word_ngrams, "own features: n-grams of up to so many words");
    v("char_min", char_min, "own features: shortest character n-gram");
    v("char_max", char_max, "own features: longest character n-gram; 0: none");
    v("first_words", first_words, "own features: only of the first so many words; 0: all");
  }
  friend bool operator==(const FieldOptions&, const FieldOptions&) = default;
};

/// How text becomes a sparse vector; docs/text.md has the formulas.
struct VectorizerOptions {
  std::vector<FieldOptions> fields = {FieldOptions{}};
  std::uint32_t word_ngrams = 1;       ///< common features: n-grams of 1 to so many words, 0 to 5
  std::uint32_t char_min = 0;          ///< common features: shortest character n-gram
  std::uint32_t char_max = 0;          ///< common features: longest one, up to 16; 0: none
  std::uint32_t min_token_length = 1;  ///< shorter words are skipped; in code points
  std::uint64_t min_df = 1;            ///< terms in fewer documents are dropped
  double max_df = 1.0;                 ///< terms in a larger share of the documents are dropped
  std::uint64_t max_features = 0;      ///< keep those in most documents; 0: all
  std::uint64_t max_vocabulary = 0;    ///< while fitting, forget rare terms beyond this; 0: never
  std::uint32_t hash_bits = 0;         ///< hash each part into 2^b columns, 8 to 28; 0: vocabulary
  bool sublinear_tf = true;            ///< 1 + ln(count) in place of the count
  bool binary = false;                 ///< count every term once
  bool idf = true;                     ///< weigh by inverse document frequency
  bool l2_norm = true;                 ///< each part, then the whole, to length 1

  template <class Visitor>
  void visit(Visitor&& v) {
    v("fields", fields, "columns of text");
    v("word_ngrams", word_ngrams, "n-grams of up to so many words");
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
  friend bool operator==(const VectorizerOptions&, const VectorizerOptions&) = default;
};

/// Throws kInvalidArgument, saying which option is wrong, unless the options can be worked with.
void validate(const VectorizerOptions& options);

/// The options as a JSON object.
[[nodiscard]] std::string options_to_json(const VectorizerOptions& options);

/// The reverse. Options that are not named keep their defaults. Throws kInvalidData for anything
/// but an object of known options with values of the right kind, kInvalidArgument as validate().
[[nodiscard]] VectorizerOptions options_from_json(std::string_view json);

/// A set of features that is normalised and weighted on its own: the common ones, or a field's own.
struct Part {
  std::string prefix;  ///< of feature names: empty, or "title:"
  double weight = 1.0;
  std::uint32_t word_ngrams = 0;
  std::uint32_t char_min = 0;
  std::uint32_t char_max = 0;
  std::uint32_t first_words = 0;
  std::vector<std::size_t> fields;  ///< whose words it takes
};

/// The parts in the order of their columns: the common one, if any field adds to it, then the
/// fields that have features of their own.
[[nodiscard]] std::vector<Part> make_parts(const VectorizerOptions& options);

}  // namespace mhe::text
