// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "output/data_report.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include <mhe/dataset.h>

#include "output/table.h"
#include "output/units.h"

namespace mhe::app {
namespace {

struct Part {
  tasks::SplitFile file;
  std::uint64_t bytes = 0;
  Description description;
  std::uint64_t unseen_labels = 0;  // that do not occur in train
};

Part describe_part(const Context& context, const std::string& directory,
                   const tasks::SplitFile& file, LabelNames& names) {
  const std::filesystem::path root(directory);
  ReadOptions options;
  options.path = (root / file.name).string();
  if (!file.labels_name.empty()) options.label_path = (root / file.labels_name).string();
  Part part;
  part.file = file;
  part.description = describe(context, options, names);
  part.bytes = std::filesystem::file_size(options.path);
  return part;
}

// Labels that occur in any part.
std::uint64_t count_labels(const std::vector<Part>& parts) {
  std::vector<bool> occurs;
  for (const Part& part : parts) {
    const auto& counts = part.description.label_counts;
    occurs.resize(std::max(occurs.size(), counts.size()));
    for (std::size_t id = 0; id < counts.size(); ++id) occurs[id] = occurs[id] || counts[id] > 0;
  }
  return static_cast<std::uint64_t>(std::count(occurs.begin(), occurs.end(), true));
}

std::uint64_t count_unseen(const Part& train, const Part& part) {
  const auto& seen = train.description.label_counts;
  const auto& counts = part.description.label_counts;
  std::uint64_t unseen = 0;
  for (std::size_t id = 0; id < counts.size(); ++id) {
    if (counts[id] > 0 && (id >= seen.size() || seen[id] == 0)) ++unseen;
  }
  return unseen;
}

// Mean words or features of a row, the same for both; dense rows are all alike.
std::string input_size(const Part& part) {
  if (part.description.schema.kind == InputKind::kDense) {
    return format_count(part.description.schema.declared_features.value_or(0));
  }
  if (part.description.schema.kind == InputKind::kSparse) {
    return fmt::format("{:.1f}", part.description.features_per_row.mean());
  }
  double words = 0;
  for (const auto& field : part.description.text) words += field.words.mean();
  return fmt::format("{:.1f}", words);
}

std::string text_of(const std::vector<Part>& parts, std::size_t width) {
  Table table;
  const bool text = !parts.empty() && parts.front().description.schema.kind == InputKind::kText;
  table.add_row(
      {"", "rows", "labels", "unseen", "labels/row", text ? "words/row" : "features/row", "size"});
  for (const Part& part : parts) {
    table.add_row({part.file.name, format_count(part.description.report.rows),
                   format_count(part.description.distinct_labels), format_count(part.unseen_labels),
                   fmt::format("{:.2f}", part.description.labels_per_row.mean()), input_size(part),
                   format_bytes(part.bytes)});
  }
  return table.render(width);
}

nlohmann::ordered_json json_of(const std::vector<Part>& parts, const std::string& directory,
                               const std::vector<std::string>& notes) {
  nlohmann::ordered_json json = {{"directory", directory}};
  for (const Part& part : parts) {
    json[std::string(name_of(part.file.split))] = {
        {"file", part.file.name},
        {"rows", part.description.report.rows},
        {"labels", part.description.distinct_labels},
        {"unseen_labels", part.unseen_labels},
        {"labels_per_row", part.description.labels_per_row.mean()},
        {"bytes", part.bytes}};
  }
  json["notes"] = notes;
  return json;
}

}  // namespace

TaskTotals report_task(Console& console, const Context& context, const std::string& directory,
                       const tasks::TaskResult& result, ReportStyle style) {
  LabelNames names;
  std::vector<Part> parts;
  TaskTotals totals;
  for (const tasks::SplitFile& file : result.files) {
    parts.push_back(describe_part(context, directory, file, names));
    totals.rows += parts.back().description.report.rows;
    parts.back().unseen_labels = count_unseen(parts.front(), parts.back());
  }
  totals.labels = count_labels(parts);
  if (style == ReportStyle::kJson) {
    const auto replace = nlohmann::ordered_json::error_handler_t::replace;
    console.print(json_of(parts, directory, result.notes).dump(2, ' ', false, replace) + "\n");
  } else {
    for (const std::string& note : result.notes) console.say(note);
    console.print(text_of(parts, console.width()));
  }
  return totals;
}

}  // namespace mhe::app
