// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <mhe/dataset.h>

namespace mhe::data {

/// Describes rows as they pass by; schema and report of the description are the caller's.
class Describer {
 public:
  void add(const Context& context, const RowBatch& batch);

  [[nodiscard]] const Description& description() const noexcept { return found_; }

 private:
  void add_text(const Context& context, const RowBatch& batch);
  void add_features(const SparseMatrix& features);
  void add_labels(const Ragged<LabelId>& labels);

  Description found_;
  std::vector<bool> feature_seen_;
};

/// The number of words in `text`, separated by ASCII white space.
[[nodiscard]] std::uint64_t count_words(std::string_view text) noexcept;

}  // namespace mhe::data
