// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "data_flags.h"
#include "option_flags.h"
#include "text_flags.h"
#include "train/train_linear.h"
#include "units.h"
#include "verbs.h"

namespace mhe::app {
namespace {

struct TrainFlags {
  std::string input;
  std::string out;
  std::string valid;
  std::string valid_labels;
  std::string preset = "default";
  std::string ram;
  std::vector<std::string> own;
  DataFlags data;
  train::LinearOptions options;  // where given on the command line
  std::size_t threads = 0;
  std::uint64_t seed = 1;
  double tune_seconds = 0;
  double flush_seconds = 10;
  bool resume = false;
  bool json = false;
};

train::LinearRun make_run(const TrainFlags& flags, const CLI::App& command) {
  train::LinearRun run;
  run.out = flags.out;
  run.resume = flags.resume;
  run.text_rule = make_text_rule(command, flags.own);
  run.flush_after = std::chrono::milliseconds(static_cast<std::int64_t>(1e3 * flags.flush_seconds));
  run.tune_seconds = flags.tune_seconds;
  run.fixed_options = given_options(command, flags.options);
  if (!flags.own.empty()) run.fixed_options.insert("own");
  if (!flags.ram.empty()) run.ram_bytes = parse_bytes(flags.ram);
  if (!flags.valid.empty()) {
    DataFlags data = flags.data;
    data.label_file = flags.valid_labels;
    run.valid = make_read_options(data, flags.valid);
  } else if (!flags.valid_labels.empty()) {
    throw UsageError("--valid-labels names the labels of --valid, which is missing");
  }
  return run;
}

void tell_trials(Console& console, const std::vector<train::Trial>& trials) {
  for (const train::Trial& trial : trials) {
    console.say(fmt::format("tried {:<36} nDCG@5 {:6.2f}  {:6.1f} s{}", trial.setting,
                            trial.quality, trial.seconds, trial.kept ? "  kept" : ""));
  }
}

void tell(Console& console, const TrainFlags& flags, const train::LinearReport& report) {
  tell_trials(console, report.trials);
  if (report.resumed_blocks > 0) {
    console.say(fmt::format("took {} finished blocks over from the interrupted run",
                            format_count(report.resumed_blocks)));
  }
  if (report.trimmed_labels > 0) {
    console.say(fmt::format("left out {} labels of fewer than {} rows",
                            format_count(report.trimmed_labels), flags.options.min_label_count));
  }
  std::string shape = fmt::format("heads of {}", fmt::join(report.lengths, " x "));
  if (report.members > 1) shape += fmt::format(" and {} more cascades", report.members - 1);
  console.say(fmt::format("{}, {} features, power of the path {:.2g}, loss weight {:.2g}", shape,
                          format_count(report.features), report.parent_power, report.loss_weight));
  if (report.neighbours > 0) {
    console.say(fmt::format("labels of like training rows weigh {:.2g}", report.neighbours));
  }
  if (report.precision) {
    console.say(fmt::format("{} {} rows: P@1 {:.2f}, P@3 {:.2f}, P@5 {:.2f}",
                            format_count(report.judged_rows),
                            flags.valid.empty() ? "held-out" : "validation", report.precision->at_1,
                            report.precision->at_3, report.precision->at_5));
  } else {
    console.say("no rows were held out, so scores are not calibrated to probabilities");
  }
  console.say(fmt::format("wrote {}", flags.out));
}

void print_json(Console& console, const TrainFlags& flags, const train::LinearReport& report) {
  const Usage usage = console.usage();
  const auto megabytes = [](std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; };
  nlohmann::ordered_json json = {
      {"model", flags.out},
      {"rows", report.rows},
      {"labels", report.labels},
      {"features", report.features},
      {"lengths", report.lengths},
      {"members", report.members},
      {"parent_power", report.parent_power},
      {"loss_weight", report.loss_weight},
      {"neighbours", report.neighbours},
      {"held_out_rows", report.judged_rows},
      {"wall_s", usage.wall_seconds},
      {"cpu_s", usage.cpu_seconds},
      {"peak_rss_mb", megabytes(usage.peak_bytes)},
      {"model_mb", megabytes(std::filesystem::file_size(flags.out))},
  };
  for (const train::Trial& trial : report.trials) {
    json["trials"].push_back({{"setting", trial.setting},
                              {"nDCG@5", trial.quality},
                              {"seconds", trial.seconds},
                              {"kept", trial.kept}});
  }
  if (report.precision) {
    json["held_out"] = {{"P@1", report.precision->at_1},
                        {"P@3", report.precision->at_3},
                        {"P@5", report.precision->at_5}};
  }
  console.print(json.dump() + "\n");
}

void run_train(Console& console, const TrainFlags& flags, const CLI::App& command) {
  train::LinearOptions options = train::preset(flags.preset);
  train::LinearOptions given = flags.options;
  copy_given(command, given, options);
  const auto context = console.make_context(flags.threads, flags.seed);
  const train::LinearReport report = train::train_linear(
      *context, make_read_options(flags.data, flags.input), options, make_run(flags, command));
  tell(console, flags, report);
  if (flags.json) print_json(console, flags, report);
  console.summarize({.rows = report.rows, .labels = report.labels});
}

}  // namespace

std::function<void(Console&)> add_train(CLI::App& command) {
  auto flags = std::make_shared<TrainFlags>();
  command.add_option("DATA", flags->input, "Training data; - is standard input")->required();
  command.add_option("-o,--out", flags->out, "Where to write the model")->required();
  command
      .add_option("--preset", flags->preset,
                  "fast: the first try; default: one model; best: an ensemble. Other flags change "
                  "what it sets")
      ->check(CLI::IsMember({"fast", "default", "best"}))
      ->capture_default_str();
  command.add_option("--valid", flags->valid,
                     "Rows that are not trained on: they choose the power of the path and "
                     "calibrate the probabilities, in place of rows held out from DATA");
  command.add_option("--valid-labels", flags->valid_labels, "Label file of --valid");
  command
      .add_option("--tune", flags->tune_seconds,
                  "Try other settings on held-out rows for about so many seconds, then train with "
                  "the best; options given here stay as they are")
      ->check(CLI::Range(0.0, 1e7));
  command.add_option(
      "--ram", flags->ram,
      "Most memory, such as 2G: fewer threads solve at once, or the data is refused");
  command.add_flag("--resume", flags->resume, "Go on where an interrupted run stopped");
  command
      .add_option("--flush-seconds", flags->flush_seconds,
                  "How often what is finished goes to the file that --resume goes on from")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  command.add_flag("--json", flags->json, "Print one object at the end: time, memory, size");
  flags->options.visit(OptionFlags(command));
  add_own_flag(command, flags->own);
  command.add_option("--seed", flags->seed, "Random seed")->capture_default_str();
  command.add_option("--threads", flags->threads, "Threads; 0: one per core");
  add_data_flags(command, flags->data);
  return [flags, &command](Console& console) { run_train(console, *flags, command); };
}

}  // namespace mhe::app
