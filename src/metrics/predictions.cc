// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "metrics/predictions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/parallel.h"
#include "metrics/prediction_parser.h"

namespace mhe::metrics {
namespace {

// Adds the rows of a block, whose unknown labels have provisional ids from `num_known` on.
void append(PredictionBlock block, std::size_t num_known, LabelNames& names,
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

PredictionReader::PredictionReader(const Context& context, const std::string& path,
                                   LabelNames& names)
    : PredictionReader(context,
                       data::make_read_ahead_source(data::decompress_if_needed(
                           data::open_file_source(path), context.threads())),
                       names) {}

PredictionReader::PredictionReader(const Context& context, std::unique_ptr<data::ByteSource> source,
                                   LabelNames& names)
    : context_(context), names_(names), lines_(std::move(source)) {
  json_ = detect_prediction_format(lines_.peek()) == PredictionFormat::kJson;
}

bool PredictionReader::next(Ragged<ScoredLabel>& rows) {
  rows.clear();
  std::vector<data::TextBlock> texts(2 * context_.threads());
  std::size_t num_blocks = 0;
  while (num_blocks < texts.size() && lines_.next(texts[num_blocks])) ++num_blocks;
  const PredictionFormat format = json_ ? PredictionFormat::kJson : PredictionFormat::kText;
  std::vector<PredictionBlock> blocks(num_blocks);
  const std::size_t num_known = names_.size();
  parallel_for(context_, num_blocks, [&](std::size_t i) {
    blocks[i] = parse_predictions(texts[i].text(), format, names_);
  });
  for (PredictionBlock& block : blocks) {
    if (block.bad) {
      fail(ErrorCode::kInvalidData, "{}:{}: {}", lines_.source().name(),
           lines_read_ + block.bad->line + 1, block.bad->message);
    }
    lines_read_ += block.rows.rows();
    append(std::move(block), num_known, names_, rows);
  }
  context_.report(
      {"reading predictions", lines_.source().consumed(), lines_.source().total(), "bytes"});
  return rows.rows() > 0;
}

}  // namespace mhe::metrics
