// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <fmt/format.h>

#include <mhe/dataset.h>

#include "flags/data_flags.h"
#include "flags/write_flags.h"
#include "output/units.h"
#include "verbs/verbs.h"

namespace mhe::app {
namespace {

struct ConvertFlags {
  std::string input;
  std::size_t threads = 0;
  DataFlags data;
  WriteFlags write;
};

// What a person may want to know about the data; empty if there is nothing out of the ordinary.
std::string describe_oddities(const ReadReport& report) {
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
  WriteOptions write_options = make_write_options(flags.write);
  if (!flags.data.label_prefix.empty()) write_options.label_prefix = flags.data.label_prefix;
  const ReadOptions read_options = make_read_options(flags.data, flags.input);
  const auto context = console.make_context(flags.threads);
  LabelNames names = load_label_names(*context, flags.write);
  const ReadReport report = convert(*context, read_options, write_options, names);
  const std::string oddities = describe_oddities(report);
  if (!oddities.empty()) console.say(oddities);
  console.summarize({.rows = report.rows, .labels = names.size()});
}

}  // namespace

std::function<void(Console&)> add_convert(CLI::App& command) {
  auto flags =
      std::make_shared<ConvertFlags>();  // shared: the flags outlive the parser that fills them
  command.add_option("input", flags->input, "Data set to read; - is standard input")->required();
  add_write_flags(command, flags->write);
  command.add_option("--threads", flags->threads, "Threads; default: one per core")
      ->capture_default_str();
  add_data_flags(command, flags->data);
  return [flags](Console& console) { run_convert(console, *flags); };
}

}  // namespace mhe::app
