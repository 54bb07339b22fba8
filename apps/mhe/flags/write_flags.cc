// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "flags/write_flags.h"

#include <fmt/format.h>

#include <mhe/error.h>

#include "flags/data_flags.h"
#include "flags/usage_error.h"

namespace mhe::app {

void add_write_flags(CLI::App& command, WriteFlags& flags) {
  command.add_option("output", flags.output, "File to write; - is standard output")->required();
  command.add_option("--to", flags.to, "Format to write; auto: by the name of the output")
      ->capture_default_str();
  command.add_option("--label-file-out", flags.label_file_out,
                     "Second file for the labels, for formats that keep them apart");
  command.add_option("--label-names-out", flags.label_names_out,
                     "Number the labels where the format asks for numbers, and write their names "
                     "here, a line each");
  command.add_option("--label-names", flags.label_names,
                     "Number labels as this file of names does, a line each: for test data, what "
                     "--label-names-out wrote for the training data");
  command.add_option("--label-separator-out", flags.label_separator_out,
                     "What separates labels in the output: characters, or tab, space, comma");
  command.add_option("--num-features", flags.num_features,
                     "Features that a header shall declare, if more than occur");
  command.add_option("--num-labels", flags.num_labels,
                     "Labels that a header shall declare, if more than occur");
}

WriteOptions make_write_options(const WriteFlags& flags) {
  WriteOptions options;
  options.path = flags.output;
  try {
    options.format = parse_format(flags.to);
  } catch (const Error& error) {
    throw UsageError(std::string("--to: ") + error.what());
  }
  if (options.format == Format::kAuto) options.format = format_of_path(flags.output);
  if (options.format == Format::kAuto) {
    throw UsageError(
        fmt::format("the name {} does not tell the format; name it with --to", flags.output));
  }
  options.label_path = flags.label_file_out;
  options.label_names_path = flags.label_names_out;
  options.number_labels = !flags.label_names.empty();
  options.label_separator = parse_label_separator(flags.label_separator_out);
  options.num_features = flags.num_features;
  options.num_labels = flags.num_labels;
  return options;
}

LabelNames load_label_names(const Context& context, const WriteFlags& flags) {
  LabelNames names;
  if (flags.label_names.empty()) return names;
  ReadOptions options;
  options.path = flags.label_names;
  options.format = Format::kTextLines;
  LabelNames none;
  const auto reader = open_reader(context, options, none);
  RowBatch batch;
  while (reader->next(batch)) {
    for (std::size_t row = 0; row < batch.rows; ++row) {
      const std::size_t before = names.size();
      names.intern(string_at(batch.text[0], row));
      if (names.size() == before) {
        throw Error(
            ErrorCode::kInvalidData,
            fmt::format("{}:{}: expected each label name once, found {} again", flags.label_names,
                        batch.first_row + row + 1, string_at(batch.text[0], row)));
      }
    }
  }
  return names;
}

}  // namespace mhe::app
