// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "output/reliability_output.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "output/units.h"

namespace mhe::app {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  return std::isnan(value) ? Json(nullptr) : Json(round_figure(value));
}

// A bar of `observed`, with the mark at `predicted`.
std::string draw(double observed, double predicted, std::size_t width, BarStyle style) {
  const auto column = [width](double share) {
    return static_cast<std::size_t>(std::lround(share * static_cast<double>(width - 1)));
  };
  const std::string_view block = style == BarStyle::kBlocks ? "█" : "#";
  const std::string_view mark = style == BarStyle::kBlocks ? "│" : "|";
  const std::size_t filled = observed > 0 ? column(observed) + 1 : 0;
  const std::size_t marked = column(predicted);
  std::string bar;
  for (std::size_t i = 0; i < std::max(filled, marked + 1); ++i) {
    bar += i == marked ? mark : i < filled ? block : " ";
  }
  return bar;
}

}  // namespace

std::string reliability_text(const ReliabilityReport& report) {
  Table table;
  table.add_row({"predicted labels looked at", format_count(report.count)});
  table.add_row({"reliability error, per cent", format_per_cent(report.expected_error)});
  table.add_row({fmt::format("  largest of a bin of {} or more", ReliabilityReport::kMinCount),
                 format_per_cent(report.maximum_error)});
  table.add_row(
      {"Brier score", std::isnan(report.brier) ? "-" : fmt::format("{:.4f}", report.brier)});
  return table.render(80);
}

std::string reliability_diagram(const ReliabilityReport& report, std::size_t width,
                                BarStyle style) {
  constexpr std::size_t kMinBar = 10;
  constexpr std::size_t kMaxBar = 50;
  std::vector<std::string> lines = {fmt::format("{:<11}  {:>12}  {:>9}  {:>8}", "probability",
                                                "labels", "predicted", "observed")};
  const std::size_t used = lines.front().size() + 2;
  const std::size_t bar_width = std::clamp(width - std::min(width, used + 1), kMinBar, kMaxBar);
  for (const ReliabilityBin& bin : report.bins) {
    std::string line = fmt::format("{:.2f} - {:.2f}  {:>12}  {:>9}  {:>8}", bin.low, bin.high,
                                   format_count(bin.count), format_per_cent(bin.mean_probability),
                                   format_per_cent(bin.hit_rate));
    if (bin.count > 0) {
      line += "  " + draw(bin.hit_rate, bin.mean_probability, bar_width, style);
    }
    lines.push_back(std::move(line));
  }
  const std::string_view mark = style == BarStyle::kBlocks ? "│" : "|";
  lines.push_back(fmt::format("(bars: observed; {} predicted)", mark));
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

void put_reliability(const ReliabilityReport& report, Json& json) {
  json["reliability_error"] = number(100 * report.expected_error);
  json["reliability_max_error"] = number(100 * report.maximum_error);
  json["brier"] = number(report.brier);
  Json& detail = json["reliability"];
  detail["predicted_labels"] = report.count;
  detail["hits"] = report.hits;
  for (const ReliabilityBin& bin : report.bins) {
    detail["bins"].push_back({{"low", bin.low},
                              {"high", bin.high},
                              {"count", bin.count},
                              {"mean_p", number(bin.mean_probability)},
                              {"hit_rate", number(bin.hit_rate)}});
  }
}

}  // namespace mhe::app
