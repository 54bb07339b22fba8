// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <mhe/text.h>

#include "base/mapped_file.h"
#include "text/builder.h"
#include "text/vectorizer.h"

namespace mhe {

TextVectorizer::TextVectorizer(text::Vectorizer fitted)
    : vectorizer_(std::make_shared<const text::Vectorizer>(std::move(fitted))) {}

TextVectorizer TextVectorizer::open(const std::string& path) {
  const MappedFile file = MappedFile::open(path);
  const auto bytes = file.bytes();
  return TextVectorizer(
      text::Vectorizer::read({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
}

void TextVectorizer::save(const std::string& path) const {
  write_file(path, vectorizer_->write());
}

const TextOptions& TextVectorizer::options() const noexcept {
  return vectorizer_->options();
}

std::size_t TextVectorizer::num_features() const noexcept {
  return vectorizer_->num_features();
}

std::string TextVectorizer::feature_name(FeatureId id) const {
  return vectorizer_->feature_name(id);
}

SparseMatrix TextVectorizer::transform(const Context& context, const TextRows& documents) const {
  return vectorizer_->transform(context, text::Documents(documents.texts, documents.num_fields));
}

void TextVectorizer::transform(const Context& context, RowBatch& batch) const {
  batch.features = vectorizer_->transform(context, text::Documents(batch.text));
  batch.text.clear();
}

Schema TextVectorizer::transform(Schema schema) const {
  schema.kind = InputKind::kSparse;
  schema.text_fields.clear();
  schema.declared_features = num_features();
  return schema;
}

FittedText fit_text(const Context& context, Reader& reader, const TextOptions& options) {
  text::VectorizerBuilder builder(context, options, text::KeepDocuments::kYes);
  RowBatch batch;
  RowBatch all;
  while (reader.next(batch)) {
    builder.add(text::Documents(batch.text));
    all.rows += batch.rows;
    all.labels.append(batch.labels);
    all.ids.append(batch.ids);
  }
  text::Fitted fitted = builder.finish();
  all.features = std::move(fitted.features);
  return {TextVectorizer(std::move(fitted.vectorizer)), std::move(all)};
}

}  // namespace mhe
