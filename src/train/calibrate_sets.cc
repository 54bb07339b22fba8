// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/calibrate_sets.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/parallel.h"
#include "encoders/registry.h"
#include "heads/find_tensor.h"
#include "heads/fit_set_calibration.h"
#include "heads/product_targets.h"

namespace mhe::train {
namespace {

// `count` rows, evenly spaced: rows of a file may be in an order.
Examples choose_evenly(const Examples& rows, std::size_t count) {
  std::vector<std::uint32_t> chosen(count);
  for (std::size_t i = 0; i < count; ++i) {
    chosen[i] = static_cast<std::uint32_t>(i * rows.rows() / count);
  }
  return copy_rows(rows, chosen);
}

// [row][output]
std::vector<float> outputs_of(const Context& context, const model::DenseMember& member,
                              const Examples& rows) {
  constexpr std::size_t kGrain = 64;  // rows a block: some milliseconds
  const heads::HeadSpec& head = member.parts().head;
  const heads::ProductLayout layout(head);
  const heads::SearchTable table =
      heads::find_table(member.find_tensor(), "", layout.num_outputs(), head.dim);
  std::vector<float> outputs(rows.rows() * layout.num_outputs());
  std::vector<std::unique_ptr<encoders::BatchEncoder>> encoders(context.threads());
  parallel_blocks(context, rows.rows(), kGrain, [&](const Block& block) {
    auto& encoder = encoders[block.worker];
    if (!encoder) encoder = encoders::open_encoder(member.parts().encoder);
    for (std::size_t row = block.begin; row < block.end; ++row) {
      const SparseRow sparse = rows.are_dense() ? SparseRow() : rows.features[row];
      const DenseRow dense = rows.are_dense() ? rows.dense[row] : DenseRow();
      const MatrixView features =
          encoder->encode(rows.are_dense() ? InputBatch(DenseRows{{&dense, 1}})
                                           : InputBatch(SparseRows{{&sparse, 1}}));
      table.score(features[0].data(), 0, layout.num_outputs(),
                  outputs.data() + row * layout.num_outputs());
    }
  });
  return outputs;
}

// [row][head]; labels that were never seen in training are no part of a set.
std::vector<std::uint32_t> digits_of(const model::DenseMember& member, const Examples& rows) {
  const heads::HeadSpec& head = member.parts().head;
  const heads::ProductTargets targets(head, member.find_tensor());
  std::vector<std::uint32_t> digits;
  std::vector<LabelId> known;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    known.clear();
    for (const LabelId label : rows.labels[row]) {
      if (index_of(label) < head.num_labels) known.push_back(label);
    }
    targets.append(known, digits);
  }
  return digits;
}

}  // namespace

heads::SetCalibration calibrate_sets(const Context& context, const model::DenseParts& parts,
                                     const Examples& validation) {
  const std::size_t count = heads::rows_to_calibrate(parts.head, validation.rows());
  const Examples rows = count < validation.rows() ? choose_evenly(validation, count) : validation;
  const model::DenseMember member(parts);
  const std::vector<float> outputs = outputs_of(context, member, rows);
  const std::vector<std::uint32_t> digits = digits_of(member, rows);
  return heads::fit_set_calibration(context, parts.head, {outputs, digits});
}

}  // namespace mhe::train
