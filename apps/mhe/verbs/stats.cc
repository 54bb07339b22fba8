// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <mhe/dataset.h>

#include "flags/data_flags.h"
#include "output/stats_output.h"
#include "output/table.h"
#include "verbs/verbs.h"

namespace mhe::app {
namespace {

struct StatsFlags {
  std::string file;
  std::string second_file;
  std::string second_label_file;
  bool ascii = false;
  bool json = false;
  std::size_t threads = 0;
  DataFlags data;
};

std::vector<NamedCount> most_frequent(const std::vector<std::uint64_t>& counts,
                                      const LabelNames& names, std::size_t how_many) {
  // The count that the last of them has; only labels with as many need their names.
  std::vector<std::uint64_t> sorted = counts;
  how_many = std::min(how_many, sorted.size());
  if (how_many == 0) return {};
  const auto last = sorted.begin() + static_cast<std::ptrdiff_t>(how_many - 1);
  std::nth_element(sorted.begin(), last, sorted.end(), std::greater<>());
  const std::uint64_t least = std::max<std::uint64_t>(*last, 1);
  std::vector<NamedCount> found;
  for (std::size_t id = 0; id < counts.size(); ++id) {
    if (counts[id] < least) continue;
    found.push_back({names.name(LabelId{static_cast<std::uint32_t>(id)}), counts[id]});
  }
  // Equal counts by name, shorter ones first, so that numbers stand in their order.
  std::sort(found.begin(), found.end(), [](const NamedCount& a, const NamedCount& b) {
    if (a.count != b.count) return a.count > b.count;
    return a.name.size() != b.name.size() ? a.name.size() < b.name.size() : a.name < b.name;
  });
  found.resize(std::min(found.size(), how_many));
  return found;
}

constexpr std::size_t kTopLabels = 10;

// Paths and names need not be UTF-8, but JSON is.
std::string dump_lines(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

FileStats make_stats(const std::string& path, Description description, const LabelNames& names) {
  FileStats stats = {path, std::move(description)};
  stats.top_labels = most_frequent(stats.description.label_counts, names, kTopLabels);
  return stats;
}

void run_one(Console& console, const StatsFlags& flags) {
  const auto context = console.make_context(flags.threads);
  LabelNames names;
  Description description = describe(*context, make_read_options(flags.data, flags.file), names);
  const FileStats stats = make_stats(flags.file, std::move(description), names);
  const BarStyle style = flags.ascii ? BarStyle::kAscii : bar_style_of_environment();
  console.print(flags.json ? dump_lines(stats_json(stats))
                           : stats_text(stats, style, console.width()));
  console.summarize({stats.description.report.rows, stats.description.distinct_labels});
}

void run_two(Console& console, const StatsFlags& flags) {
  const auto context = console.make_context(flags.threads);
  ReadOptions second_options = make_read_options(flags.data, flags.second_file);
  second_options.label_path = flags.second_label_file;
  LabelNames names;
  Comparison comparison =
      compare(*context, make_read_options(flags.data, flags.file), second_options, names);
  const FileStats first = make_stats(flags.file, std::move(comparison.first), names);
  const FileStats second = make_stats(flags.second_file, std::move(comparison.second), names);
  if (flags.json) {
    nlohmann::ordered_json json = stats_json(first);
    json["second"] = stats_json(second);
    json["comparison"] = comparison_json(second, comparison);
    console.print(dump_lines(json));
  } else {
    const BarStyle style = flags.ascii ? BarStyle::kAscii : bar_style_of_environment();
    console.print(stats_text(first, style, console.width()) + "\n" +
                  comparison_text(first, second, comparison));
  }
  console.summarize({first.description.report.rows + second.description.report.rows, names.size()});
}

void run_stats(Console& console, const StatsFlags& flags) {
  if (flags.second_file.empty()) {
    if (!flags.second_label_file.empty()) throw UsageError("--label-file2 goes with a second file");
    return run_one(console, flags);
  }
  if (flags.data.label_file.empty() != flags.second_label_file.empty()) {
    throw UsageError(
        "with two files, give both --label-file and --label-file2, or neither of them");
  }
  if (flags.file == "-" && flags.second_file == "-") {
    throw UsageError("standard input can be one file only, but - is given twice");
  }
  run_two(console, flags);
}

}  // namespace

std::function<void(Console&)> add_stats(CLI::App& command) {
  auto flags =
      std::make_shared<StatsFlags>();  // shared: the flags outlive the parser that fills them
  command.add_option("file", flags->file, "Data set to describe; - is standard input")->required();
  command.add_option("file2", flags->second_file,
                     "A second one: which of its labels and rows are new, seen from the first");
  command.add_option("--label-file2", flags->second_label_file,
                     "Second file with the labels of the second data set");
  command.add_flag("--ascii", flags->ascii, "Draw bars with # even in a UTF-8 locale");
  command.add_flag("--json", flags->json, "Print one JSON object");
  command.add_option("--threads", flags->threads, "Threads; default: one per core")
      ->capture_default_str();
  add_data_flags(command, flags->data);
  return [flags](Console& console) { run_stats(console, *flags); };
}

}  // namespace mhe::app
