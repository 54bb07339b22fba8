// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/epoch_accuracy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"

namespace mhe::train {
namespace {

// Accuracy of an epoch on one kind of rows: a number, if it was measured.
using PartOf = std::function<std::optional<double>(const Accuracy&)>;
using RowsOf = std::optional<Accuracy> EpochReport::*;

void add_curve(std::span<const EpochReport> epochs, RowsOf rows, std::string name,
               const PartOf& part_of, Chart& chart) {
  Curve curve = {std::move(name), {}};
  for (std::size_t epoch = 0; epoch < epochs.size(); ++epoch) {
    const std::optional<Accuracy>& accuracy = epochs[epoch].*rows;
    const std::optional<double> part = accuracy ? part_of(*accuracy) : std::nullopt;
    if (part) curve.points.push_back({static_cast<double>(epoch + 1), *part});
  }
  if (!curve.points.empty()) chart.curves.push_back(std::move(curve));
}

// Of many heads the worst, the mean and the best: more curves could not be told apart.
Chart head_chart(std::span<const EpochReport> epochs, RowsOf rows, std::string title,
                 std::size_t num_heads) {
  constexpr std::size_t kMostCurves = 6;
  Chart chart = {.title = std::move(title),
                 .note =
                     "Rows for which a head, by itself, chooses what leads to a true label. All "
                     "of them must for the label or the set to be right.",
                 .x_unit = "epoch",
                 .y_unit = "per cent",
                 .curves = {}};
  if (num_heads <= kMostCurves) {
    for (std::size_t h = 0; h < num_heads; ++h) {
      add_curve(
          epochs, rows, fmt::format("head {}", h + 1),
          [h](const Accuracy& accuracy) { return std::optional(accuracy.heads.at(h)); }, chart);
    }
    return chart;
  }
  add_curve(
      epochs, rows, fmt::format("best of {} heads", num_heads),
      [](const Accuracy& accuracy) {
        return std::optional(*std::max_element(accuracy.heads.begin(), accuracy.heads.end()));
      },
      chart);
  add_curve(
      epochs, rows, "mean",
      [](const Accuracy& accuracy) {
        return std::optional(std::accumulate(accuracy.heads.begin(), accuracy.heads.end(), 0.0) /
                             static_cast<double>(accuracy.heads.size()));
      },
      chart);
  add_curve(
      epochs, rows, "worst",
      [](const Accuracy& accuracy) {
        return std::optional(*std::min_element(accuracy.heads.begin(), accuracy.heads.end()));
      },
      chart);
  return chart;
}

constexpr std::array kMeasured = {&EpochReport::training, &EpochReport::validation};

// Of one kind of rows.
std::size_t numbers_of(std::size_t num_heads) noexcept {
  return 2 + num_heads;
}

// NaN for what was not measured.
std::vector<double> numbers_in(const std::optional<Accuracy>& accuracy, std::size_t num_heads) {
  std::vector<double> numbers(numbers_of(num_heads), std::numeric_limits<double>::quiet_NaN());
  if (!accuracy) return numbers;
  MHE_ASSERT(accuracy->heads.size() == num_heads);
  numbers[0] = accuracy->first_label;
  numbers[1] = accuracy->set_accuracy.value_or(numbers[1]);
  std::copy(accuracy->heads.begin(), accuracy->heads.end(), numbers.begin() + 2);
  return numbers;
}

}  // namespace

std::vector<Chart> accuracy_charts(std::span<const EpochReport> epochs) {
  const auto measured = std::find_if(epochs.begin(), epochs.end(),
                                     [](const EpochReport& epoch) { return epoch.training; });
  if (measured == epochs.end()) return {};
  constexpr RowsOf kTraining = &EpochReport::training;
  constexpr RowsOf kValidation = &EpochReport::validation;
  const bool has_sets = measured->training->set_accuracy.has_value();
  Chart whole = {.title = has_sets ? "Set accuracy epoch by epoch" : "Accuracy epoch by epoch",
                 .note = has_sets ? "Rows whose whole set of labels is found, no more and no less."
                                  : "Rows whose first label is true (P@1).",
                 .x_unit = "epoch",
                 .y_unit = "per cent",
                 .curves = {}};
  whole.note +=
      " Where training rows go on to gain and validation rows do not, the model overfits.";
  const PartOf part = [has_sets](const Accuracy& accuracy) {
    return has_sets ? accuracy.set_accuracy : std::optional(accuracy.first_label);
  };
  add_curve(epochs, kTraining, "training rows", part, whole);
  add_curve(epochs, kValidation, "validation rows", part, whole);
  std::vector<Chart> charts = {std::move(whole)};
  const std::size_t num_heads = measured->training->heads.size();
  if (num_heads == 0) return charts;
  charts.push_back(head_chart(epochs, kTraining, "Head accuracy on training rows", num_heads));
  Chart validation = head_chart(epochs, kValidation, "Head accuracy on validation rows", num_heads);
  if (!validation.curves.empty()) charts.push_back(std::move(validation));
  return charts;
}

std::vector<std::uint32_t> pack_accuracies(std::span<const EpochReport> epochs,
                                           std::size_t num_heads) {
  std::vector<std::uint32_t> words;
  bool is_any = false;
  for (const EpochReport& epoch : epochs) {
    for (const RowsOf rows : kMeasured) {
      is_any = is_any || (epoch.*rows).has_value();
      for (const double number : numbers_in(epoch.*rows, num_heads)) {
        const auto halves = std::bit_cast<std::array<std::uint32_t, 2>>(number);
        words.insert(words.end(), halves.begin(), halves.end());
      }
    }
  }
  return is_any ? words : std::vector<std::uint32_t>();
}

std::size_t packed_size(std::size_t num_epochs, std::size_t num_heads) noexcept {
  return num_epochs * kMeasured.size() * numbers_of(num_heads) * 2;
}

void unpack_accuracies(std::span<const std::uint32_t> words, std::size_t num_heads,
                       std::span<EpochReport> epochs) {
  MHE_ASSERT(words.size() == packed_size(epochs.size(), num_heads));
  std::size_t next = 0;
  const auto take = [&] {
    const std::array halves = {words[next], words[next + 1]};
    next += 2;
    return std::bit_cast<double>(halves);
  };
  for (EpochReport& epoch : epochs) {
    for (const RowsOf rows : kMeasured) {
      Accuracy accuracy = {.first_label = take(), .set_accuracy = take()};
      for (std::size_t h = 0; h < num_heads; ++h) accuracy.heads.push_back(take());
      if (std::isnan(*accuracy.set_accuracy)) accuracy.set_accuracy.reset();
      if (!std::isnan(accuracy.first_label)) epoch.*rows = std::move(accuracy);
    }
  }
}

}  // namespace mhe::train
