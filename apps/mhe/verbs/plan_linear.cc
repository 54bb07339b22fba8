// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "verbs/plan_linear.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "flags/option_flags.h"
#include "flags/text_flags.h"
#include "output/table.h"
#include "output/units.h"
#include "train/linear_plan.h"
#include "train/tune.h"
#include "train/weigh_features.h"

namespace mhe::app {
namespace {

std::string to_json(const train::LinearPlan& plan) {
  nlohmann::ordered_json levels = nlohmann::ordered_json::array();
  for (const train::LevelPlan& level : plan.levels) {
    levels.push_back(
        {{"nodes", level.nodes}, {"weights", level.weights}, {"model_bytes", level.model_bytes}});
  }
  const nlohmann::ordered_json json = {
      {"encoder", "linear"},
      {"rows", plan.rows},
      {"labels", plan.labels},
      {"features", plan.features},
      {"nonzeros", plan.nonzeros},
      {"lengths", plan.lengths},
      {"members", plan.members},
      {"solvers", plan.solvers},
      {"feature_bytes", plan.feature_bytes},
      {"train_bytes", plan.train_bytes},
      {"model_bytes", plan.model_bytes},
      {"neighbour_bytes", plan.neighbour_bytes},
      {"levels", levels},
  };
  return json.dump() + "\n";
}

std::string to_text(const train::LinearPlan& plan, std::size_t width) {
  std::vector<std::string> lengths;
  for (const std::uint32_t length : plan.lengths) lengths.push_back(format_count(length));
  std::string heads = fmt::format("heads: {}", fmt::join(lengths, " x "));
  if (plan.members > 1) heads += fmt::format(", {} cascades", plan.members);
  Table figures;
  figures.add_row({"rows", format_count(plan.rows)});
  figures.add_row({"labels", format_count(plan.labels)});
  figures.add_row({"features", format_count(plan.features)});
  figures.add_row({"entries of the rows", format_count(plan.nonzeros)});
  figures.add_row({"features in memory", format_bytes(plan.feature_bytes)});
  figures.add_row({"RAM to train", format_bytes(plan.train_bytes)});
  figures.add_row({"nodes solved at once", format_count(plan.solvers)});
  figures.add_row({"model size", format_bytes(plan.model_bytes)});
  if (plan.neighbour_bytes > 0 && !plan.neighbours_are_sure) {
    figures.add_row(
        {"with like rows, if these help", format_bytes(plan.model_bytes + plan.neighbour_bytes)});
  }
  Table levels;
  levels.add_row({"level", "nodes", "weights kept", "size"});
  for (std::size_t h = 0; h < plan.levels.size(); ++h) {
    const train::LevelPlan& level = plan.levels[h];
    levels.add_row({format_count(h + 1), format_count(level.nodes), format_count(level.weights),
                    format_bytes(level.model_bytes)});
  }
  return heads + "\n\n" + figures.render(width) + "\n" + levels.render(width);
}

}  // namespace

void add_linear_plan_flags(CLI::App& command, LinearPlanFlags& flags) {
  command.add_option("DATA", flags.input, "Training data: plan a model of it, encoder and all");
  command.add_option("--preset", flags.preset, "With DATA: fast, default or best")
      ->check(CLI::IsMember({"fast", "default", "best"}))
      ->capture_default_str();
  command.add_option("--threads", flags.threads, "With DATA: threads; 0: one per core");
  add_data_flags(command, flags.data);
  flags.options.visit(NewFlags(command));
  add_own_flag(command, flags.own);
}

void run_linear_plan(Console& console, LinearPlanFlags flags, const CLI::App& command) {
  TrainOptions options = train::preset(flags.preset);
  copy_given(command, flags.options, options);
  train::validate(options);
  const auto context = console.make_context(flags.threads);
  train::TrainingSet set =
      train::read_training_set(*context, make_read_options(flags.data, flags.input),
                               {.text = options.text,
                                .rule = make_text_rule(command, flags.own),
                                .ram_bytes = flags.ram_bytes,
                                .label_text = options.label_text});
  (void)train::trim_labels(set, options.min_label_count);
  options.feature_weights = train::weigh_features(*context, set, options);
  options = train::decided(*context, options, set.examples, set.names.size());
  train::learn_from_names(set);
  const train::LinearPlan plan = train::plan_linear(*context, set, options, flags.ram_bytes);
  console.print(flags.json ? to_json(plan) : to_text(plan, console.width()));
  console.summarize({.rows = plan.rows, .labels = plan.labels});
}

}  // namespace mhe::app
