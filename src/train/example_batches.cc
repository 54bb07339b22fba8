// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/example_batches.h"

namespace mhe::train {

encoders::LabelledBatch ExampleBatches::gather(std::span<const std::uint32_t> rows) {
  sparse_.clear();
  dense_.clear();
  labels_.clear();
  for (const std::uint32_t row : rows) {
    if (examples_.are_dense()) {
      dense_.push_back(examples_.dense[row]);
    } else {
      sparse_.push_back(examples_.features[row]);
    }
    labels_.push_back(examples_.labels[row]);
  }
  if (examples_.are_dense()) return {DenseRows{dense_}, labels_};
  return {SparseRows{sparse_}, labels_};
}

}  // namespace mhe::train
