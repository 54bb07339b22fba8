// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Trains the `linear` encoder with a cascade head: data in, model file out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/context.h"
#include "data/reader.h"
#include "heads/train_cascade.h"
#include "text/options.h"

namespace mhe::train {

struct LinearOptions {
  std::vector<std::uint32_t> lengths;  ///< of the heads; empty: by rule from the number of labels
  float parent_power = 0.2F;           ///< how much the path counts in a label's score
  std::size_t beam = 10;               ///< nodes kept a level while predicting
  heads::CascadeOptions cascade;
  std::vector<text::FieldOptions> fields;  ///< for text; empty: by rule from the number of columns

  template <class Visitor>
  void visit(Visitor&& v) {
    v("lengths", lengths, "lengths of the heads, such as 107,40; default: by rule");
    v("candidates", cascade.candidates, "parents an example trains beyond its own");
    v("parent_power", parent_power, "weight of the path in a label's score");
    v("beam", beam, "nodes kept a level while predicting");
    v("loss_weight", cascade.solver.loss_weight, "C: what an error costs against large weights");
    v("sweeps", cascade.solver.sweeps, "passes of the solver over a node's examples");
    v("prune", cascade.solver.prune, "drop weights not larger than this");
  }
};

/// What training did.
struct LinearReport {
  std::uint64_t rows = 0;
  std::uint64_t labels = 0;
  std::uint64_t features = 0;
  std::vector<std::uint32_t> lengths;
};

/// Reads `input`, trains and writes the model to `path`, atomically. The same input, options and
/// seed give the same file for any number of threads. Throws as the reader does, and kInvalidData
/// for data that nothing can be learnt from.
LinearReport train_linear(const Context& context, const data::ReadOptions& input,
                          const LinearOptions& options, const std::string& path);

/// Lengths by rule: last heads of about 40, the width that one pass of the solver serves, and as
/// few heads as keep the first one short.
[[nodiscard]] std::vector<std::uint32_t> default_lengths(std::size_t num_labels);

}  // namespace mhe::train
