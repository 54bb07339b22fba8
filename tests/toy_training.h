// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Small data that can be fitted, for tests of training.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <mhe/dataset.h>

#include "base/random.h"
#include "data/open_format.h"
#include "train/training_set.h"

namespace mhe::testing {

struct ToyRow {
  std::vector<std::uint32_t> labels;       ///< ascending
  std::map<std::uint32_t, float> entries;  ///< features and values
};

/// Rows of one or two labels, each of which shows in three features of its own; one feature in four
/// is noise. Label l occurs the more often the smaller l is; every label occurs if there are three
/// times as many rows.
inline std::vector<ToyRow> toy_rows(std::size_t num_rows, std::uint32_t num_labels,
                                    std::uint64_t seed = 1) {
  std::vector<ToyRow> rows(num_rows);
  for (std::size_t i = 0; i < num_rows; ++i) {
    RandomStream random(seed, "toy_training", i);
    const auto skewed = [&] {
      return static_cast<std::uint32_t>(random.below(random.below(num_labels) + 1));
    };
    const std::uint32_t first =
        i % 3 == 0 ? static_cast<std::uint32_t>(i / 3 % num_labels) : skewed();
    const std::uint32_t second = skewed();
    rows[i].labels.push_back(first);
    if (random.below(2) == 0 && second != first) {
      rows[i].labels.push_back(second);
      if (second < first) std::swap(rows[i].labels[0], rows[i].labels[1]);
    }
    for (const std::uint32_t label : rows[i].labels) {
      for (std::uint32_t f = 0; f < 3; ++f) {
        rows[i].entries[3 * label + f] = static_cast<float>(0.5 + random.uniform());
      }
    }
    rows[i].entries[static_cast<std::uint32_t>(random.below(3 * num_labels))] = 0.3F;
  }
  return rows;
}

/// The rows as an svmlight file.
inline std::string svmlight(const std::vector<ToyRow>& rows) {
  std::string text;
  for (const ToyRow& row : rows) {
    for (std::size_t i = 0; i < row.labels.size(); ++i) {
      text += fmt::format("{}{}", i == 0 ? "" : ",", row.labels[i]);
    }
    for (const auto& [feature, value] : row.entries) text += fmt::format(" {}:{}", feature, value);
    text += "\n";
  }
  return text;
}

/// A file to read, everything else by rule.
inline ReadOptions read_from(std::string path) {
  ReadOptions options;
  options.path = std::move(path);
  return options;
}

/// The rows as a training set of numbered labels.
inline train::TrainingSet toy_set(const std::vector<ToyRow>& rows, std::uint32_t num_labels) {
  train::TrainingSet set;
  set.names = LabelNames::numbered(num_labels);
  set.examples.features.num_columns = 3 * std::size_t{num_labels};
  for (const ToyRow& row : rows) {
    for (const std::uint32_t label : row.labels) {
      set.examples.labels.items.push_back(LabelId{label});
    }
    set.examples.labels.end_row();
    for (const auto& [feature, value] : row.entries) {
      set.examples.features.columns.push_back(feature);
      set.examples.features.values.push_back(value);
    }
    set.examples.features.end_row();
  }
  train::normalize_rows(set.examples.features);
  return set;
}

/// The rows as data in memory, of numbered labels.
inline Dataset toy_data(const std::vector<ToyRow>& rows, std::uint32_t num_labels) {
  DatasetBuilder builder = DatasetBuilder::of_vectors(3 * std::size_t{num_labels});
  for (const ToyRow& row : rows) {
    std::vector<LabelId> labels;
    for (const std::uint32_t label : row.labels) labels.push_back(LabelId{label});
    std::vector<std::uint32_t> columns;
    std::vector<float> values;
    for (const auto& [feature, value] : row.entries) {
      columns.push_back(feature);
      values.push_back(value);
    }
    builder.add(SparseRow{columns, values}, labels);
  }
  return std::move(builder).build();
}

}  // namespace mhe::testing
