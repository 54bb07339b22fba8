// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <mhe/error.h>

#include "base/check.h"
#include "metrics/predictions.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mhe;  // NOLINT(google-build-using-namespace): one function
  const Context context(ContextOptions{.threads = 1});
  labels::LabelNames names = labels::LabelNames::numbered(10);
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    metrics::PredictionReader reader(context, data::make_memory_source("fuzz", text), names);
    metrics::Evaluator evaluator({.threshold = 0.5}, {});
    Ragged<metrics::ScoredLabel> rows;
    while (reader.next(rows)) {
      // Whatever the reader lets through the evaluator must accept.
      Ragged<LabelId> truth;
      for (std::size_t row = 0; row < rows.rows(); ++row) {
        truth.items.push_back(LabelId{static_cast<std::uint32_t>(row % 10)});
        truth.end_row();
        for (const metrics::ScoredLabel& item : rows[row]) {
          if (std::isnan(item.score) || index_of(item.label) >= names.size()) __builtin_trap();
        }
      }
      try {
        evaluator.add(context, truth, rows);
      } catch (const Error&) {
        __builtin_trap();
      }
    }
  } catch (const Error&) {
  }
  return 0;
}
