// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/check.h"
#include "data/block_reader.h"
#include "data/line_text.h"
#include "data/open_format.h"

namespace mhe::data {

std::unique_ptr<BlockSource> open_label_lines(const Context& context, const ReadOptions& options,
                                              std::unique_ptr<LineBlocks> lines) {
  const std::string separator = options.label_separator.empty() ? " " : options.label_separator;
  return make_text_source(context, std::move(lines),
                          [separator] { return make_label_line_parser(separator); },
                          {0, options.skip_bad});
}

std::unique_ptr<Reader> open_fasttext(OpenRequest request) {
  const std::string prefix = request.options.label_prefix;
  require(request.labels == nullptr,
          "{} has the labels in its rows, so a label file does not go with it",
          request.rows->source().name());
  require(!prefix.empty(), "the label prefix of fastText lines must not be empty");
  BlockReaderOptions options;
  options.schema.format = Format::kFastText;
  options.schema.kind = InputKind::kText;
  options.schema.text_fields = {"text"};
  options.skip_bad = request.options.skip_bad;
  auto rows = make_text_source(request.context, std::move(request.rows),
                               [prefix] { return make_fasttext_parser(prefix); },
                               {1, request.options.skip_bad});
  return make_block_reader(request.context, request.names, options, std::move(rows), nullptr);
}

std::unique_ptr<Reader> open_text_lines(OpenRequest request) {
  BlockReaderOptions options;
  options.schema.format = Format::kTextLines;
  options.schema.kind = InputKind::kText;
  options.schema.text_fields = {"text"};
  options.schema.has_labels = request.labels != nullptr;
  options.skip_bad = request.options.skip_bad;
  std::unique_ptr<BlockSource> labels;
  if (request.labels) {
    labels = open_label_lines(request.context, request.options, std::move(request.labels));
  }
  auto rows = make_text_source(request.context, std::move(request.rows), make_text_parser,
                               {1, request.options.skip_bad});
  return make_block_reader(request.context, request.names, options, std::move(rows),
                           std::move(labels));
}

}  // namespace mhe::data
