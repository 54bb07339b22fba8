// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/writer.h"

#include <array>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/parallel.h"
#include "data/byte_sink.h"
#include "data/row_format.h"

namespace mhe::data {
namespace {

// Rows written by the threads together; enough of them that a block is worth a thread's while.
constexpr std::size_t kRowsPerBlock = 64;

// Formats whose rows are lines and whose header, if any, does not depend on them.
class LineWriter final : public Writer {
 public:
  LineWriter(const Context& context, const std::string& path, std::unique_ptr<RowFormat> format)
      : context_(context), format_(std::move(format)), sink_(open_sink(path, context.threads())) {
    sink_->write(format_->header());
  }

  void write(const RowBatch& batch) override {
    pieces_.resize((batch.rows + kRowsPerBlock - 1) / kRowsPerBlock);
    parallel_blocks(context_, batch.rows, kRowsPerBlock, [&](const Block& block) {
      std::string& piece = pieces_[block.index];
      piece.clear();
      for (std::size_t row = block.begin; row < block.end; ++row)
        format_->append(batch, row, piece);
    });
    for (const std::string& piece : pieces_) sink_->write(piece);
  }
  void finish() override { sink_->finish(); }

 private:
  const Context& context_;
  std::unique_ptr<RowFormat> format_;
  std::unique_ptr<ByteSink> sink_;
  std::vector<std::string> pieces_;
};

}  // namespace

Format format_of_path(const std::string& path) {
  static constexpr std::array<std::pair<std::string_view, Format>, 7> kEndings = {{
      {".jsonl", Format::kJsonl},
      {".json", Format::kJsonl},
      {".csv", Format::kCsv},
      {".tsv", Format::kTsv},
      {".svm", Format::kSvmlight},
      {".npy", Format::kNpy},
      {".npz", Format::kNpz},
  }};
  const std::string_view stem = without_compression(path);
  for (const auto& [ending, format] : kEndings) {
    if (stem.ends_with(ending)) return format;
  }
  return Format::kAuto;
}

std::unique_ptr<Writer> open_writer(const Context& context, const WriteOptions& options,
                                    const Schema& schema, const labels::LabelNames& names) {
  const Format format =
      options.format == Format::kAuto ? format_of_path(options.path) : options.format;
  switch (format) {
    case Format::kJsonl:
      return std::make_unique<LineWriter>(context, options.path, make_jsonl_format(schema, names));
    default:
      fail(ErrorCode::kInvalidArgument, "the format {} cannot be written yet", format_name(format));
  }
}

}  // namespace mhe::data
