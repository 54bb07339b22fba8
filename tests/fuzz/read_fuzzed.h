// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the fuzzers of readers share: read the bytes as a data set, and look whether what comes out
// is as <mhe/dataset.h> promises.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include <mhe/error.h>

#include "data/open_format.h"
#include "memory_source.h"

namespace mhe::fuzz {

inline void expect(bool condition) {
  if (!condition) __builtin_trap();
}

inline void check_batch(const Schema& schema, const RowBatch& batch, std::size_t num_labels) {
  expect(batch.rows > 0);
  if (schema.has_labels) expect(batch.labels.rows() == batch.rows);
  for (std::size_t row = 0; row < batch.labels.rows(); ++row) {
    const auto labels = batch.labels[row];
    expect(std::adjacent_find(labels.begin(), labels.end(), std::greater_equal<>()) ==
           labels.end());
    for (const LabelId label : labels) expect(index_of(label) < num_labels);
  }
  if (schema.kind == InputKind::kSparse) {
    expect(batch.features.rows() == batch.rows);
    for (std::size_t row = 0; row < batch.rows; ++row) {
      const SparseRow features = batch.features[row];
      expect(std::adjacent_find(features.columns.begin(), features.columns.end(),
                                std::greater_equal<>()) == features.columns.end());
      if (features.size() > 0) expect(features.columns.back() < batch.features.num_columns);
      for (const float value : features.values) expect(std::isfinite(value));
    }
  }
  if (schema.kind == InputKind::kDense) expect(batch.dense.rows() == batch.rows);
  if (schema.kind == InputKind::kText) {
    expect(batch.text.size() == schema.text_fields.size());
    for (const Strings& field : batch.text) expect(field.rows() == batch.rows);
  }
  if (schema.has_ids) expect(batch.ids.rows() == batch.rows);
}

/// Reads `bytes` with the given options, once strictly and once skipping bad lines.
inline void read_fuzzed(ReadOptions options, std::string_view bytes,
                        std::optional<std::string_view> labels = {}) {
  const Context context({.threads = 1});
  for (const std::uint64_t skip_bad : {0, 3}) {
    options.skip_bad = skip_bad;
    LabelNames names;
    data::Inputs inputs;
    inputs.rows = data::make_memory_source("data", bytes);
    if (labels) inputs.labels = data::make_memory_source("labels", *labels);
    try {
      const auto reader = data::open_reader(context, options, names, std::move(inputs));
      RowBatch batch;
      std::uint64_t rows = 0;
      while (reader->next(batch)) {
        check_batch(reader->schema(), batch, names.size());
        expect(batch.first_row == rows);
        rows += batch.rows;
      }
      expect(reader->report().rows == rows);
      expect(reader->report().bad_lines.size() <= skip_bad);
    } catch (const Error& error) {
      expect(error.code() != ErrorCode::kInternal);
    }
  }
}

/// The same for two files: the second begins behind the first byte 0xFF.
inline void read_fuzzed_pair(const ReadOptions& options, std::string_view bytes) {
  const std::size_t split = std::min(bytes.size(), bytes.find('\xff'));
  read_fuzzed(options, bytes.substr(0, split), bytes.substr(std::min(bytes.size(), split + 1)));
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace mhe::fuzz
