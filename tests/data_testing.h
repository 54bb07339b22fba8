// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading data sets from strings, for tests.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <mhe/context.h>
#include <mhe/dataset.h>
#include <mhe/error.h>

#include "data/open_format.h"
#include "memory_source.h"

namespace mhe::testing {

/// All rows of a reader: `rows` as one batch.
inline RowBatch read_all(Reader& reader) {
  RowBatch all;
  all.text.resize(reader.schema().text_fields.size());
  RowBatch batch;
  while (reader.next(batch)) {
    all.rows += batch.rows;
    all.labels.append(batch.labels);
    all.features.append(batch.features);
    all.dense.append(batch.dense);
    for (std::size_t field = 0; field < all.text.size(); ++field) {
      all.text[field].append(batch.text[field]);
    }
    all.ids.append(batch.ids);
  }
  return all;
}

struct Parsed {
  RowBatch data;
  Schema schema;
  ReadReport report;
  LabelNames names;
  std::vector<std::string> warnings;

  /// The names of a row's labels, in the order of their ids.
  [[nodiscard]] std::vector<std::string> labels_of(std::size_t row) const {
    std::vector<std::string> found;
    for (const LabelId label : data.labels[row]) found.push_back(names.name(label));
    return found;
  }
  [[nodiscard]] std::string text_of(std::size_t row, std::size_t field = 0) const {
    return std::string(string_at(data.text[field], row));
  }
  /// A row's features as "f:v f:v".
  [[nodiscard]] std::string features_of(std::size_t row) const {
    std::string text;
    const SparseRow entries = data.features[row];
    for (std::size_t i = 0; i < entries.size(); ++i) {
      text += fmt::format("{}{}:{}", i == 0 ? "" : " ", entries.columns[i], entries.values[i]);
    }
    return text;
  }
};

/// Reads the data set that `bytes` hold, called "data" in messages; `labels` is the second file.
inline Parsed read_bytes(std::string_view bytes, const ReadOptions& options = {},
                         std::optional<std::string_view> labels = {}, std::size_t threads = 2) {
  Parsed parsed;
  ContextOptions context_options;
  context_options.threads = threads;
  context_options.on_warning = [&parsed](std::string_view message) {
    parsed.warnings.emplace_back(message);
  };
  const Context context(context_options);
  data::Inputs inputs;
  inputs.rows = data::make_memory_source("data", bytes);
  if (labels) inputs.labels = data::make_memory_source("labels", *labels);
  const auto reader = data::open_reader(context, options, parsed.names, std::move(inputs));
  parsed.data = read_all(*reader);
  parsed.schema = reader->schema();
  parsed.report = reader->report();
  return parsed;
}

/// The message of the error that reading ends with; empty if there is none.
inline std::string read_error(std::string_view bytes, const ReadOptions& options = {},
                              std::optional<std::string_view> labels = {}) {
  try {
    (void)read_bytes(bytes, options, labels);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace mhe::testing
