// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "output/prediction_output.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "output/table.h"

namespace mhe::app {
namespace {

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Written by hand, as fmt's shortest form of a float reads back as the same and is half as long as
// that of the double which a JSON library makes of it.
std::string format_json(const Model& model, const PredictedRow& row) {
  std::string text = "{";
  if (row.has_id) text += fmt::format("\"id\":{},", json_string(row.id));
  text += "\"labels\":[";
  std::string_view separator;
  for (const ScoredLabel& prediction : row.predictions) {
    fmt::format_to(std::back_inserter(text), "{}{{\"label\":{},\"p\":{}}}", separator,
                   json_string(model.label_name(prediction.label)), prediction.score);
    separator = ",";
  }
  return text + "]}\n";
}

std::string format_line(const Model& model, const PredictedRow& row) {
  std::string line;
  for (const ScoredLabel& prediction : row.predictions) {
    fmt::format_to(std::back_inserter(line), "{}{}:{}", line.empty() ? "" : " ",
                   quote_label(model.label_name(prediction.label)), prediction.score);
  }
  return line + "\n";
}

// The labels of a set, each as `show` shows it.
template <class Show>
std::string join_labels(const Model& model, const LabelSet& set, std::string_view separator,
                        const Show& show) {
  std::string text;
  for (const LabelId label : set.labels) {
    if (!text.empty()) text += separator;
    text += show(model.label_name(label));
  }
  return text;
}

std::string format_sets_json(const Model& model, const PredictedSets& row) {
  std::string text = "{";
  if (row.has_id) text += fmt::format("\"id\":{},", json_string(row.id));
  text += "\"sets\":[";
  std::string_view separator;
  for (const LabelSet& set : row.sets) {
    fmt::format_to(std::back_inserter(text), "{}{{\"labels\":[{}],\"p\":{}}}", separator,
                   join_labels(model, set, ",", json_string), set.probability);
    separator = ",";
  }
  return text + "]}\n";
}

std::string format_sets_line(const Model& model, const PredictedSets& row) {
  std::string line;
  for (const LabelSet& set : row.sets) {
    fmt::format_to(std::back_inserter(line), "{}{}{}{}", line.empty() ? "" : "\t", set.probability,
                   set.labels.empty() ? "" : " ", join_labels(model, set, " ", quote_label));
  }
  return line + "\n";
}

std::string pad(std::string text, std::size_t width) {
  const std::size_t shown = display_width(text);
  return text.append(width - std::min(width, shown), ' ');
}

// What a row has to show, each with its probability.
struct ColumnItem {
  float probability;
  std::string text;
};

std::string format_columns(const std::string& row_id, std::span<const ColumnItem> items,
                           std::size_t width) {
  constexpr std::size_t kMinIdWidth = 4;  // so that the first thousands of rows line up
  constexpr std::size_t kMaxIdWidth = 20;
  const std::string id = pad(fit(row_id, kMaxIdWidth), kMinIdWidth);
  if (items.empty()) return id + "  -\n";
  const std::size_t used = display_width(id) + 9;  // and "  0.123  "
  std::string text;
  for (const ColumnItem& item : items) {
    text += fmt::format("{}  {:.3f}  {}\n", text.empty() ? id : std::string(display_width(id), ' '),
                        item.probability,
                        fit(item.text, std::max<std::size_t>(width, used + 10) - used));
  }
  return text;
}

}  // namespace

std::string quote_label(std::string_view label) {
  const bool plain = !label.empty() && label.front() != '"' &&
                     std::none_of(label.begin(), label.end(), [](char c) {
                       return static_cast<unsigned char>(c) <= ' ' || c == '\x7f';
                     });
  return plain ? std::string(label) : json_string(label);
}

std::string format_predictions(const Model& model, const PredictedRow& row, PredictionForm form,
                               std::size_t width) {
  switch (form) {
    case PredictionForm::kJson:
      return format_json(model, row);
    case PredictionForm::kColumns: {
      std::vector<ColumnItem> items;
      for (const ScoredLabel& prediction : row.predictions) {
        items.push_back({prediction.score, model.label_name(prediction.label)});
      }
      return format_columns(row.id, items, width);
    }
    case PredictionForm::kLines:
      break;
  }
  return format_line(model, row);
}

std::string format_sets(const Model& model, const PredictedSets& row, PredictionForm form,
                        std::size_t width) {
  switch (form) {
    case PredictionForm::kJson:
      return format_sets_json(model, row);
    case PredictionForm::kColumns: {
      std::vector<ColumnItem> items;
      for (const LabelSet& set : row.sets) {
        items.push_back({set.probability, set.labels.empty()
                                              ? "(no label)"
                                              : join_labels(model, set, " ", quote_label)});
      }
      return format_columns(row.id, items, width);
    }
    case PredictionForm::kLines:
      break;
  }
  return format_sets_line(model, row);
}

}  // namespace mhe::app
