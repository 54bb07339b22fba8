// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "verbs/plan_learned.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "heads/registry.h"
#include "output/table.h"
#include "output/units.h"

namespace mhe::app {
namespace {

std::string to_json(const LearnedTask& task, const train::LearnedReport& report) {
  const train::LearnedPlan& plan = report.plan;
  nlohmann::ordered_json json = {
      {"encoder", task.options.encoder},
      {"head", head_kind_name(plan.head.kind())},
      {"rows", report.rows},
      {"labels", plan.head.num_labels},
      {"features", plan.encoder.num_inputs},
      {"dim", plan.encoder.dim},
      {"lengths", plan.head.lengths},
      {"loss", heads::loss_name(plan.head.loss)},
  };
  if (const auto* cascade = plan.head.as<heads::CascadeSpec>()) {
    json["inner_dim"] = cascade->inner_dim;
    json["candidates"] = cascade->candidates;
  }
  json.update({{"members", task.options.ensemble},
               {"batch", task.options.batch},
               {"data_bytes", plan.data_bytes},
               {"encoder_bytes", plan.encoder_bytes},
               {"head_bytes", plan.head_bytes},
               {"train_bytes", plan.train_bytes},
               {"model_bytes", plan.model_bytes}});
  return json.dump() + "\n";
}

std::string to_text(const LearnedTask& task, const train::LearnedReport& report,
                    std::size_t width) {
  const train::LearnedPlan& plan = report.plan;
  std::vector<std::string> lengths;
  for (const std::uint32_t length : plan.head.lengths) lengths.push_back(format_count(length));
  std::string shape = fmt::format("encoder: {}, {}\nhead: {} {}, {}", task.options.encoder,
                                  describe_encoder(plan.encoder), head_kind_name(plan.head.kind()),
                                  fmt::join(lengths, " x "), heads::loss_name(plan.head.loss));
  if (const auto* cascade = plan.head.as<heads::CascadeSpec>()) {
    shape += fmt::format(", {} candidates a level", format_count(cascade->candidates));
    if (cascade->inner_dim != plan.head.dim) {
      shape += fmt::format(", inner dim {}", format_count(cascade->inner_dim));
    }
  }
  if (task.options.ensemble > 1) shape += fmt::format(", {} members", task.options.ensemble);
  Table figures;
  figures.add_row({"rows", format_count(report.rows)});
  figures.add_row({"labels", format_count(plan.head.num_labels)});
  figures.add_row({"features", format_count(plan.encoder.num_inputs)});
  figures.add_row({"data in memory", format_bytes(plan.data_bytes)});
  figures.add_row({"encoder in training", format_bytes(plan.encoder_bytes)});
  figures.add_row({"head in training", format_bytes(plan.head_bytes)});
  figures.add_row({"RAM to train", format_bytes(plan.train_bytes)});
  figures.add_row({"model size", format_bytes(plan.model_bytes)});
  return shape + "\n\n" + figures.render(width);
}

}  // namespace

void run_learned_plan(Console& console, const LearnedTask& task) {
  const auto context = console.make_context(task.threads, task.seed);
  const train::LearnedReport report =
      train::plan_learned_training(*context, task.input, task.options, task.run);
  console.print(task.json ? to_json(task, report) : to_text(task, report, console.width()));
  console.summarize({.rows = report.rows, .labels = report.plan.head.num_labels});
}

}  // namespace mhe::app
