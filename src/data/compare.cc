// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What is done with data sets as a whole: converted, described, compared.
#include <algorithm>

#include <mhe/dataset.h>

#include "data/description.h"
#include "data/near_duplicates.h"

namespace mhe {
namespace {

// `see` gets every batch beside the description.
template <class See>
Description describe_rows(const Context& context, Reader& reader, const See& see) {
  data::Describer describer;
  RowBatch batch;
  while (reader.next(batch)) {
    describer.add(context, batch);
    see(batch);
  }
  Description description = describer.description();
  description.schema = reader.schema();
  description.report = reader.report();
  return description;
}

// The labels of both are separated alike, whatever the rows of one of them look like.
Dataset separated_like(const Dataset& dataset, const DataLayout& layout) {
  if (dataset.file() == nullptr) return dataset;
  ReadOptions options = *dataset.file();
  options.expected.format = layout.format;
  options.expected.label_separator = layout.label_separator;
  return options;
}

void find_unseen(const Ragged<LabelId>& rows, Comparison& comparison) {
  const std::vector<std::uint64_t>& seen = comparison.first.label_counts;
  const std::vector<std::uint64_t>& counts = comparison.second.label_counts;
  const auto unseen = [&](std::size_t id) { return id >= seen.size() || seen[id] == 0; };
  for (std::size_t id = 0; id < counts.size(); ++id) {
    if (counts[id] == 0 || !unseen(id)) continue;
    ++comparison.unseen_labels;
    comparison.unseen_occurrences += counts[id];
  }
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const auto labels = rows[row];
    const bool any = std::any_of(labels.begin(), labels.end(),
                                 [&](LabelId label) { return unseen(index_of(label)); });
    comparison.rows_with_unseen += any ? 1 : 0;
  }
}

}  // namespace

ReadReport convert(const Context& context, const Dataset& from, const WriteOptions& to,
                   LabelNames& names) {
  const auto reader = open_reader(context, from, names);
  const auto writer = open_writer(context, to, reader->schema(), names);
  RowBatch batch;
  while (reader->next(batch)) writer->write(batch);
  writer->finish();
  return reader->report();
}

Description describe(const Context& context, const Dataset& dataset, LabelNames& names) {
  return describe_rows(context, *open_reader(context, dataset, names), [](const RowBatch&) {});
}

Comparison compare(const Context& context, const Dataset& first, const Dataset& second,
                   LabelNames& names, const NearDuplicateOptions& options) {
  data::NearDuplicates duplicates(options);
  Ragged<LabelId> second_labels;
  Comparison comparison;
  comparison.min_similarity = options.min_similarity;
  const auto first_reader = open_reader(context, first, names);
  const auto second_reader =
      open_reader(context, separated_like(second, first_reader->schema().layout), names);
  comparison.second = describe_rows(context, *second_reader, [&](const RowBatch& batch) {
    duplicates.add(context, batch);
    second_labels.append(batch.labels);
  });
  comparison.first = describe_rows(
      context, *first_reader, [&](const RowBatch& batch) { duplicates.match(context, batch); });
  comparison.duplicates = duplicates.report();
  find_unseen(second_labels, comparison);
  return comparison;
}

}  // namespace mhe
