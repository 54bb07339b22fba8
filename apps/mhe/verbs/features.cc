// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <mhe/dataset.h>
#include <mhe/text.h>

#include "flags/data_flags.h"
#include "flags/option_flags.h"
#include "flags/write_flags.h"
#include "output/units.h"
#include "verbs/verbs.h"

namespace mhe::app {
namespace {

struct FeaturesFlags {
  std::string input;
  std::string vocabulary;
  std::string vocabulary_out;
  std::vector<std::string> own;
  std::size_t threads = 0;
  TextOptions options;
  DataFlags data;
  WriteFlags write;
};

// Fits on all rows, then writes them. Labels wait in memory beside the features.
void fit_and_write(const Context& context, const FeaturesFlags& flags, Reader& reader,
                   const LabelNames& names) {
  TextOptions options = flags.options;
  options.fields = make_fields(reader.schema().text_fields, flags.own);
  const FittedText fitted = fit_text(context, reader, options);
  const auto writer = open_writer(context, make_write_options(flags.write),
                                  fitted.vectorizer.transform(reader.schema()), names);
  writer->write(fitted.rows);
  writer->finish();
  fitted.vectorizer.save(flags.vocabulary_out);
}

void transform_and_write(const Context& context, const FeaturesFlags& flags, Reader& reader,
                         const LabelNames& names) {
  const TextVectorizer vectorizer = TextVectorizer::open(flags.vocabulary);
  const auto writer = open_writer(context, make_write_options(flags.write),
                                  vectorizer.transform(reader.schema()), names);
  RowBatch batch;
  while (reader.next(batch)) {
    vectorizer.transform(context, batch);
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
  const auto reader = open_reader(*context, make_read_options(flags.data, flags.input), names);
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
  command.add_option("--threads", flags->threads, "Threads; default: one per core")
      ->capture_default_str();
  add_data_flags(command, flags->data);
  return [flags](Console& console) { run_features(console, *flags); };
}

}  // namespace mhe::app
