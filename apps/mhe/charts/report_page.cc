// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "charts/report_page.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mhe/context.h>

#include "charts/report_charts.h"
#include "charts/report_style.h"
#include "charts/svg.h"
#include "output/units.h"

namespace mhe::app {
namespace {

std::string short_per_cent(double share) {
  return format_per_cent(share, 1);
}

std::string seconds(double value) {
  return value < 100 ? fmt::format("{:.1f} s", value) : format_seconds(value);
}

std::string section(std::string_view id, std::string_view title, std::string_view lead,
                    std::string_view body) {
  return fmt::format(
      "<section id=\"{}\">\n<h2>{}</h2>\n<p class=\"lead\">{}</p>\n<div "
      "class=\"grid\">\n{}</div>\n</section>\n",
      id, escape_markup(title), escape_markup(lead), body);
}

std::string panel(std::string_view title, std::string_view note, std::string_view body,
                  std::string_view style = "") {
  if (body.empty()) return {};
  return fmt::format("<div class=\"panel {}\">\n<h3>{}</h3>\n<p class=\"note\">{}</p>\n{}</div>\n",
                     style, escape_markup(title), escape_markup(note), body);
}

std::string chart_panels(const TrainingHistory& history, Topic topic) {
  std::string html;
  for (const Chart& chart : history.charts) {
    if (chart.topic == topic) html += panel(chart.title, chart.note, draw_chart(chart));
  }
  return html;
}

using Row = std::vector<std::string>;

std::string table(const Row& head, const std::vector<Row>& rows) {
  const auto line = [](const Row& cells, std::string_view tag) {
    std::string html = "<tr>";
    for (const std::string& cell : cells) {
      html += fmt::format("<{0}>{1}</{0}>", tag, escape_markup(cell));
    }
    return html + "</tr>\n";
  };
  std::string html = "<table>\n" + line(head, "th");
  for (const Row& row : rows) html += line(row, "td");
  return html + "</table>\n";
}

double value_of(const MetricsReport& report, const GroupReport& group, std::string_view name) {
  const auto found = std::find(report.names.begin(), report.names.end(), name);
  return found == report.names.end()
             ? std::nan("")
             : group.values[static_cast<std::size_t>(found - report.names.begin())];
}

std::string header(const TrainingPage& page) {
  const TrainingHistory& history = page.history;
  std::string cards;
  const auto card = [&](std::string_view figure, std::string_view what) {
    cards += fmt::format("<div class=\"card\"><b>{}</b><span>{}</span></div>\n",
                         escape_markup(figure), escape_markup(what));
  };
  if (history.sets)
    card(short_per_cent(history.sets->accuracy) + " %", "sets right, label for label");
  if (history.metrics) {
    card(short_per_cent(history.metrics->value("P@1")) + " %", "first label right (P@1)");
    card(short_per_cent(history.metrics->value("P@5")) + " %", "of five labels right (P@5)");
    card(short_per_cent(history.metrics->value("nDCG@5")) + " %", "ranking quality (nDCG@5)");
    card(short_per_cent(history.reliability.expected_error) + " %", "error of the probabilities");
  }
  card(seconds(page.usage.wall_seconds), "training time");
  card(format_bytes(page.usage.peak_bytes), "peak memory");
  card(format_bytes(page.model_bytes), "model file");
  const std::string validation =
      history.validation_rows > 0
          ? fmt::format(" Quality is measured on {} {} rows that the model was not trained on.",
                        format_count(history.validation_rows), page.rows_kind)
          : " No rows were kept apart, so there are no figures of quality.";
  const std::string lead =
      fmt::format("Trained on {}: {} rows, {} labels, {} features; {}.{}", page.data,
                  format_count(history.data.rows), format_count(history.data.labels),
                  format_count(history.data.features), page.shape, validation);
  return fmt::format(
      "<header>\n<h1>{}</h1>\n<p class=\"lead\">{}</p>\n<div "
      "class=\"cards\">\n{}</div>\n</header>\n",
      escape_markup(page.model), escape_markup(lead), cards);
}

std::string sets_panel(const SetReport& sets) {
  const std::vector<Row> rows = {{"set accuracy", short_per_cent(sets.accuracy)},
                                 {"precision of its labels", short_per_cent(sets.precision)},
                                 {"recall", short_per_cent(sets.recall)},
                                 {"F1", short_per_cent(sets.f1)}};
  return panel("Sets of labels",
               "Per cent. Set accuracy: rows whose most probable set is right, label for label. "
               "Precision, recall and F1 are of the labels of these sets.",
               table({"", "most probable set"}, rows));
}

std::string quality_section(const TrainingPage& page) {
  const MetricsReport& report = *page.history.metrics;
  std::vector<Row> rows;
  for (const std::string_view metric : {"P", "R", "nDCG", "PSP", "macro-F1", "coverage"}) {
    Row row = {fmt::format("{}@k", metric)};
    for (const int k : {1, 3, 5, 10}) {
      row.push_back(
          short_per_cent(value_of(report, report.overall, fmt::format("{}@{}", metric, k))));
    }
    rows.push_back(std::move(row));
  }
  std::string body = panel("Metrics",
                           "Per cent. P: predicted labels that are true; R: true labels that are "
                           "predicted; PSP: rare labels count more; macro-F1: every label counts "
                           "once; coverage: labels found at least once.",
                           table({"", "k = 1", "3", "5", "10"}, rows));
  if (page.history.sets) body += sets_panel(*page.history.sets);
  body += chart_panels(page.history, Topic::kQuality);
  std::vector<Row> bins;
  std::vector<ReportBar> bars;
  for (const GroupReport& bin : report.bins) {
    Row row = {bin.name, format_count(bin.labels), format_count(bin.rows)};
    for (const std::string_view name : {"R@1", "R@5", "nDCG@5", "PSP@5"}) {
      row.push_back(short_per_cent(value_of(report, bin, name)));
    }
    bins.push_back(std::move(row));
    const double recall = value_of(report, bin, "R@5");
    bars.push_back(
        {bin.name + " rows", std::isnan(recall) ? 0 : recall,
         fmt::format("{} %, {} labels", short_per_cent(recall), format_count(bin.labels))});
  }
  body += panel("Found by label frequency",
                "Share of the true labels among the five best, by how many training rows a label "
                "has (R@5).",
                draw_bars(bars, 1, "R@5 by label frequency"));
  body += panel("Metrics by label frequency", "Per cent, by the training rows of a label.",
                table({"training rows", "labels", "rows", "R@1", "R@5", "nDCG@5", "PSP@5"}, bins));
  return section(
      "quality", "Quality",
      fmt::format("On {} {} rows.", format_count(page.history.validation_rows), page.rows_kind),
      body);
}

std::string probabilities_section(const TrainingPage& page) {
  const ReliabilityReport& report = page.history.reliability;
  std::string body =
      panel("Reliability diagram",
            fmt::format("Of labels predicted with 80 %, four in five should be true: points on the "
                        "dashed line. Mean distance {} %. Hollow points are of fewer than {} "
                        "predictions. Below: how many predictions, on a logarithmic scale.",
                        short_per_cent(report.expected_error), ReliabilityReport::kMinCount),
            draw_reliability(report), "square");
  body += chart_panels(page.history, Topic::kProbabilities);
  return section(
      "probabilities", "Probabilities",
      "The 10 best labels of each row. Each fifth of the rows is calibrated on the other "
      "four.",
      body);
}

// The largest cells off the diagonal; empty if there are none.
std::string confusion_table(const HeadConfusion& confusion) {
  constexpr std::size_t kMost = 6;
  constexpr std::size_t kCharacters = 40;
  const std::size_t n = confusion.groups.size();
  std::vector<std::size_t> cells;
  for (std::size_t cell = 0; cell < n * n; ++cell) {
    if (cell / n != cell % n && confusion.taken[cell] > 0) cells.push_back(cell);
  }
  std::stable_sort(cells.begin(), cells.end(), [&](std::size_t a, std::size_t b) {
    return confusion.taken[a] > confusion.taken[b];
  });
  if (cells.size() > kMost) cells.resize(kMost);
  if (cells.empty()) return {};
  std::vector<Row> rows;
  for (const std::size_t cell : cells) {
    const auto name = [&](std::size_t group) {
      return shorten(group_name(confusion.groups[group]), kCharacters);
    };
    rows.push_back({name(cell / n), name(cell % n), fmt::format("{:.4g}", confusion.taken[cell])});
  }
  return table({"true group", "taken for", "rows"}, rows);
}

std::string heads_section(const TrainingPage& page) {
  if (page.history.heads.empty()) return {};  // learned ones that choose no groups or digits
  std::vector<Row> rows;
  std::vector<ReportBar> bars;
  for (const HeadQuality& head : page.history.heads) {
    rows.push_back({head.name, format_count(head.choices), short_per_cent(head.best_right),
                    short_per_cent(head.kept)});
    bars.push_back(
        {head.name + ", ranked first", head.best_right, short_per_cent(head.best_right) + " %"});
    if (std::isnan(head.kept)) continue;
    bars.push_back({head.name + ", in the beam", head.kept, short_per_cent(head.kept) + " %"});
  }
  std::string body = panel("Accuracy per head",
                           "Ranked first: rows whose best choice leads to a true label. In the "
                           "beam: true labels that are still within reach below this head.",
                           draw_bars(bars, 1, "Accuracy per head") +
                               table({"", "choices", "ranked first, %", "in the beam, %"}, rows));
  const HeadConfusion& confusion = page.history.confusion;
  body += panel("Most frequent confusions", "Rows for which another group was ranked first.",
                confusion_table(confusion), "names");
  if (confusion.all_groups == 0) {
    // Learned models are not looked at so closely.
  } else if (confusion.groups.empty()) {
    body += panel("Confusion of the first head", "", "<p>No row was led to a wrong group.</p>\n");
  } else {
    body += panel("Confusion of the first head",
                  fmt::format("Of its {} groups, those most often taken for each other, named by "
                              "their most frequent labels. A cell is the share of the true "
                              "group's rows for which another was ranked first.",
                              format_count(confusion.all_groups)),
                  draw_confusion(confusion), "wide heat");
  }
  return section("heads", "Heads", "Where a search goes right, and where it is led astray.", body);
}

std::string training_section(const TrainingPage& page) {
  std::string body = chart_panels(page.history, Topic::kTraining);
  std::vector<ReportBar> bins;
  for (const DataSummary::Bin& bin : page.history.data.label_bins) {
    bins.push_back({bin.name + " rows", static_cast<double>(bin.labels),
                    format_count(bin.labels) + " labels"});
  }
  const DataSummary& data = page.history.data;
  body += panel("Training data",
                fmt::format("{} rows with {:.1f} labels and {:.0f} features each, on the mean. "
                            "Labels by how many rows they have:",
                            format_count(data.rows), data.labels_per_row, data.features_per_row),
                draw_bars(bins, 0, "Labels by frequency"));
  return section("training", "Training", "How it went, and what it trained on.", body);
}

// The largest first; what is beyond `count` becomes one entry.
std::vector<ReportBar> largest(std::vector<ReportBar> bars, std::size_t count) {
  std::stable_sort(bars.begin(), bars.end(),
                   [](const ReportBar& a, const ReportBar& b) { return a.value > b.value; });
  if (bars.size() <= count) return bars;
  ReportBar rest = {fmt::format("{} more", bars.size() - count), 0, ""};
  for (std::size_t i = count; i < bars.size(); ++i) rest.value += bars[i].value;
  bars.resize(count);
  bars.push_back(std::move(rest));
  return bars;
}

std::string cost_section(const TrainingPage& page) {
  constexpr std::size_t kMost = 10;
  std::vector<ReportBar> phases;
  double wall = 0;
  for (const Phase& phase : page.phases) {
    phases.push_back({phase.name, phase.wall_s, ""});
    wall += phase.wall_s;
  }
  phases = largest(std::move(phases), kMost);
  for (ReportBar& bar : phases) {
    bar.note = fmt::format("{:.2f} s, {:.0f} %", bar.value, wall > 0 ? 100 * bar.value / wall : 0);
  }
  std::vector<ReportBar> parts;
  double bytes = 0;
  for (const ModelPart& part : page.parts) {
    parts.push_back({part.name, static_cast<double>(part.bytes), ""});
    bytes += static_cast<double>(part.bytes);
  }
  parts = largest(std::move(parts), kMost);
  for (ReportBar& bar : parts) {
    bar.note = fmt::format("{}, {:.0f} %", format_bytes(static_cast<std::uint64_t>(bar.value)),
                           bytes > 0 ? 100 * bar.value / bytes : 0);
  }
  const std::string body =
      panel("Slowest parts of the training",
            fmt::format("{:.1f} s on {} threads ({}), {:.1f} s of CPU.", page.usage.wall_seconds,
                        page.threads, page.isa, page.usage.cpu_seconds),
            draw_bars(phases, 0, "Seconds by phase")) +
      panel("Largest parts of the model",
            fmt::format("Tensors of the file, {} in all.", format_bytes(page.model_bytes)),
            draw_bars(parts, 0, "Bytes by tensor"));
  return section("cost", "Time and size", "What it took, and where to look for savings.", body);
}

std::string settings_section(const TrainingPage& page) {
  std::string body;
  const auto json = nlohmann::ordered_json::parse(page.history.settings_json, nullptr, false);
  if (!json.is_object()) return {};
  for (const auto& [key, value] : json.items()) {
    body += fmt::format("<div><span>{}</span><code>{}</code></div>\n", escape_markup(key),
                        escape_markup(value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return fmt::format(
      "<section id=\"settings\">\n<h2>Settings</h2>\n<p class=\"lead\">All options as they were "
      "used, those that the data decided included.</p>\n<div class=\"panel "
      "settings\">\n{}</div>\n</section>\n",
      body);
}

}  // namespace

std::string training_page(const TrainingPage& page) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\"/>\n<title>{} - training report</title>\n<style>{}</style>\n</head>\n"
      "<body>\n<main>\n",
      escape_markup(page.model), kReportStyle);
  html += header(page);
  if (page.history.metrics) {
    html += quality_section(page) + probabilities_section(page) + heads_section(page);
  }
  html += training_section(page) + cost_section(page) + settings_section(page);
  html += fmt::format("<footer>Written by mhe {}.</footer>\n", version());
  return html + "</main>\n</body>\n</html>\n";
}

std::vector<ModelPart> model_parts(const std::string& path) {
  std::vector<ModelPart> parts;
  for (const TensorCard& tensor : read_card(path).tensors) {
    parts.push_back({tensor.name, tensor.bytes});
  }
  return parts;
}

PageFile::PageFile(std::string path) : path_(std::move(path)) {
  if (!path_.empty()) check_writable(path_);
}

void PageFile::write(Console& console, const PhaseClock& clock, const TrainingHistory& history,
                     const Run& run) {
  if (path_.empty()) return;
  write_file(path_, training_page({.history = history,
                                   .model = run.model,
                                   .data = run.data == "-" ? "standard input" : run.data,
                                   .rows_kind = run.rows_kind,
                                   .shape = run.shape,
                                   .phases = clock.phases(),
                                   .parts = model_parts(run.model),
                                   .model_bytes = std::filesystem::file_size(run.model),
                                   .usage = console.usage(),
                                   .threads = run.threads,
                                   .isa = std::string(instruction_set_in_use())}));
  console.say(fmt::format("wrote {}", path_));
}

}  // namespace mhe::app
