// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <mhe/dataset.h>
#include <mhe/label_space.h>

#include "base/atomic_file.h"
#include "base/mapped_file.h"
#include "data/reader.h"
#include "flags/data_flags.h"
#include "flags/option_flags.h"
#include "flags/text_flags.h"
#include "flags/write_flags.h"
#include "output/units.h"
#include "text/builder.h"
#include "text/options.h"
#include "verbs/verbs.h"

namespace mhe::app {
namespace {

struct FeaturesFlags {
  std::string input;
  std::string vocabulary;
  std::string vocabulary_out;
  std::vector<std::string> own;
  std::size_t threads = 0;
  text::VectorizerOptions options;
  DataFlags data;
  WriteFlags write;
};

text::VectorizerOptions options_for(const FeaturesFlags& flags, const Schema& schema) {
  text::VectorizerOptions options = flags.options;
  options.fields = make_fields(schema.text_fields, flags.own);
  return options;
}

text::Vectorizer read_vectorizer(const std::string& path) {
  const MappedFile file = MappedFile::open(path);
  const auto bytes = file.bytes();
  return text::Vectorizer::read({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// What the writer sees: the same rows with vectors in place of text.
Schema sparse_schema(Schema schema, std::size_t num_features) {
  schema.kind = InputKind::kSparse;
  schema.text_fields.clear();
  schema.declared_features = num_features;
  return schema;
}

// Fits on all rows, then writes them. Labels wait in memory beside the features.
void fit_and_write(const Context& context, const FeaturesFlags& flags, Reader& reader,
                   const LabelNames& names) {
  text::VectorizerBuilder builder(context, options_for(flags, reader.schema()),
                                  text::KeepDocuments::kYes);
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
  const auto writer =
      open_writer(context, make_write_options(flags.write),
                  sparse_schema(reader.schema(), fitted.vectorizer.num_features()), names);
  writer->write(all);
  writer->finish();
  if (flags.vocabulary_out.empty()) return;
  AtomicFile file(flags.vocabulary_out);
  file.write(fitted.vectorizer.write());
  file.commit();
}

void transform_and_write(const Context& context, const FeaturesFlags& flags, Reader& reader,
                         const LabelNames& names) {
  const text::Vectorizer vectorizer = read_vectorizer(flags.vocabulary);
  const auto writer = open_writer(context, make_write_options(flags.write),
                                  sparse_schema(reader.schema(), vectorizer.num_features()), names);
  RowBatch batch;
  while (reader.next(batch)) {
    batch.features = vectorizer.transform(context, text::Documents(batch.text));
    batch.text.clear();
    writer->write(batch);
  }
  writer->finish();
}

void run_features(Console& console, const FeaturesFlags& flags) {
  if (flags.vocabulary.empty() == flags.vocabulary_out.empty()) {
    throw UsageError(
        "give --vocabulary-out FILE to fit on this data, or --vocabulary FILE to use what was "
        "fitted before");
  }
  const auto context = console.make_context(flags.threads);
  LabelNames names = load_label_names(*context, flags.write);
  const auto reader =
      data::open_reader(*context, make_read_options(flags.data, flags.input), names);
  if (reader->schema().kind != InputKind::kText) {
    throw UsageError(fmt::format("{} has no text to turn into features", flags.input));
  }
  if (flags.vocabulary.empty()) {
    fit_and_write(*context, flags, *reader, names);
  } else {
    transform_and_write(*context, flags, *reader, names);
  }
  console.summarize({.rows = reader->report().rows, .labels = names.size()});
}

}  // namespace

std::function<void(Console&)> add_features(CLI::App& command) {
  auto flags = std::make_shared<FeaturesFlags>();
  command.add_option("input", flags->input, "Data set with text; - is standard input")->required();
  command.add_option("--vocabulary-out", flags->vocabulary_out,
                     "Fit the vocabulary on this data and write it here");
  command.add_option("--vocabulary", flags->vocabulary, "Use a vocabulary fitted before");
  add_own_flag(command, flags->own);
  flags->options.visit(OptionFlags(command));
  add_write_flags(command, flags->write);
  command.add_option("--threads", flags->threads, "Threads; 0: one per core")
      ->capture_default_str();
  add_data_flags(command, flags->data);
  return [flags](Console& console) { run_features(console, *flags); };
}

}  // namespace mhe::app
