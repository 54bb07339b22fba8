// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "output/stats_output.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include <mhe/model.h>

#include "output/reading_output.h"
#include "output/units.h"

namespace mhe::app {
namespace {

std::string share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  const double per_cent = 100 * static_cast<double>(part) / static_cast<double>(whole);
  return part > 0 && per_cent < 0.05 ? "<0.1 %" : fmt::format("{:.1f} %", per_cent);
}

// 1234.567 -> "1,234.57".
std::string decimal(double value, int digits) {
  const std::string text = fmt::format("{:.{}f}", value, digits);
  const std::size_t point = std::min(text.find('.'), text.size());
  return format_count(std::stoull(text.substr(0, point))) + text.substr(point);
}

std::string range(std::uint64_t first, std::uint64_t last) {
  return first == last ? format_count(first)
                       : fmt::format("{}-{}", format_count(first), format_count(last));
}

void add_distribution(std::string name, const Distribution& values, Table& table) {
  table.add_row({std::move(name), format_count(values.min()),
                 decimal(values.median(), values.median() == std::floor(values.median()) ? 0 : 1),
                 decimal(values.mean(), 2), format_count(values.max()),
                 format_count(values.sum())});
}

std::string rows_text(const FileStats& stats) {
  const ReadReport& report = stats.description.report;
  std::string line = fmt::format("{} rows", format_count(report.rows));
  const auto add = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) line += fmt::format(", {} {}", format_count(count), what);
  };
  add(report.empty_rows, "empty");
  add(report.unlabeled_rows, "without labels");
  add(report.duplicate_features, "repeated features merged");
  add(report.duplicate_labels, "repeated labels merged");
  add(report.bad_lines.size(), "bad lines skipped");
  return line + "\n";
}

// Where the labels are and what separates them, where that is a question.
std::string labels_text(const Schema& schema) {
  const DataLayout& layout = schema.layout;
  if (layout.label_separator.empty()) return {};
  return fmt::format("labels{}{}, {}{}\n", layout.label_column.empty() ? "" : " from ",
                     printable(layout.label_column, 40), separator_words(layout.label_separator),
                     schema.separator_is_guess ? " (a guess)" : "");
}

std::string distinct_text(std::string_view what, std::uint64_t distinct,
                          const std::optional<std::uint64_t>& declared) {
  std::string line = fmt::format("{} {}", format_count(distinct), what);
  if (declared) line += fmt::format(" of {} declared", format_count(*declared));
  return line + "\n";
}

std::string lengths_text(const FileStats& stats, std::size_t width) {
  Table table;
  table.add_row({"per row", "min", "median", "mean", "max", "total"});
  const Description& description = stats.description;
  if (stats.description.schema.has_labels)
    add_distribution("labels", description.labels_per_row, table);
  if (stats.description.schema.kind == InputKind::kSparse) {
    add_distribution("features", description.features_per_row, table);
  }
  for (std::size_t i = 0; i < description.text.size(); ++i) {
    const std::string field = i < stats.description.schema.text_fields.size()
                                  ? stats.description.schema.text_fields[i]
                                  : "text";
    add_distribution(fit(field, 24) + " words", description.text[i].words, table);
    add_distribution(fit(field, 24) + " bytes", description.text[i].bytes, table);
  }
  return table.render(width);
}

struct Bar {
  std::string name;
  std::uint64_t length = 0;
  std::vector<std::string> notes;
};

std::string bars_text(const std::vector<Bar>& bars, BarStyle style, std::size_t width) {
  std::size_t name_width = 0;
  std::uint64_t longest = 1;
  std::vector<std::size_t> note_widths;
  for (const Bar& bar : bars) {
    name_width = std::max(name_width, bar.name.size());
    longest = std::max(longest, bar.length);
    note_widths.resize(std::max(note_widths.size(), bar.notes.size()), 0);
    for (std::size_t i = 0; i < bar.notes.size(); ++i) {
      note_widths[i] = std::max(note_widths[i], bar.notes[i].size());
    }
  }
  std::size_t used = name_width + 4;
  for (const std::size_t note : note_widths) used += note + 2;
  const std::size_t bar_width = std::clamp<std::size_t>(width > used ? width - used : 0, 10, 40);
  std::string text;
  for (const Bar& bar : bars) {
    const double part = static_cast<double>(bar.length) / static_cast<double>(longest);
    text += fmt::format("  {:>{}}  {}", bar.name, name_width, draw_bar(part, bar_width, style));
    for (std::size_t i = 0; i < bar.notes.size(); ++i) {
      text += fmt::format("  {:>{}}", bar.notes[i], note_widths[i]);
    }
    text += '\n';
  }
  return text;
}

