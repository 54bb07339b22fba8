// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <mhe/label_space.h>

#include "data/description.h"
#include "data/near_duplicates.h"
#include "data/reader.h"
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

// Reads a whole file; `take` sees every batch beside the description.
template <class Take>
FileStats describe(const Context& context, const data::ReadOptions& options, LabelNames& names,
                   const Take& take) {
  const auto reader = data::open_reader(context, options, names);
  FileStats stats;
  stats.path = options.path;
  data::RowBatch batch;
  while (reader->next(batch)) {
    stats.description.add(context, batch);
    take(batch);
  }
  stats.schema = reader->schema();
  stats.report = reader->report();
  return stats;
}

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

void find_unseen(const Ragged<LabelId>& rows, const FileStats& first, const FileStats& second,
                 Comparison& comparison) {
  const std::vector<std::uint64_t>& seen = first.description.label_counts();
  const std::vector<std::uint64_t>& counts = second.description.label_counts();
  const auto unseen = [&](std::size_t id) { return id >= seen.size() || seen[id] == 0; };
  for (std::size_t id = 0; id < counts.size(); ++id) {
    if (counts[id] == 0 || !unseen(id)) continue;
    ++comparison.unseen_labels;
    comparison.unseen_occurrences += counts[id];
  }
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const auto labels = rows[row];
    const bool any = std::any_of(labels.begin(), labels.end(),
                                 [&](LabelId label) { return unseen(index_of(label)); });
    comparison.rows_with_unseen += any ? 1 : 0;
  }
}

constexpr std::size_t kTopLabels = 10;

// Paths and names need not be UTF-8, but JSON is.
std::string dump_lines(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void run_one(Console& console, const StatsFlags& flags) {
  const auto context = console.make_context(flags.threads);
  LabelNames names;
  FileStats stats = describe(*context, make_read_options(flags.data, flags.file), names,
                             [](const data::RowBatch&) {});
  stats.top_labels = most_frequent(stats.description.label_counts(), names, kTopLabels);
  const BarStyle style = flags.ascii ? BarStyle::kAscii : bar_style_of_environment();
  console.print(flags.json ? dump_lines(stats_json(stats))
                           : stats_text(stats, style, console.width()));
  console.summarize({stats.report.rows, stats.description.distinct_labels()});
}

// The second file is read first and its rows are looked for while the first one passes by: it is
// the smaller one as a rule (test, dev), so less is kept in memory.
void run_two(Console& console, const StatsFlags& flags) {
  const auto context = console.make_context(flags.threads);
  data::ReadOptions second_options = make_read_options(flags.data, flags.second_file);
  second_options.label_path = flags.second_label_file;
  LabelNames names;
  const data::NearDuplicateOptions duplicate_options;
  data::NearDuplicates duplicates(duplicate_options);
  Ragged<LabelId> second_labels;
  FileStats second = describe(*context, second_options, names, [&](const data::RowBatch& batch) {
    duplicates.add(*context, batch);
    second_labels.append(batch.labels);
  });
  FileStats first =
      describe(*context, make_read_options(flags.data, flags.file), names,
               [&](const data::RowBatch& batch) { duplicates.match(*context, batch); });
  first.top_labels = most_frequent(first.description.label_counts(), names, kTopLabels);
  second.top_labels = most_frequent(second.description.label_counts(), names, kTopLabels);
  Comparison comparison;
  comparison.duplicates = duplicates.report();
  comparison.min_similarity = duplicate_options.min_similarity;
  find_unseen(second_labels, first, second, comparison);
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
  console.summarize({first.report.rows + second.report.rows, names.size()});
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
  command.add_option("--threads", flags->threads, "Threads; 0: one per core")
      ->capture_default_str();
  add_data_flags(command, flags->data);
  return [flags](Console& console) { run_stats(console, *flags); };
}

}  // namespace mhe::app
