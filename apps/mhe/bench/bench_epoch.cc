// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mhe/context.h>

#include "bench/epoch_timing.h"
#include "bench/machine_roof.h"
#include "encoders/registry.h"
#include "flags/checks.h"
#include "flags/data_flags.h"
#include "flags/option_flags.h"
#include "output/table.h"
#include "output/units.h"
#include "train/gradient_plan.h"
#include "train/gradient_rules.h"
#include "train/label_order.h"
#include "train/options.h"
#include "train/text_rules.h"
#include "train/training_set.h"
#include "verbs/verbs.h"

namespace mhe::app {
namespace {

struct BenchEpochFlags {
  std::string input;
  DataFlags data;
  TrainOptions options;
  std::size_t threads = 0;
  std::uint64_t seed = 1;
  std::size_t repeat = 3;
  bool json = false;
};

struct EpochFigures {
  EpochTiming timing;
  train::GradientPlan plan;
  std::size_t rows = 0;
  std::size_t batch = 0;
  std::size_t threads = 1;
  MachineRoof roof;
  double near_gb_per_s = 0;

  [[nodiscard]] double seconds() const {
    double sum = 0;
    for (const EpochPart& part : timing.parts) sum += part.seconds;
    return sum;
  }
  [[nodiscard]] double roof_s(const EpochPart& part) const {
    return roof_seconds(part, roof, near_gb_per_s);
  }
  [[nodiscard]] double roof_s() const {
    double sum = 0;
    for (const EpochPart& part : timing.parts) sum += roof_s(part);
    return sum;
  }
};

std::string to_json(const EpochFigures& figures) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (const EpochPart& part : figures.timing.parts) {
    parts.push_back({{"part", part.name},
                     {"seconds", part.seconds},
                     {"flops", part.flops},
                     {"near_bytes", part.near_bytes},
                     {"far_bytes", part.far_bytes},
                     {"roof_s", figures.roof_s(part)}});
  }
  const nlohmann::ordered_json json = {
      {"rows", figures.rows},
      {"features", figures.plan.encoder.num_inputs},
      {"labels", figures.plan.head.num_labels},
      {"lengths", figures.plan.head.lengths},
      {"dim", figures.plan.encoder.dim},
      {"batch", figures.batch},
      {"steps", figures.timing.steps},
      {"touched_features", figures.timing.touched_features},
      {"touched_head_rows", figures.timing.touched_head_rows},
      {"parts", parts},
      {"epoch_s", figures.seconds()},
      {"roof_s", figures.roof_s()},
      {"times_roof", figures.seconds() / figures.roof_s()},
      {"threads", figures.threads},
      {"isa", instruction_set_in_use()},
      {"roof_gflops", figures.roof.gflops},
      {"roof_gb_per_s", figures.roof.gb_per_s},
      {"roof_near_gb_per_s", figures.near_gb_per_s},
  };
  return json.dump() + "\n";
}

std::string to_text(const EpochFigures& figures, std::size_t width) {
  Table table;
  table.add_row({"part", "seconds", "GFLOP", "near GB", "far GB", "roof s", "roof %"});
  EpochPart all = {"epoch"};
  const auto add = [&](const EpochPart& part, double roof_s) {
    table.add_row(
        {part.name, fmt::format("{:.3f}", part.seconds), fmt::format("{:.1f}", part.flops / 1e9),
         fmt::format("{:.1f}", part.near_bytes / 1e9), fmt::format("{:.1f}", part.far_bytes / 1e9),
         fmt::format("{:.3f}", roof_s), fmt::format("{:.0f}", 100 * roof_s / part.seconds)});
  };
  for (const EpochPart& part : figures.timing.parts) {
    add(part, figures.roof_s(part));
    all.seconds += part.seconds;
    all.flops += part.flops;
    all.near_bytes += part.near_bytes;
    all.far_bytes += part.far_bytes;
  }
  add(all, figures.roof_s());
  return table.render(width) +
         fmt::format("\n{} steps of {} rows; a step touches {} of {} features, {} rows of heads\n",
                     format_count(figures.timing.steps), figures.batch,
                     format_count(static_cast<std::uint64_t>(figures.timing.touched_features)),
                     format_count(figures.plan.encoder.num_inputs),
                     format_count(static_cast<std::uint64_t>(figures.timing.touched_head_rows))) +
         fmt::format("{} ({}): {:.0f} GFLOP/s, {:.1f} GB/s, near {:.0f} GB/s\n",
                     format_count(figures.threads, "thread"), instruction_set_in_use(),
                     figures.roof.gflops, figures.roof.gb_per_s, figures.near_gb_per_s);
}

void run_bench_epoch(Console& console, const BenchEpochFlags& flags, const CLI::App& command) {
  if (flags.repeat == 0) throw UsageError("--repeat must be above 0");
  const auto context = console.make_context(flags.threads, flags.seed);
  const Dataset data = make_read_options(flags.data, flags.input);
  TrainOptions options = flags.options;
  options.epochs = flags.repeat;
  for (const std::string& name : given_options(command, options)) options.given.insert(name);
  train::validate(options);
  train::TrainingSet set = train::read_training_set(
      *context, data, {.text = options.text, .rule = train::text_rule_of(options)});
  options = train::resolve_gradient(options, set.examples.rows(), set.names.size(),
                                    train::most_labels(set.examples.labels));
  (void)trim_labels(set, train::trim_rule_of(options));
  train::take_order_file(options, set);
  EpochFigures figures;
  figures.rows = set.examples.rows();
  figures.batch = options.batch;
  figures.threads = context->threads();
  figures.plan = plan_gradient(set, options, 0);
  // Before and after: a machine that others use has good and bad moments.
  figures.roof = measure_roof(*context);
  figures.near_gb_per_s = measure_near_gb_per_s(*context);
  figures.timing = time_epoch(*context, set.examples, figures.plan, options, flags.repeat);
  figures.roof.raise_to(measure_roof(*context));
  figures.near_gb_per_s = std::max(figures.near_gb_per_s, measure_near_gb_per_s(*context));
  console.print(flags.json ? to_json(figures) : to_text(figures, console.width()));
  console.summarize({.rows = figures.rows, .labels = figures.plan.head.num_labels});
}

}  // namespace

std::function<void(Console&)> add_bench_epoch(CLI::App& command) {
  auto flags = std::make_shared<BenchEpochFlags>();
  flags->options.encoder = "bag";
  command.add_option("DATA", flags->input, "Training data; - is standard input")->required();
  std::vector<std::string> names;
  for (const auto& type : encoders::encoder_types()) names.emplace_back(type.name);
  command.add_option("--encoder", flags->options.encoder, "bag, or dense for dense vectors")
      ->check(one_of(names))
      ->capture_default_str();
  command.add_option("--repeat", flags->repeat, "Epochs; the quickest counts")
      ->capture_default_str();
  command.add_flag("--json", flags->json, "Print one JSON object");
  static_cast<CommonOptions&>(flags->options).visit(OptionFlags(command));
  static_cast<GradientOptions&>(flags->options).visit(OptionFlags(command));
  flags->options.text.visit(OptionFlags(command));
  add_own_flag(command, flags->options.own);
  command.add_option("--seed", flags->seed, "Random seed")->capture_default_str();
  command.add_option("--threads", flags->threads, "Threads; default: one per core");
  add_data_flags(command, flags->data);
  return [flags, &command](Console& console) { run_bench_epoch(console, *flags, command); };
}

}  // namespace mhe::app
