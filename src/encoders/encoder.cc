// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "encoders/encoder.h"

#include <variant>

#include "base/check.h"

namespace mhe::encoders {
namespace {

void check_rows(const EncoderSpec& spec, const InputBatch& batch) {
  require(kind_of(batch) == spec.input, "the encoder takes {}", kind_name(spec.input));
  const auto* dense = std::get_if<DenseRows>(&batch);
  if (dense == nullptr) return;
  for (const DenseRow row : dense->rows) {
    require(row.size() == spec.num_inputs, "a vector of {} numbers; expected {}", row.size(),
            spec.num_inputs);
  }
}

}  // namespace

MatrixView Encoder::forward(const Context& context, const InputBatch& batch,
                            const EncoderStep& step) {
  check_rows(spec_, batch);
  if (const auto* sparse = std::get_if<SparseRows>(&batch)) {
    for (const SparseRow& row : sparse->rows) {
      if (row.columns.empty()) continue;
      require(row.columns.back() < spec_.num_inputs, "feature {} is out of range; there are {}",
              row.columns.back(), spec_.num_inputs);
    }
  }
  require(step.dropout >= 0 && step.dropout < 1, "dropout {}; expected 0 to less than 1",
          step.dropout);
  return run(context, batch, step);
}

MatrixView BatchEncoder::encode(const InputBatch& batch) {
  check_rows(spec_, batch);
  return run(batch);
}

}  // namespace mhe::encoders
