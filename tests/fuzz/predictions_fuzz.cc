// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The parser itself, without the blocks of a megabyte that PredictionReader reads: 50 times the
// inputs a second. Reading is fuzzed with the data formats.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <mhe/error.h>

#include "data/line_blocks.h"
#include "metrics/prediction_parser.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mhe;  // NOLINT(google-build-using-namespace): one function
  static const LabelNames names = LabelNames::numbered(10);
  std::vector<char> padded(data, data + size);
  padded.resize(size + data::TextBlock::kPadding);
  const std::string_view text(padded.data(), size);
  const auto format = metrics::detect_prediction_format(text);
  const metrics::PredictionBlock block = metrics::parse_predictions(text, format, names);
  if (block.bad) return 0;
  const std::size_t num_labels = names.size() + block.unknown.size();
  Evaluator evaluator({.threshold = 0.5}, {});
  const std::vector<LabelId> truth = {LabelId{3}};
  for (std::size_t row = 0; row < block.rows.rows(); ++row) {
    for (const ScoredLabel& item : block.rows[row]) {
      if (index_of(item.label) >= num_labels) __builtin_trap();
    }
    try {
      evaluator.add(truth, block.rows[row]);
    } catch (const Error&) {
      __builtin_trap();  // whatever the parser lets through the evaluator must accept
    }
  }
  return 0;
}
