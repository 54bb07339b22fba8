// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/dataset.h"

namespace mhe::data {

Dataset read_dataset(Reader& reader) {
  Dataset dataset;
  dataset.schema = reader.schema();
  dataset.text.resize(dataset.schema.text_fields.size());
  dataset.features.num_columns =
      dataset.schema.kind == InputKind::kSparse
          ? static_cast<std::size_t>(dataset.schema.declared_features.value_or(0))
          : 0;
  RowBatch batch;
  while (reader.next(batch)) {
    dataset.labels.append(batch.labels);
    dataset.features.append(batch.features);
    dataset.dense.num_columns = batch.dense.num_columns;
    dataset.dense.values.insert(dataset.dense.values.end(), batch.dense.values.begin(),
                                batch.dense.values.end());
    for (std::size_t field = 0; field < dataset.text.size(); ++field) {
      dataset.text[field].append(batch.text[field]);
    }
    dataset.ids.append(batch.ids);
  }
  dataset.report = reader.report();
  return dataset;
}

Dataset read_dataset(const Context& context, const ReadOptions& options, LabelNames& names) {
  return read_dataset(*open_reader(context, options, names));
}

}  // namespace mhe::data
