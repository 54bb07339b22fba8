// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include "base/check.h"
#include "data/array_source.h"
#include "data/block_reader.h"
#include "data/open_format.h"

namespace mhe::data {
namespace {

// Joins rows of arrays with the label file, if there is one.
std::unique_ptr<Reader> finish_open(OpenRequest& request, BlockReaderOptions options,
                                    std::unique_ptr<BlockSource> rows) {
  options.skip_bad = request.options.skip_bad;
  LabelFile labels = open_label_file(request);
  options.schema.has_labels = labels.source != nullptr;
  options.schema.declared_labels = labels.declared_labels;
  options.label_form = labels.form;
  options.declared_label_rows = labels.declared_rows;
  const std::uint64_t num_rows = *options.schema.declared_rows;
  if (labels.declared_rows.value_or(num_rows) != num_rows) {
    fail(ErrorCode::kInvalidData, "{} has {} rows, but {} has {}; they must be the same",
         rows->bytes().name(), num_rows, labels.source->bytes().name(), *labels.declared_rows);
  }
  return make_block_reader(request.context, request.names, options, std::move(rows),
                           std::move(labels.source));
}

std::unique_ptr<Reader> open_dense(OpenRequest& request, std::unique_ptr<NpyArray> array,
                                   std::unique_ptr<ZipArchive> archive, Format format) {
  const std::vector<std::uint64_t> shape = array->shape();
  auto rows = make_dense_source(std::move(array), std::move(archive));
  BlockReaderOptions options;
  options.schema.format = format;
  options.schema.kind = InputKind::kDense;
  options.schema.declared_rows = shape[0];
  options.schema.declared_features = shape.size() == 2 ? shape[1] : 1;
  return finish_open(request, options, std::move(rows));
}

}  // namespace

LabelFile open_label_file(OpenRequest& request) {
  LabelFile file;
  if (!request.labels) return file;
  const std::string_view probe = request.labels->peek();
  if (probe.starts_with("PK")) {
    CsrMatrix matrix = open_csr(
        std::make_unique<ZipArchive>(make_byte_source(std::move(request.labels))), CsrUse::kLabels);
    file.form = number_labels(request.names, matrix.columns);
    file.declared_rows = matrix.rows;
    file.declared_labels = matrix.columns;
    file.source = std::move(matrix.source);
  } else if (probe.starts_with("\x93NUMPY")) {
    auto array = std::make_unique<NpyArray>(make_byte_source(std::move(request.labels)));
    file.declared_rows = array->size();
    file.source = make_label_array_source(std::move(array));
  } else {
    file.source = open_label_lines(request.context, request.options, std::move(request.labels));
  }
  return file;
}

std::unique_ptr<Reader> open_npy(OpenRequest request) {
  auto array = std::make_unique<NpyArray>(make_byte_source(std::move(request.rows)));
  return open_dense(request, std::move(array), nullptr, Format::kNpy);
}

std::unique_ptr<Reader> open_npz(OpenRequest request) {
  auto archive = std::make_unique<ZipArchive>(make_byte_source(std::move(request.rows)));
  const std::vector<std::string> members = archive->members();
  if (archive->has("indptr.npy")) {
    CsrMatrix matrix = open_csr(std::move(archive), CsrUse::kFeatures);
    BlockReaderOptions options;
    options.schema.format = Format::kNpz;
    options.schema.declared_rows = matrix.rows;
    options.schema.declared_features = matrix.columns;
    return finish_open(request, options, std::move(matrix.source));
  }
  if (members.size() != 1) {
    fail(ErrorCode::kInvalidData,
         "{}: expected a csr matrix saved by scipy.sparse.save_npz or a single array, found {} "
         "members",
         archive->source().name(), members.size());
  }
  auto array = std::make_unique<NpyArray>(archive->open(members.front()));
  return open_dense(request, std::move(array), std::move(archive), Format::kNpz);
}

}  // namespace mhe::data
