// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/parallel.h"
#include "data_flags.h"
#include "model/linear_model.h"
#include "predict/batch.h"
#include "verbs.h"

namespace mhe::app {
namespace {

struct PredictFlags {
  std::string model;
  std::string input = "-";
  DataFlags data;
  std::size_t k = 5;
  std::size_t threads = 0;
  bool json = false;
};

std::string format_row(const model::LinearModel& model,
                       std::span<const predict::Prediction> predictions, bool json) {
  if (json) {
    auto labels = nlohmann::ordered_json::array();
    for (const auto& [label, score] : predictions) {
      labels.push_back({{"label", model.label_name(label)}, {"p", score}});
    }
    return nlohmann::ordered_json({{"labels", labels}}).dump() + "\n";
  }
  std::string line;
  for (const auto& [label, score] : predictions) {
    line += fmt::format("{}{}:{:.6g}", line.empty() ? "" : " ", model.label_name(label), score);
  }
  return line + "\n";
}

void run_predict(Console& console, const PredictFlags& flags) {
  const auto context = console.make_context(flags.threads);
  const model::LinearModel model = model::LinearModel::open(flags.model);
  labels::LabelNames names = model.label_names();
  data::ReadOptions input = make_read_options(flags.data, flags.input);
  predict::adapt_to_model(model, input);
  const auto reader = data::open_reader(*context, input, names);
  data::RowBatch batch;
  std::uint64_t rows = 0;
  while (reader->next(batch)) {
    const Ragged<predict::Prediction> found =
        predict::predict_batch(*context, model, batch, flags.k);
    std::string text;
    for (std::size_t row = 0; row < found.rows(); ++row) {
      text += format_row(model, found[row], flags.json);
    }
    console.print(text);
    rows += batch.rows;
  }
  console.summarize({.rows = rows, .labels = model.num_labels()});
}

}  // namespace

std::function<void(Console&)> add_predict(CLI::App& command) {
  auto flags = std::make_shared<PredictFlags>();
  command.add_option("MODEL", flags->model, "Model file")->required();
  command.add_option("DATA", flags->input, "What to predict for; - is standard input")
      ->capture_default_str();
  command.add_option("-k", flags->k, "How many labels a row")->capture_default_str();
  command.add_flag("--json", flags->json, "Print a JSON object a row");
  command.add_option("--threads", flags->threads, "Threads; 0: one per core");
  add_data_flags(command, flags->data);
  return [flags](Console& console) { run_predict(console, *flags); };
}

}  // namespace mhe::app