// Rows by their number of labels: one bar each where there are few numbers, else powers of two.
std::string labels_per_row_text(const Distribution& values, BarStyle style, std::size_t width) {
  constexpr std::uint64_t kMaxSingle = 16;
  std::vector<Bar> bars;
  const auto add = [&](std::uint64_t first, std::uint64_t last) {
    std::uint64_t rows = 0;
    for (auto it = values.values().lower_bound(first);
         it != values.values().end() && it->first <= last; ++it) {
      rows += it->second;
    }
    bars.push_back({range(first, last), rows, {format_count(rows), share(rows, values.count())}});
  };
  if (values.min() == 0) add(0, 0);
  std::uint64_t first = 1;
  while (first <= values.max()) {
    const std::uint64_t last = values.max() <= kMaxSingle ? first : first * 2 - 1;
    if (last >= values.min()) add(first, last);
    first = last + 1;
  }
  return "rows by number of labels\n" + bars_text(bars, style, width);
}

std::string frequencies_text(const FileStats& stats, BarStyle style, std::size_t width) {
  const std::uint64_t distinct = stats.description.distinct_labels;
  const std::uint64_t occurrences = stats.description.labels_per_row.sum();
  std::vector<Bar> bars;
  std::uint64_t rare = 0;
  std::uint64_t rare_occurrences = 0;
  for (const FrequencyBar& bar : frequency_bars(stats.description.label_counts)) {
    if (bar.labels == 0 && bars.empty()) continue;  // begin with the rarest label
    bars.push_back({range(bar.first, bar.last),
                    bar.labels,
                    {format_count(bar.labels), share(bar.labels, distinct),
                     share(bar.occurrences, occurrences)}});
    if (bar.last <= 5) {
      rare += bar.labels;
      rare_occurrences += bar.occurrences;
    }
  }
  return "labels by number of rows (labels, share of labels, share of occurrences)\n" +
         bars_text(bars, style, width) +
         fmt::format("  at most 5 rows: {} of the labels, {} of their occurrences\n",
                     share(rare, distinct), share(rare_occurrences, occurrences));
}

std::string top_labels_text(const FileStats& stats, std::size_t width) {
  Table table;
  for (const NamedCount& label : stats.top_labels) {
    table.add_row({"  " + fit(label.name, std::min<std::size_t>(width / 2, 60)),
                   format_count(label.count), share(label.count, stats.description.report.rows)});
  }
  return "most frequent labels (rows, share of rows)\n" + table.render(width);
}

nlohmann::ordered_json distribution_json(const Distribution& values) {
  return {{"min", values.min()},
          {"median", values.median()},
          {"mean", values.mean()},
          {"max", values.max()},
          {"total", values.sum()}};
}

nlohmann::ordered_json labels_json(const FileStats& stats) {
  const Description& description = stats.description;
  nlohmann::ordered_json json = {{"distinct", description.distinct_labels}};
  if (stats.description.schema.declared_labels)
    json["declared"] = *stats.description.schema.declared_labels;
  json["per_row"] = distribution_json(description.labels_per_row);
  nlohmann::ordered_json& rows = json["rows_by_labels"] = nlohmann::ordered_json::array();
  for (const auto& [labels, count] : description.labels_per_row.values()) {
    rows.push_back({{"labels", labels}, {"rows", count}});
  }
  nlohmann::ordered_json& bars = json["frequencies"] = nlohmann::ordered_json::array();
  for (const FrequencyBar& bar : frequency_bars(description.label_counts)) {
    bars.push_back({{"first", bar.first},
                    {"last", bar.last},
                    {"labels", bar.labels},
                    {"occurrences", bar.occurrences}});
  }
  nlohmann::ordered_json& top = json["most_frequent"] = nlohmann::ordered_json::array();
  for (const NamedCount& label : stats.top_labels) {
    top.push_back({{"label", label.name}, {"rows", label.count}});
  }
  return json;
}

}  // namespace

std::vector<FrequencyBar> frequency_bars(const std::vector<std::uint64_t>& counts) {
  const std::uint64_t most = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
  std::vector<FrequencyBar> bars;
  std::uint64_t first = 1;
  for (std::uint64_t decade = 1; first <= most; decade *= 10) {
    for (const std::uint64_t last : {decade, 2 * decade, 5 * decade}) {
      if (first <= most) bars.push_back({first, last, 0, 0});
      first = last + 1;
    }
  }
  for (const std::uint64_t count : counts) {
    if (count == 0) continue;
    auto bar = std::lower_bound(
        bars.begin(), bars.end(), count,
        [](const FrequencyBar& entry, std::uint64_t value) { return entry.last < value; });
    ++bar->labels;
    bar->occurrences += count;
  }
  return bars;
}

