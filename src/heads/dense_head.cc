// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/dense_head.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "heads/make_heads.h"

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

std::unique_ptr<DenseHead> make_dense_head(const Context& context, HeadSpec spec, HeadSetup setup) {
  require(spec.num_labels >= 1, "a head needs labels");
  require(spec.dim >= 1, "a head needs features");
  switch (spec.kind) {
    case HeadKind::kOneHot:
    case HeadKind::kSampling:
      return make_flat_head(context, std::move(spec), std::move(setup));
    case HeadKind::kCascade:
      return make_cascade_head(context, std::move(spec), setup);
    case HeadKind::kProduct:
      return make_product_head(context, std::move(spec), setup);
  }
  fail(ErrorCode::kInvalidArgument, "there is no such kind of head");
}

}  // namespace mhe::heads
