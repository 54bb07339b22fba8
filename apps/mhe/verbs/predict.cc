// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "flags/data_flags.h"
#include "flags/scoring_flags.h"
#include "output/prediction_output.h"
#include "predict/batch.h"
#include "verbs/open_model.h"
#include "verbs/verbs.h"

namespace mhe::app {
namespace {

constexpr std::size_t kDefaultLabels = 5;
constexpr std::size_t kMostAboveThreshold = 100;  // with --threshold alone: more are never meant

struct PredictFlags {
  std::string model;
  std::string input = "-";
  DataFlags data;
  std::optional<std::size_t> k;
  std::optional<float> threshold;
  SessionOptions session;
  std::size_t threads = 0;
  bool sets = false;
  bool json = false;
};

PredictionForm choose_form(const PredictFlags& flags) {
  if (flags.json) return PredictionForm::kJson;
  return ::isatty(STDOUT_FILENO) == 1 ? PredictionForm::kColumns : PredictionForm::kLines;
}

// Moves those that reach the threshold to the front, in their order, and gives them.
std::span<const predict::Prediction> cut(std::span<predict::Prediction> predictions,
                                         const std::optional<float>& threshold) {
  if (!threshold) return predictions;
  const auto end = std::remove_if(predictions.begin(), predictions.end(),
                                  [&](const auto& p) { return p.probability < *threshold; });
  return predictions.first(static_cast<std::size_t>(end - predictions.begin()));
}

// The best sets of each row of a batch.
std::vector<std::vector<LabelSet>> find_sets(const Context& context, const model::Model& model,
                                             const data::RowBatch& batch, std::size_t k,
                                             const std::optional<float>& threshold) {
  std::vector<std::vector<LabelSet>> sets(batch.rows);
  (void)predict::predict_batch(
      context, model, batch, 1, {}, [&](std::size_t row, predict::Predictor& predictor) {
        sets[row] = predictor.best_sets(k);
        if (!threshold) return;
        std::erase_if(sets[row], [&](const LabelSet& set) { return set.probability < *threshold; });
      });
  return sets;
}

std::span<predict::Prediction> row_of(Ragged<predict::Prediction>& found, std::size_t row) {
  const std::size_t begin = found.offsets[row];
  return std::span(found.items).subspan(begin, found.offsets[row + 1] - begin);
}

void run_predict(Console& console, const PredictFlags& flags) {
  const auto context = console.make_context(flags.threads);
  const auto opened = open_sound_model(*context, flags.model);
  const model::Model& model = *opened;
  predict::check_beam(model, flags.session.beam);
  if (flags.sets) predict::check_sets(model);
  data::ReadOptions input = make_read_options(flags.data, flags.input);
  input.live = flags.input == "-";
  predict::adapt_to_model(model, input);
  labels::LabelNames ignored;  // labels that the data may have
  const auto reader = data::open_reader(*context, input, ignored);
  const data::Schema& schema = reader->schema();
  predict::check_schema(model, schema, flags.input == "-" ? "standard input" : flags.input);
  const std::size_t k = flags.k.value_or(flags.threshold ? kMostAboveThreshold : kDefaultLabels);
  const PredictionForm form = choose_form(flags);
  data::RowBatch batch;
  const auto id_of = [&](std::size_t row) {
    return schema.has_ids ? std::string(string_at(batch.ids, row))
                          : fmt::format("{}", batch.first_row + row + 1);
  };
  while (reader->next(batch)) {
    std::string text;
    if (flags.sets) {
      const auto sets = find_sets(*context, model, batch, k, flags.threshold);
      for (std::size_t row = 0; row < sets.size(); ++row) {
        text += format_sets(model, {id_of(row), schema.has_ids, sets[row]}, form, console.width());
      }
    } else {
      Ragged<predict::Prediction> found =
          predict::predict_batch(*context, model, batch, k, flags.session);
      for (std::size_t row = 0; row < found.rows(); ++row) {
        const auto shown = cut(row_of(found, row), flags.threshold);
        text +=
            format_predictions(model, {id_of(row), schema.has_ids, shown}, form, console.width());
      }
    }
    console.print(text);
  }
  console.summarize({.rows = reader->report().rows, .labels = model.num_labels()});
}

}  // namespace

std::function<void(Console&)> add_predict(CLI::App& command) {
  auto flags = std::make_shared<PredictFlags>();
  command.add_option("MODEL", flags->model, "Model file")->required();
  command
      .add_option("DATA", flags->input,
                  "What to predict for, of the kind the model was trained on; for a model of text "
                  "also a text a line; - is standard input")
      ->capture_default_str();
  command
      .add_option("-k,--k", flags->k,
                  "How many labels a row at most; default: 5, with --threshold 100")
      ->check(CLI::Range(1, 1'000'000));
  command
      .add_option("--threshold", flags->threshold,
                  "Only labels whose probability is at least this, from 0 to 1")
      ->check(check_probability);
  add_session_flags(command, flags->session);
  command
      .add_flag(
          "--sets", flags->sets,
          "Print the most probable sets of labels, of a model trained with --powerset; -k and "
          "--threshold are then about sets")
      ->excludes("--tail");
  command.add_flag("--json", flags->json, "Print a JSON object a row");
  command.add_option("--threads", flags->threads, "Threads; 0: one per core");
  add_data_flags(command, flags->data);
  return [flags](Console& console) { run_predict(console, *flags); };
}

}  // namespace mhe::app
