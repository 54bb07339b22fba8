// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "output/lab_output.h"

#include <cmath>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "output/console.h"
#include "output/table.h"
#include "output/units.h"

namespace mhe::app {
namespace {

std::string format_value(double value, const lab::Column& column) {
  if (column.style == lab::Style::kSignificant) return fmt::format("{:.{}g}", value, column.digits);
  std::string text = fmt::format("{:.{}f}", value, column.digits);
  // No number is "-0.0".
  return text.find_first_not_of("-0.") == std::string::npos && text[0] == '-' ? text.substr(1)
                                                                              : text;
}

std::string format_cell(const lab::Cell& cell, const lab::Column& column) {
  const auto* measured = std::get_if<lab::Measured>(&cell);
  return measured != nullptr ? format_measured(*measured, column) : std::get<std::string>(cell);
}

std::vector<std::string> format_row(const lab::Report& report, std::size_t row) {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < report.columns.size(); ++i) {
    cells.push_back(format_cell(report.rows[row][i], report.columns[i]));
  }
  return cells;
}

// A bar in a cell would begin another.
std::string markdown_cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) {
    text.insert(at, 1, '\\');
  }
  return " " + text + " |";
}

}  // namespace

std::string format_measured(const lab::Measured& measured, const lab::Column& column) {
  const std::string mean = format_value(measured.mean(), column);
  const std::string least = format_value(measured.least(), column);
  const std::string most = format_value(measured.most(), column);
  return least == most ? mean : fmt::format("{} ({}..{})", mean, least, most);
}

std::string lab_text(const lab::Report& report, std::size_t width) {
  Table table;
  std::vector<std::string> titles;
  for (const lab::Column& column : report.columns) titles.push_back(column.title);
  table.add_row(std::move(titles));
  for (std::size_t row = 0; row < report.rows.size(); ++row) {
    table.add_row(format_row(report, row));
  }
  std::string text = report.title + "\n\n" + table.render(width);
  if (!report.findings.empty()) text += "\n";
  for (const std::string& finding : report.findings) {
    text += wrap_words(finding, width, "") + "\n";
  }
  return text;
}

std::string lab_markdown(const lab::Report& report) {
  std::string text = "|";
  std::string rule = "|";
  for (const lab::Column& column : report.columns) {
    text += markdown_cell(column.title);
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (std::size_t row = 0; row < report.rows.size(); ++row) {
    text += "|";
    for (const std::string& cell : format_row(report, row)) text += markdown_cell(cell);
    text += "\n";
  }
  if (!report.findings.empty()) text += "\n";
  for (const std::string& finding : report.findings) {
    text += wrap_words("- " + finding, 100, "  ") + "\n";
  }
  return text;
}

nlohmann::ordered_json lab_json(std::string_view name, const lab::Report& report,
                                const lab::Seeds& seeds) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const std::vector<lab::Cell>& cells : report.rows) {
    nlohmann::ordered_json row = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string& key = report.columns[i].key;
      const auto* measured = std::get_if<lab::Measured>(&cells[i]);
      if (measured == nullptr) {
        row[key] = std::get<std::string>(cells[i]);
        continue;
      }
      nlohmann::ordered_json values = nlohmann::ordered_json::array();
      for (const double value : measured->values) values.push_back(round_figure(value));
      row[key] = std::move(values);
    }
    rows.push_back(std::move(row));
  }
  return {{"experiment", name},   {"title", report.title},   {"first_seed", seeds.first},
          {"seeds", seeds.count}, {"rows", std::move(rows)}, {"findings", report.findings}};
}

}  // namespace mhe::app