std::string stats_text(const FileStats& stats, BarStyle style, std::size_t width) {
  const Schema& schema = stats.description.schema;
  std::string text = fmt::format("{}: {}, {}\n", stats.path, format_name(schema.format),
                                 format_bytes(stats.description.report.bytes));
  text += rows_text(stats);
  if (schema.has_labels) {
    text += labels_text(schema);
    text += distinct_text("labels", stats.description.distinct_labels, schema.declared_labels);
  }
  if (schema.kind == InputKind::kSparse) {
    text +=
        distinct_text("features", stats.description.distinct_features, schema.declared_features);
  }
  if (schema.kind == InputKind::kDense) {
    text += fmt::format("{} numbers a row\n", format_count(schema.declared_features.value_or(0)));
  }
  if (stats.description.report.rows == 0) return text;
  text += "\n" + lengths_text(stats, width);
  if (!schema.has_labels || stats.description.distinct_labels == 0) return text;
  text += "\n" + labels_per_row_text(stats.description.labels_per_row, style, width);
  text += "\n" + frequencies_text(stats, style, width);
  return text + "\n" + top_labels_text(stats, width);
}

std::string comparison_text(const FileStats& first, const FileStats& second,
                            const Comparison& comparison) {
  const NearDuplicateReport& found = comparison.duplicates;
  const std::uint64_t occurrences = second.description.labels_per_row.sum();
  std::string text = fmt::format("{}\nseen from {}\n", second.path, first.path);
  Table table;
  const auto add = [&](std::string what, std::uint64_t part, std::uint64_t whole) {
    table.add_row({"  " + std::move(what), format_count(part),
                   fmt::format("of {}", format_count(whole)), share(part, whole)});
  };
  if (second.description.schema.has_labels) {
    add("labels unseen", comparison.unseen_labels, second.description.distinct_labels);
    add("their occurrences", comparison.unseen_occurrences, occurrences);
    add("rows with an unseen label", comparison.rows_with_unseen, second.description.report.rows);
  }
  add("rows that are exact copies", found.exact, found.looked_for);
  add("near-duplicates, copies included", found.near, found.looked_for);
  text += table.render(80);
  text += fmt::format(
      "  Near-duplicates share {:.0f} % of their words or features, as MinHash estimates it.\n",
      100 * comparison.min_similarity);
  if (found.looked_for + found.empty_rows < found.rows) {
    text +=
        fmt::format("  A random part of the {} rows was looked for.\n", format_count(found.rows));
  }
  return text;
}

nlohmann::ordered_json stats_json(const FileStats& stats) {
  const Schema& schema = stats.description.schema;
  const ReadReport& report = stats.description.report;
  nlohmann::ordered_json json = {{"path", stats.path},
                                 {"format", format_name(schema.format)},
                                 {"bytes", report.bytes},
                                 {"rows", report.rows},
                                 {"empty_rows", report.empty_rows},
                                 {"unlabeled_rows", report.unlabeled_rows},
                                 {"duplicate_features", report.duplicate_features},
                                 {"duplicate_labels", report.duplicate_labels},
                                 {"bad_lines", report.bad_lines.size()}};
  if (schema.has_labels) json["labels"] = labels_json(stats);
  if (!schema.layout.label_separator.empty()) {
    json["label_separator"] = schema.layout.label_separator;
  }
  if (schema.kind != InputKind::kText) {
    nlohmann::ordered_json& features = json["features"];
    if (schema.declared_features) features["declared"] = *schema.declared_features;
    if (schema.kind == InputKind::kSparse) {
      features["distinct"] = stats.description.distinct_features;
      features["per_row"] = distribution_json(stats.description.features_per_row);
    }
  }
  for (std::size_t i = 0; i < stats.description.text.size(); ++i) {
    const std::string field = i < schema.text_fields.size() ? schema.text_fields[i] : "text";
    json["text"][field] = {{"words", distribution_json(stats.description.text[i].words)},
                           {"bytes", distribution_json(stats.description.text[i].bytes)}};
  }
  return json;
}

nlohmann::ordered_json comparison_json(const FileStats& second, const Comparison& comparison) {
  const NearDuplicateReport& found = comparison.duplicates;
  return {{"rows", second.description.report.rows},
          {"unseen_labels", comparison.unseen_labels},
          {"labels", second.description.distinct_labels},
          {"unseen_occurrences", comparison.unseen_occurrences},
          {"occurrences", second.description.labels_per_row.sum()},
          {"rows_with_unseen_labels", comparison.rows_with_unseen},
          {"rows_looked_for", found.looked_for},
          {"exact_copies", found.exact},
          {"near_duplicates", found.near},
          {"min_similarity", comparison.min_similarity}};
}

}  // namespace mhe::app
