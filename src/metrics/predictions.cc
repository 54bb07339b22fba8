// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include <mhe/metrics.h>

#include "base/check.h"
#include "base/parallel.h"
#include "data/byte_source.h"
#include "data/line_blocks.h"
#include "metrics/prediction_parser.h"

namespace mhe {
namespace {

// Adds the rows of a block, whose unknown labels have provisional ids from `num_known` on.
void append(metrics::PredictionBlock block, std::size_t num_known, LabelNames& names,
            Ragged<ScoredLabel>& rows) {
  std::vector<LabelId> ids;
  for (std::uint32_t i = 0; i < block.unknown.size(); ++i) {
    ids.push_back(names.intern(block.unknown.name(LabelId{i})));
  }
  for (ScoredLabel& item : block.rows.items) {
    if (index_of(item.label) >= num_known) item.label = ids[index_of(item.label) - num_known];
  }
  rows.append(block.rows);
}

}  // namespace

struct PredictionReader::State {
  const Context& context;
  LabelNames& names;
  data::LineBlocks lines;
  metrics::PredictionFormat format;
  std::uint64_t lines_read = 0;

  State(const Context& context_of_work, const std::string& path, LabelNames& known)
      : context(context_of_work),
        names(known),
        lines(data::make_read_ahead_source(
            data::decompress_if_needed(data::open_file_source(path), context_of_work.threads()))),
        format(metrics::detect_prediction_format(lines.peek())) {}
};

PredictionReader::PredictionReader(const Context& context, const std::string& path,
                                   LabelNames& names)
    : state_(std::make_unique<State>(context, path, names)) {}
PredictionReader::~PredictionReader() = default;

bool PredictionReader::next(Ragged<ScoredLabel>& rows) {
  State& state = *state_;
  const Context& context = state.context;
  rows.clear();
  std::vector<data::TextBlock> texts(2 * context.threads());
  std::size_t num_blocks = 0;
  while (num_blocks < texts.size() && state.lines.next(texts[num_blocks])) ++num_blocks;
  std::vector<metrics::PredictionBlock> blocks(num_blocks);
  const std::size_t num_known = state.names.size();
  parallel_for(context, num_blocks, [&](std::size_t i) {
    blocks[i] = metrics::parse_predictions(texts[i].text(), state.format, state.names);
  });
  const data::ByteSource& source = state.lines.source();
  for (metrics::PredictionBlock& block : blocks) {
    if (block.bad) {
      fail(ErrorCode::kInvalidData, "{}:{}: {}", source.name(),
           state.lines_read + block.bad->line + 1, block.bad->message);
    }
    state.lines_read += block.rows.rows();
    append(std::move(block), num_known, state.names, rows);
  }
  context.report({"reading predictions", source.consumed(), source.total(), "bytes"});
  return rows.rows() > 0;
}

}  // namespace mhe
