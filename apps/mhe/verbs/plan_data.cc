// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "verbs/plan_data.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <mhe/train.h>

#include "output/reading_output.h"
#include "output/table.h"
#include "output/units.h"

namespace mhe::app {
namespace {

using Json = nlohmann::ordered_json;

Json linear_json(const TrainingPlan& plan, const MemberPlan& member) {
  Json levels = Json::array();
  for (const LevelPlan& level : member.levels) {
    levels.push_back(
        {{"nodes", level.nodes}, {"weights", level.weights}, {"model_bytes", level.model_bytes}});
  }
  return {{"encoder", member.encoder},
          {"rows", plan.rows},
          {"labels", plan.labels},
          {"features", plan.features},
          {"nonzeros", member.nonzeros},
          {"lengths", member.lengths},
          {"members", member.members},
          {"solvers", member.solvers},
          {"feature_bytes", member.feature_bytes},
          {"train_bytes", member.train_bytes},
          {"model_bytes", member.model_bytes},
          {"neighbour_bytes", member.neighbour_bytes},
          {"levels", levels}};
}

Json gradient_json(const TrainingPlan& plan, const MemberPlan& member) {
  Json json = {{"encoder", member.encoder}, {"head", member.head},       {"rows", plan.rows},
               {"labels", plan.labels},     {"features", plan.features}, {"dim", member.dim},
               {"lengths", member.lengths}, {"loss", member.loss}};
  if (member.candidates > 0) {
    json["inner_dim"] = member.inner_dim;
    json["candidates"] = member.candidates;
  }
  json.update({{"members", member.members},
               {"batch", member.batch},
               {"data_bytes", member.data_bytes},
               {"encoder_bytes", member.encoder_bytes},
               {"head_bytes", member.head_bytes},
               {"train_bytes", member.train_bytes},
               {"model_bytes", member.model_bytes},
               {"notes", member.notes}});
  return json;
}

Table common_figures(const TrainingPlan& plan) {
  Table figures;
  figures.add_row({"rows", format_count(plan.rows)});
  figures.add_row({"labels", format_count(plan.labels)});
  figures.add_row({"features", format_count(plan.features)});
  return figures;
}

std::string linear_text(const TrainingPlan& plan, const MemberPlan& member, std::size_t width) {
  std::vector<std::string> lengths;
  for (const std::uint32_t length : member.lengths) lengths.push_back(format_count(length));
  std::string heads = fmt::format("heads: {}", fmt::join(lengths, " x "));
  if (member.members > 1) heads += fmt::format(", {} cascades", member.members);
  Table figures = common_figures(plan);
  figures.add_row({"entries of the rows", format_count(member.nonzeros)});
  figures.add_row({"features in memory", format_bytes(member.feature_bytes)});
  figures.add_row({"RAM to train", format_bytes(member.train_bytes)});
  figures.add_row({"nodes solved at once", format_count(member.solvers)});
  figures.add_row({"model size", format_bytes(member.model_bytes)});
  if (member.neighbour_bytes > 0 && !member.neighbours_are_sure) {
    figures.add_row({"with neighbours, if they help",
                     format_bytes(member.model_bytes + member.neighbour_bytes)});
  }
  Table levels;
  levels.add_row({"level", "nodes", "weights kept", "size"});
  for (std::size_t h = 0; h < member.levels.size(); ++h) {
    const LevelPlan& level = member.levels[h];
    levels.add_row({format_count(h + 1), format_count(level.nodes), format_count(level.weights),
                    format_bytes(level.model_bytes)});
  }
  return heads + "\n\n" + figures.render(width) + "\n" + levels.render(width);
}

std::string gradient_text(const TrainingPlan& plan, const MemberPlan& member, std::size_t width) {
  std::string shape = fmt::format("{}: {}, {}", member.encoder, member.shape, member.loss);
  if (member.candidates > 0) {
    shape += fmt::format(", {} candidates per level", format_count(member.candidates));
  }
  if (member.members > 1) shape += fmt::format(", {} members", member.members);
  Table figures = common_figures(plan);
  figures.add_row({"data in memory", format_bytes(member.data_bytes)});
  figures.add_row({"encoder in training", format_bytes(member.encoder_bytes)});
  figures.add_row({"head in training", format_bytes(member.head_bytes)});
  figures.add_row({"RAM to train", format_bytes(member.train_bytes)});
  figures.add_row({"model size", format_bytes(member.model_bytes)});
  std::string text = shape + "\n\n" + figures.render(width);
  for (const std::string& note : member.notes) {
    text += "\n" + wrap_words("Note: " + note + ".", 80, "  ") + "\n";
  }
  return text;
}

}  // namespace

void add_data_plan_flags(CLI::App& command, DataPlanFlags& flags) {
  command.add_option("DATA", flags.input, "Training data: plan a model of it, encoder and all");
  command.add_option("--threads", flags.threads, "With DATA: threads; default: one per core");
  add_data_flags(command, flags.data);
  add_train_options(command, flags.train);
}

void run_data_plan(Console& console, const DataPlanFlags& flags, const CLI::App& command,
                   const DataPlanRun& run) {
  ContextOptions options = console.context_options(flags.threads, 1);
  options.ram_bytes = run.ram_bytes;
  const Context context(std::move(options));
  const Dataset data = make_read_options(flags.data, flags.input);
  const TrainingPlan plan =
      plan_training(context, data, make_train_options(command, flags.train, context, &data));
  console.say(layout_words(flags.input, plan.data));
  std::string text;
  Json all = Json::array();
  for (const MemberPlan& member : plan.encoders) {
    const bool is_linear = member.encoder == "linear";
    if (!text.empty()) text += "\n";
    text += is_linear ? linear_text(plan, member, console.width())
                      : gradient_text(plan, member, console.width());
    all.push_back(is_linear ? linear_json(plan, member) : gradient_json(plan, member));
  }
  console.print(run.json ? (all.size() == 1 ? all.front() : all).dump() + "\n" : text);
  console.summarize({.rows = plan.rows, .labels = plan.labels});
}

}  // namespace mhe::app
