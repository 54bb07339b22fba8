// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "output/metrics_output.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "flags/usage_error.h"
#include "output/table.h"
#include "output/units.h"

namespace mhe::app {
namespace {

using Json = nlohmann::ordered_json;

std::size_t place_of(const MetricsReport& report, std::string_view name) {
  const auto found = std::find(report.names.begin(), report.names.end(), name);
  if (found == report.names.end()) throw_error(ErrorCode::kInternal, "no metric {}", name);
  return static_cast<std::size_t>(found - report.names.begin());
}

std::string cell(const GroupReport& group, std::size_t place) {
  std::string text = format_per_cent(group.values[place]);
  if (group.intervals.empty()) return text;
  const Interval& interval = group.intervals[place];
  return fmt::format("{} [{}, {}]", text, format_per_cent(interval.low),
                     format_per_cent(interval.high));
}

// "P" of "P@1"; empty where there is no cutoff.
std::vector<std::string> cutoff_metrics(const MetricsReport& report) {
  std::vector<std::string> metrics;
  for (const std::string& name : report.names) {
    const std::size_t at = name.find('@');
    if (at == std::string::npos || name.ends_with("@threshold")) continue;
    if (metrics.empty() || metrics.back() != name.substr(0, at)) {
      metrics.push_back(name.substr(0, at));
    }
  }
  return metrics;
}

std::string overall_text(const MetricsReport& report, const MetricsSetting& setting,
                         std::size_t width) {
  Table table;
  std::vector<std::string> head = {"per cent"};
  for (const std::size_t k : setting.cutoffs) head.push_back(fmt::format("k = {}", k));
  table.add_row(std::move(head));
  for (const std::string& metric : cutoff_metrics(report)) {
    std::vector<std::string> row = {metric + "@k"};
    for (const std::size_t k : setting.cutoffs) {
      row.push_back(cell(report.overall, place_of(report, fmt::format("{}@{}", metric, k))));
    }
    table.add_row(std::move(row));
  }
  Table rest;
  if (setting.sets) {
    rest.add_row({"set accuracy", format_per_cent(setting.sets->accuracy)});
    rest.add_row({"labels of the sets: precision", format_per_cent(setting.sets->precision)});
    rest.add_row({"  recall", format_per_cent(setting.sets->recall)});
    rest.add_row({"  F1", format_per_cent(setting.sets->f1)});
  } else {
    rest.add_row({"accuracy", cell(report.overall, place_of(report, "accuracy"))});
  }
  if (setting.threshold) {
    for (const std::string_view metric : {"micro-F1", "macro-F1"}) {
      const std::size_t place = place_of(report, fmt::format("{}@threshold", metric));
      rest.add_row({fmt::format("{} at scores >= {}", metric, *setting.threshold),
                    cell(report.overall, place)});
    }
  }
  return table.render(width) + "\n" + rest.render(width);
}

std::string bins_text(const MetricsReport& report, const MetricsSetting& setting,
                      std::size_t width) {
  Table table;
  std::vector<std::string> head = {setting.has_training_data ? "training rows of a label"
                                                             : "true rows of a label"};
  std::vector<std::string> labels = {"labels"};
  std::vector<std::string> rows = {"rows"};
  for (const GroupReport& bin : report.bins) {
    head.push_back(bin.name);
    labels.push_back(format_count(bin.labels));
    rows.push_back(format_count(bin.rows));
  }
  table.add_row(std::move(head));
  table.add_row(std::move(labels));
  table.add_row(std::move(rows));
  // The others are in the JSON; these tell whether the tail is found.
  constexpr std::array<std::string_view, 5> kTelling = {"R", "nDCG", "PSP", "macro-F1", "coverage"};
  for (const std::string_view metric : kTelling) {
    for (const std::size_t k : setting.cutoffs) {
      const std::string name = fmt::format("{}@{}", metric, k);
      std::vector<std::string> row = {name};
      for (const GroupReport& bin : report.bins) {
        row.push_back(format_per_cent(bin.values[place_of(report, name)]));
      }
      table.add_row(std::move(row));
    }
  }
  return "\n" + table.render(width);
}

std::string facts_text(const MetricsReport& report, const MetricsSetting& setting) {
  Table table;
  const auto add = [&](std::string_view what, std::uint64_t count) {
    table.add_row({std::string(what), format_count(count)});
  };
  add("rows", report.rows);
  if (report.unlabeled_rows > 0) {
    const bool skipped = report.overall.rows < report.rows;
    add(skipped ? "  without true labels (left out)" : "  without true labels (score 0)",
        report.unlabeled_rows);
  }
  if (report.unpredicted_rows > 0) add("  without predictions", report.unpredicted_rows);
  if (report.short_rows > report.unpredicted_rows) {
    add(fmt::format("  with fewer than {} predictions", setting.cutoffs.back()),
        report.short_rows - report.unpredicted_rows);
  }
  add("true labels", report.true_labels);
  if (report.unseen_true_labels > 0) add("  never seen in training", report.unseen_true_labels);
  add("distinct true labels", report.overall.labels);
  return "\n" + table.render(80);
}

Json per_cent_figure(double share) {
  return std::isnan(share) ? Json(nullptr) : Json(round_figure(100 * share));
}

// The accuracy of single labels says little where whole sets are predicted.
bool is_shown(const std::string& name, const MetricsSetting& setting) {
  return name != "accuracy" || !setting.sets;
}

void put_values(const MetricsReport& report, const GroupReport& group,
                const MetricsSetting& setting, Json& json) {
  for (std::size_t i = 0; i < report.names.size(); ++i) {
    if (!is_shown(report.names[i], setting)) continue;
    json[report.names[i]] = per_cent_figure(group.values[i]);
  }
}

Json intervals_json(const MetricsReport& report, const GroupReport& group,
                    const MetricsSetting& setting) {
  Json json;
  for (std::size_t i = 0; i < report.names.size(); ++i) {
    if (!is_shown(report.names[i], setting)) continue;
    json[report.names[i]] = {per_cent_figure(group.intervals[i].low),
                             per_cent_figure(group.intervals[i].high)};
  }
  return json;
}

}  // namespace

std::string metrics_text(const MetricsReport& report, const MetricsSetting& setting,
                         std::size_t width) {
  std::string text = overall_text(report, setting, width);
  if (!report.bins.empty()) text += bins_text(report, setting, width);
  return text + facts_text(report, setting);
}

Json sets_json(const SetReport& sets) {
  return {{"accuracy", per_cent_figure(sets.accuracy)},
          {"precision", per_cent_figure(sets.precision)},
          {"recall", per_cent_figure(sets.recall)},
          {"F1", per_cent_figure(sets.f1)}};
}

Json metrics_json(const MetricsReport& report, const MetricsSetting& setting) {
  Json json;
  put_values(report, report.overall, setting, json);
  if (setting.sets) json["sets"] = sets_json(*setting.sets);
  if (setting.threshold) json["threshold"] = *setting.threshold;
  json["rows"] = report.rows;
  json["scored_rows"] = report.overall.rows;
  json["unlabeled_rows"] = report.unlabeled_rows;
  json["unpredicted_rows"] = report.unpredicted_rows;
  json["short_rows"] = report.short_rows;
  json["labels"] = report.overall.labels;
  json["true_labels"] = report.true_labels;
  json["unseen_true_labels"] = report.unseen_true_labels;
  for (const GroupReport& bin : report.bins) {
    Json& entry = json["by_frequency"][bin.name];
    entry["rows"] = bin.rows;
    entry["labels"] = bin.labels;
    put_values(report, bin, setting, entry);
    if (!bin.intervals.empty()) entry["confidence"] = intervals_json(report, bin, setting);
  }
  if (!report.overall.intervals.empty()) {
    Json& confidence = json["confidence"];
    confidence = intervals_json(report, report.overall, setting);
    confidence["level"] = 95;
    confidence["resamples"] = setting.bootstrap_resamples;
  }
  return json;
}

}  // namespace mhe::app
