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
Description describe_rows(const Context& context, const Dataset& dataset, LabelNames& names,
                          const See& see) {
  const auto reader = open_reader(context, dataset, names);
  data::Describer describer;
  RowBatch batch;
  while (reader->next(batch)) {
    describer.add(context, batch);
    see(batch);
  }
  Description description = describer.description();
  description.schema = reader->schema();
  description.report = reader->report();
  return description;
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
  return describe_rows(context, dataset, names, [](const RowBatch&) {});
}

Comparison compare(const Context& context, const Dataset& first, const Dataset& second,
                   LabelNames& names, const NearDuplicateOptions& options) {
  data::NearDuplicates duplicates(options);
  Ragged<LabelId> second_labels;
  Comparison comparison;
  comparison.min_similarity = options.min_similarity;
  comparison.second = describe_rows(context, second, names, [&](const RowBatch& batch) {
    duplicates.add(context, batch);
    second_labels.append(batch.labels);
  });
  comparison.first = describe_rows(
      context, first, names, [&](const RowBatch& batch) { duplicates.match(context, batch); });
  comparison.duplicates = duplicates.report();
  find_unseen(second_labels, comparison);
  return comparison;
}

}  // namespace mhe
