// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "data/block_reader.h"
#include "data/line_error.h"
#include "data/open_format.h"
#include "data/sparse_text.h"

namespace mhe::data {
namespace {

constexpr std::uint64_t kMaxIds = std::numeric_limits<std::uint32_t>::max() - 1;

XmcHeader take_header(LineBlocks& lines, std::size_t num_numbers, std::string_view meaning) {
  const std::string& name = lines.source().name();
  std::string line;
  if (!lines.take_line(line)) {
    fail(ErrorCode::kInvalidData, "{} is empty, expected a header \"{}\"", name, meaning);
  }
  const auto header = parse_xmc_header(line);
  if (!header || header->labels.has_value() != (num_numbers == 3)) {
    fail(ErrorCode::kInvalidData, "{}:1: expected a header of {} numbers \"{}\", found {}", name,
         num_numbers, meaning, quote_found(line));
  }
  if (header->columns > kMaxIds || header->labels.value_or(0) > kMaxIds) {
    fail(ErrorCode::kInvalidData, "{}:1: the header declares {}; at most {} are supported", name,
         quote_found(line), kMaxIds);
  }
  return *header;
}

IdRange feature_range(const ReadOptions& options, std::optional<std::uint64_t> count) {
  return {options.index_base.value_or(0), count, options.index_base.has_value()};
}

}  // namespace

std::unique_ptr<Reader> open_xmc(OpenRequest request) {
  require(request.labels == nullptr,
          "{} has the labels in its rows, so a label file does not go with it",
          request.rows->source().name());
  const XmcHeader header = take_header(*request.rows, 3, "rows features labels");
  BlockReaderOptions options;
  options.schema.format = Format::kXmc;
  options.schema.declared_rows = header.rows;
  options.schema.declared_features = header.columns;
  options.schema.declared_labels = header.labels;
  options.skip_bad = request.options.skip_bad;
  options.label_form = number_labels(request.names, *header.labels);
  const IdRange features = feature_range(request.options, header.columns);
  const std::uint64_t num_labels = *header.labels;
  auto rows =
      make_text_source(request.context, std::move(request.rows),
                       [features, num_labels] { return make_xmc_parser(features, num_labels); },
                       {0, request.options.skip_bad});
  return make_block_reader(request.context, request.names, options, std::move(rows), nullptr);
}

std::unique_ptr<Reader> open_xmc_pair(OpenRequest request) {
  const std::string name = request.rows->source().name();
  const XmcHeader header = take_header(*request.rows, 2, "rows features");
  if (request.labels == nullptr && request.options.format != Format::kXmcPair) {
    fail(ErrorCode::kInvalidArgument,
         "{} is the feature file of a two-file data set; give its labels as a label file, or "
         "name the format xmc-pair if there are none",
         name);
  }
  BlockReaderOptions options;
  options.schema.format = Format::kXmcPair;
  options.schema.declared_rows = header.rows;
  options.schema.declared_features = header.columns;
  options.schema.has_labels = request.labels != nullptr;
  options.skip_bad = request.options.skip_bad;
  const TextBlockOptions text_options{0, request.options.skip_bad};
  std::unique_ptr<BlockSource> labels;
  if (request.labels) {
    const std::string label_name = request.labels->source().name();
    const XmcHeader label_header = take_header(*request.labels, 2, "rows labels");
    if (label_header.rows != header.rows) {
      fail(ErrorCode::kInvalidData,
           "{} declares {} rows, but {} declares {}; they must be the same", name, header.rows,
           label_name, label_header.rows);
    }
    options.declared_label_rows = label_header.rows;
    options.schema.declared_labels = label_header.columns;
    options.label_form = number_labels(request.names, label_header.columns);
    const std::uint64_t num_labels = label_header.columns;
    labels = make_text_source(
        request.context, std::move(request.labels),
        [num_labels] { return make_label_matrix_parser(num_labels); }, text_options);
  }
  const IdRange features = feature_range(request.options, header.columns);
  auto rows = make_text_source(
      request.context, std::move(request.rows),
      [features] { return make_feature_parser(features); }, text_options);
  return make_block_reader(request.context, request.names, options, std::move(rows),
                           std::move(labels));
}

std::unique_ptr<Reader> open_svmlight(OpenRequest request) {
  require(request.labels == nullptr,
          "{} has the labels in its rows, so a label file does not go with it",
          request.rows->source().name());
  BlockReaderOptions options;
  options.schema.format = Format::kSvmlight;
  options.skip_bad = request.options.skip_bad;
  const IdRange features = feature_range(request.options, std::nullopt);
  auto rows = make_text_source(request.context, std::move(request.rows),
                               [features] { return make_svmlight_parser(features); },
                               {0, request.options.skip_bad});
  return make_block_reader(request.context, request.names, options, std::move(rows), nullptr);
}

}  // namespace mhe::data
