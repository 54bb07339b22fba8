// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/check.h"
#include "data/open_format.h"

namespace mhe {
namespace data {
namespace {

std::unique_ptr<LineBlocks> open_lines(const Context& context, std::unique_ptr<ByteSource> raw,
                                       bool live) {
  constexpr std::uint64_t kSmallBytes = std::uint64_t{1}
                                        << 18;  // not worth a thread and its memory
  const bool small = raw->total() > 0 && raw->total() < kSmallBytes;
  auto source = decompress_if_needed(std::move(raw), context.threads());
  if (!small && !live) source = make_read_ahead_source(std::move(source));
  LineBlocksOptions options;
  options.live = live;
  return std::make_unique<LineBlocks>(std::move(source), options);
}

bool is_sparse_text(Format format) {
  return format == Format::kXmc || format == Format::kXmcPair || format == Format::kSvmlight;
}

void check_options(const ReadOptions& options, Format format) {
  require(!options.index_base || is_sparse_text(format),
          "an index base does not apply to the format {}", format_name(format));
  require(options.index_base.value_or(0) <= 1, "ids count from 0 or 1, not from {}",
          options.index_base.value_or(0));
  const bool table = format == Format::kCsv || format == Format::kTsv;
  require(options.columns.empty() || table, "names of columns do not apply to the format {}",
          format_name(format));
  const bool keyed = table || format == Format::kJsonl;
  require(keyed || (options.text_columns.empty() && options.label_column.empty() &&
                    options.id_column.empty()),
          "the format {} has no columns to choose", format_name(format));
}

}  // namespace

void refuse_label_file(const OpenRequest& request) {
  require(request.labels == nullptr,
          "{} has the labels in its rows, so a label file does not go with it",
          request.rows->source().name());
}

std::unique_ptr<Reader> read_blocks(const OpenRequest& request, BlockReaderOptions options,
                                    std::unique_ptr<BlockSource> rows,
                                    std::unique_ptr<BlockSource> labels) {
  options.skip_bad = request.options.skip_bad;
  options.schema.layout.format = options.schema.format;
  options.schema.layout.index_base = request.options.index_base;
  return make_block_reader(request.context, request.names, options, std::move(rows),
                           std::move(labels));
}

std::unique_ptr<Reader> open_reader(const Context& context, const ReadOptions& given,
                                    LabelNames& names, Inputs inputs) {
  ReadOptions options = given;
  if (options.label_prefix.empty()) options.label_prefix = options.expected.label_prefix;
  if (options.label_prefix.empty()) options.label_prefix = "__label__";
  OpenRequest request{context, options, names,
                      open_lines(context, std::move(inputs.rows), options.live), nullptr};
  if (inputs.labels) request.labels = open_lines(context, std::move(inputs.labels), options.live);
  const std::string& name = request.rows->source().name();
  const Format format =
      options.format != Format::kAuto
          ? options.format
          : detect_format(request.rows->peek(), name, options, request.labels != nullptr);
  if (!options.index_base && is_sparse_text(format)) {
    options.index_base = options.expected.index_base;
  }
  check_options(options, format);
  switch (format) {
    case Format::kXmc:
      return open_xmc(std::move(request));
    case Format::kXmcPair:
      return open_xmc_pair(std::move(request));
    case Format::kSvmlight:
      return open_svmlight(std::move(request));
    case Format::kFastText:
      return open_fasttext(std::move(request));
    case Format::kCsv:
      return open_csv(std::move(request));
    case Format::kTsv:
      return open_tsv(std::move(request));
    case Format::kJsonl:
      return open_jsonl(std::move(request));
    case Format::kTextLines:
      return open_text_lines(std::move(request));
    case Format::kNpy:
      return open_npy(std::move(request));
    case Format::kNpz:
      return open_npz(std::move(request));
    case Format::kAuto:
      break;
  }
  fail(ErrorCode::kInternal, "{}: no format was chosen", name);
}

}  // namespace data

std::unique_ptr<Reader> open_reader(const Context& context, const Dataset& dataset,
                                    LabelNames& names) {
  if (dataset.memory() != nullptr) return data::open_memory(context, dataset, names);
  const ReadOptions& options = *dataset.file();
  require(options.path != "-" || options.label_path != "-",
          "standard input cannot be both the data and its labels");
  data::Inputs inputs;
  inputs.rows = data::open_file_source(options.path);
  if (!options.label_path.empty()) inputs.labels = data::open_file_source(options.label_path);
  return data::open_reader(context, options, names, std::move(inputs));
}

}  // namespace mhe
