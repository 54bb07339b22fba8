// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Parses blocks of prediction lines apart from each other; PredictionReader puts them together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/ids.h>
#include <mhe/input.h>
#include <mhe/label_space.h>
#include <mhe/metrics.h>

namespace mhe::metrics {

/// What the lines of a prediction file hold.
enum class PredictionFormat { kText, kJson };

/// What a file that begins like this holds.
[[nodiscard]] PredictionFormat detect_prediction_format(std::string_view beginning);

struct BadPrediction {
  std::uint64_t line = 0;  ///< within the block, from 0
  std::string message;
};

/// Rows of a block. Labels that the dictionary does not know have ids beyond it, in the order of
/// `unknown`.
struct PredictionBlock {
  Ragged<ScoredLabel> rows;
  LabelNames unknown;
  std::optional<BadPrediction> bad;  ///< the first bad line; parsing stopped there
};

/// Parses whole lines, behind which data::TextBlock::kPadding bytes must be readable.
[[nodiscard]] PredictionBlock parse_predictions(std::string_view text, PredictionFormat format,
                                                const LabelNames& names);

}  // namespace mhe::metrics
