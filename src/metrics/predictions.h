// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads anybody's predictions: "label:score label:score ..." a line, or a JSON object a line; see
// docs/metrics.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <mhe/context.h>
#include <mhe/input.h>
#include <mhe/label_space.h>

#include "data/byte_source.h"
#include "data/line_blocks.h"
#include "metrics/evaluator.h"

namespace mhe::metrics {

/// Reads a file of predictions from front to back, parsed on all threads. Labels that `names` does
/// not know are added to it, in order of appearance. Memory: 2 MiB of text per thread and what was
/// parsed from it, more only for longer lines.
class PredictionReader {
 public:
  /// Opens a file, compressed or not; "-" is standard input. `context` and `names` must outlive the
  /// reader. Throws kNotFound or kIo.
  PredictionReader(const Context& context, const std::string& path, LabelNames& names);
  /// Reads from any source.
  PredictionReader(const Context& context, std::unique_ptr<data::ByteSource> source,
                   LabelNames& names);

  /// Replaces `rows` by the next ones; false at the end. Scores are numbers and no label occurs
  /// twice in a row. Throws kInvalidData with file, line, what was expected and what was found.
  [[nodiscard]] bool next(Ragged<ScoredLabel>& rows);

 private:
  const Context& context_;
  LabelNames& names_;
  data::LineBlocks lines_;
  bool json_ = false;
  std::uint64_t lines_read_ = 0;
};

}  // namespace mhe::metrics
