// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// How many rows of one file have a twin in another: exact copies, and rows whose sets of words (or
// features) are nearly the same. The latter is an estimate, by MinHash.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <mhe/context.h>
#include <mhe/dataset.h>

namespace mhe::data {

/// What is remembered of a row.
///
/// Its elements are the words of all its text fields (runs of letters, digits and non-ASCII
/// characters, ASCII letters folded to lower case), or the columns of its features; dense rows have
/// none and are only compared as a whole. The signature is one-permutation MinHash with optimal
/// densification (Shrivastava 2017): one hash per element, whatever the number of bins.
struct RowPrint {
  static constexpr std::size_t kBins = 128;  // standard error at 0.8: sqrt(0.8 * 0.2 / 128) = 0.035
  static constexpr std::size_t kBandSize = 6;
  static constexpr std::size_t kBands = kBins / kBandSize;

  std::uint64_t content = 0;  ///< hash of the whole row
  bool empty = true;          ///< neither text nor features
  bool has_elements = false;
  std::array<std::uint32_t, kBands> bands = {};    ///< hashes of six minima each
  std::array<std::uint8_t, kBins> signature = {};  ///< a byte of every minimum
};

[[nodiscard]] RowPrint make_row_print(const RowBatch& batch, std::size_t row);

/// The estimated Jaccard similarity of the elements of two rows that have some: shared over all.
[[nodiscard]] double estimate_similarity(const RowPrint& a, const RowPrint& b);

/// Looks for rows of one file in another: add() all batches of the file whose rows are looked for,
/// then match() all batches of the other.
///
/// Memory: about 400 bytes for each row looked for, so 200 MB at most by default. Candidates share
/// one of 21 bands of 6 minima, which misses 0.2 % at a similarity of 0.8 and less above. A row
/// with many candidates just below the limit is counted if the estimate of one of them is too high,
/// so the share is rather too large: see docs/stats.md. The same for any number of threads and
/// batches.
class NearDuplicates {
 public:
  explicit NearDuplicates(const NearDuplicateOptions& options = {});

  void add(const Context& context, const RowBatch& batch);
  void match(const Context& context, const RowBatch& batch);
  [[nodiscard]] NearDuplicateReport report() const;

 private:
  struct SoughtRow {
    RowPrint print;
    std::uint64_t priority = 0;  // in the sample if below limit_
  };
  // Rows that cannot be told apart are looked for once.
  struct Group {
    std::uint32_t row = 0;  // one of them
    bool found = false;     // a near-duplicate
  };
  struct Hits {
    std::vector<std::size_t> contents;
    std::vector<std::uint32_t> groups;
  };

  void shrink_sample();
  void freeze();
  void freeze_groups();
  void find(const RowPrint& print, Hits& hits) const;
  void find_in_band(const RowPrint& print, std::size_t band, Hits& hits) const;

  NearDuplicateOptions options_;
  NearDuplicateReport report_;
  std::uint64_t limit_ = ~std::uint64_t{0};
  bool frozen_ = false;
  std::vector<SoughtRow> rows_;
  std::vector<std::uint32_t> group_of_row_;
  std::vector<Group> groups_;
  std::array<std::vector<std::uint64_t>, RowPrint::kBands> bands_;  // hash << 32 | group, sorted
  std::vector<std::uint64_t> contents_;                             // sorted, each once
  std::vector<std::uint8_t> content_found_;                         // for each of contents_
};

}  // namespace mhe::data
