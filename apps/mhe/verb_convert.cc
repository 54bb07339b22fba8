// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <mhe/error.h>

#include "data/reader.h"
#include "data/writer.h"
#include "data_flags.h"
#include "labels/names.h"
#include "units.h"
#include "verbs.h"

namespace mhe::app {
namespace {

struct ConvertFlags {
  std::string input;
  std::string output;
  std::string to = "auto";
  std::string label_file_out;
  std::string label_names_out;
  std::string label_separator_out;
  std::optional<std::uint64_t> num_features;
  std::optional<std::uint64_t> num_labels;
  std::size_t threads = 0;
  DataFlags data;
};

data::WriteOptions make_write_options(const ConvertFlags& flags) {
  data::WriteOptions options;
  options.path = flags.output;
  try {
    options.format = data::parse_format(flags.to);
  } catch (const Error& error) {
    throw UsageError(std::string("--to: ") + error.what());
  }
  if (options.format == data::Format::kAuto) {
    options.format = data::format_of_path(flags.output);
  }
  if (options.format == data::Format::kAuto) {
    throw UsageError(
        fmt::format("the name {} does not tell the format; name it with --to", flags.output));
  }
  options.label_path = flags.label_file_out;
  options.label_names_path = flags.label_names_out;
  options.label_separator = parse_label_separator(flags.label_separator_out);
  options.label_prefix = flags.data.label_prefix;
  options.num_features = flags.num_features;
  options.num_labels = flags.num_labels;
  return options;
}

// What a person may want to know about the data; empty if there is nothing out of the ordinary.
std::string describe_oddities(const data::ReadReport& report) {
  std::string text;
  const auto add = [&text](std::uint64_t count, const char* what) {
    if (count == 0) return;
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", what, format_count(count));
  };
  add(report.bad_lines.size(), "bad lines skipped");
  add(report.empty_rows, "rows without features or text");
  add(report.unlabeled_rows, "rows without labels");
  add(report.duplicate_features, "repeated features added up");
  add(report.duplicate_labels, "repeated labels dropped");
  return text;
}

void run_convert(Console& console, const ConvertFlags& flags) {
  const data::WriteOptions write_options = make_write_options(flags);
  const data::ReadOptions read_options = make_read_options(flags.data, flags.input);
  const auto context = console.make_context(flags.threads);
  labels::LabelNames names;
  const auto reader = data::open_reader(*context, read_options, names);
  const auto writer = data::open_writer(*context, write_options, reader->schema(), names);
  data::RowBatch batch;
  while (reader->next(batch)) writer->write(batch);
  writer->finish();
  const data::ReadReport& report = reader->report();
  const std::string oddities = describe_oddities(report);
  if (!oddities.empty()) console.say(oddities);
  console.summarize({report.rows, names.size()});
}

}  // namespace

std::function<void(Console&)> add_convert(CLI::App& command) {
  auto flags =
      std::make_shared<ConvertFlags>();  // shared: the flags outlive the parser that fills them
  command.add_option("input", flags->input, "Data set to read; - is standard input")->required();
  command.add_option("output", flags->output, "File to write; - is standard output")->required();
  command.add_option("--to", flags->to, "Format to write; auto decides by the output's name")
      ->capture_default_str();
  command.add_option("--label-file-out", flags->label_file_out,
                     "Second file for the labels, for formats that keep them apart");
  command.add_option("--label-names-out", flags->label_names_out,
                     "Number the labels where the format asks for numbers, and write their names "
                     "here, a line each");
  command.add_option("--label-separator-out", flags->label_separator_out,
                     "What separates labels in the output: characters, or tab, space, comma");
  command.add_option("--num-features", flags->num_features,
                     "Features that a header shall declare, if more than occur");
  command.add_option("--num-labels", flags->num_labels,
                     "Labels that a header shall declare, if more than occur");
  command.add_option("--threads", flags->threads, "Threads; 0: one per core")
      ->capture_default_str();
  add_data_flags(command, flags->data);
  return [flags](Console& console) { run_convert(console, *flags); };
}

}  // namespace mhe::app
