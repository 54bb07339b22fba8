// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/dense_head.h"

#include <algorithm>

#include "base/check.h"

namespace mhe::heads {
namespace {

void check_batch(const HeadSpec& spec, const HeadBatch& batch, const MatrixSpan& gradient) {
  const MatrixView& features = batch.features;
  require(features.num_columns == spec.dim, "the head expects {} features, got {}", spec.dim,
          features.num_columns);
  require(batch.labels.size() == features.num_rows, "{} rows of features but {} of labels",
          features.num_rows, batch.labels.size());
  require(gradient.num_rows == features.num_rows && gradient.num_columns == spec.dim,
          "the gradient is {} x {}, the features are {} x {}", gradient.num_rows,
          gradient.num_columns, features.num_rows, features.num_columns);
  for (const std::span<const LabelId> labels : batch.labels) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      require(index_of(labels[i]) < spec.num_labels, "label {} is out of range; there are {}",
              index_of(labels[i]), spec.num_labels);
      require(i == 0 || labels[i - 1] < labels[i], "labels of an example must ascend");
    }
  }
}

}  // namespace

double DenseHead::step(const Context& context, const HeadBatch& batch, const HeadStep& step,
                       MatrixSpan gradient) {
  check_batch(spec_, batch, gradient);
  std::fill_n(gradient.data, gradient.size(), 0.0F);
  return run(context, batch, step, gradient, Update::kYes);
}

double DenseHead::evaluate(const Context& context, const HeadBatch& batch, const HeadStep& step,
                           MatrixSpan gradient) {
  check_batch(spec_, batch, gradient);
  std::fill_n(gradient.data, gradient.size(), 0.0F);
  return run(context, batch, step, gradient, Update::kNo);
}

}  // namespace mhe::heads
