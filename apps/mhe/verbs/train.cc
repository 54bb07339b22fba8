// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "charts/report_page.h"
#include "flags/config_file.h"
#include "flags/data_flags.h"
#include "flags/option_flags.h"
#include "flags/text_flags.h"
#include "output/phase_clock.h"
#include "output/units.h"
#include "train/train_linear.h"
#include "verbs/stop_signal.h"
#include "verbs/train_learned.h"
#include "verbs/verbs.h"

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
  TrainOptions options;  // where given on the command line
  LearnedFlags learned;
  std::size_t threads = 0;
  std::uint64_t seed = 1;
  double tune_seconds = 0;
  double flush_seconds = 10;
  std::size_t checkpoint_every = 0;
  std::string report;
  std::string config;
  bool dump_config = false;
  bool resume = false;
  bool json = false;
};

std::optional<data::ReadOptions> make_valid(const TrainFlags& flags) {
  if (flags.valid.empty() && !flags.valid_labels.empty()) {
    throw UsageError("--valid-labels names the labels of --valid, which is missing");
  }
  if (flags.valid.empty()) return std::nullopt;
  DataFlags data = flags.data;
  data.label_file = flags.valid_labels;
  return make_read_options(data, flags.valid);
}

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
  run.valid = make_valid(flags);
  return run;
}

void tell_trials(Console& console, const std::vector<train::Trial>& trials) {
  for (const train::Trial& trial : trials) {
    console.say(fmt::format("tried {:<36} nDCG@5 {:6.2f}  {:6.1f} s{}", trial.setting,
                            trial.quality, trial.seconds, trial.kept ? "  kept" : ""));
  }
}

std::string shape_of(const train::LinearReport& report) {
  std::string shape = fmt::format("heads of {}", fmt::join(report.lengths, " x "));
  if (report.members > 1) shape += fmt::format(" and {} more cascades", report.members - 1);
  return shape;
}

std::string_view kind_of_judges(const TrainFlags& flags) {
  return flags.valid.empty() ? "held-out" : "validation";
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
  console.say(fmt::format("{}, {} features, power of the path {:.2g}, loss weight {:.2g}",
                          shape_of(report), format_count(report.features), report.parent_power,
                          report.loss_weight));
  if (report.feature_weights != "none") {
    console.say(fmt::format("features are weighed: {}", report.feature_weights));
  }
  if (report.name_rows > 0) {
    console.say(fmt::format("the names of {} labels are learnt from as texts",
                            format_count(report.name_rows)));
  }
  if (report.neighbours > 0) {
    console.say(fmt::format("labels of like training rows weigh {:.2g}", report.neighbours));
  }
  if (report.precision) {
    console.say(fmt::format("{} {} rows: P@1 {:.2f}, P@3 {:.2f}, P@5 {:.2f}",
                            format_count(report.judged_rows), kind_of_judges(flags),
                            report.precision->at_1, report.precision->at_3,
                            report.precision->at_5));
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
      {"feature_weights", report.feature_weights},
      {"neighbours", report.neighbours},
      {"name_rows", report.name_rows},
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

LearnedTask make_learned_task(const TrainFlags& flags, const CLI::App& command,
                              const std::string& encoder) {
  LearnedTask task;
  task.input = make_read_options(flags.data, flags.input);
  task.options = make_learned_options(command, flags.learned, flags.options);
  task.options.encoder = encoder;
  task.run.out = flags.out;
  task.run.valid = make_valid(flags);
  task.run.text_rule = make_text_rule(command, flags.own);
  if (!flags.ram.empty()) task.run.ram_bytes = parse_bytes(flags.ram);
  task.run.checkpoint_every = flags.checkpoint_every;
  task.run.resume = flags.resume;
  task.threads = flags.threads;
  task.seed = flags.seed;
  task.json = flags.json;
  task.report = flags.report;
  return task;
}

// Flags that the encoder does not have are left out of its configuration.
template <class Options>
void print_config(Console& console, const TrainFlags& flags, const CLI::App& command,
                  const std::string& encoder, const Options& options) {
  nlohmann::ordered_json values = option_values(command, options);
  for (auto& [key, value] : values.items()) {
    // What the data or a search may decide is left to them when the run is repeated.
    const bool by_rule = key == "word-ngrams" || key == "min-df" || key == "min-token-length" ||
                         flags.tune_seconds > 0;
    if (by_rule && command.count("--" + key) == 0) value = nullptr;
  }
  for (const std::string& name : foreign_options(encoder)) {
    const std::string flag = OptionFlags::kebab(name);
    if (command.get_option_no_throw("--" + flag) != nullptr) values[flag] = nullptr;
  }
  console.print(dump_config(command, values).dump(2) + "\n");
}

// When the file of finished blocks was last written to; nothing if there is none.
std::optional<std::filesystem::file_time_type> resume_file_time(const std::string& path) {
  std::error_code none;
  const auto time = std::filesystem::last_write_time(path, none);
  return none ? std::nullopt : std::optional(time);
}

train::LinearReport train_or_say_how_to_go_on(const Context& context,
                                              const data::ReadOptions& input,
                                              const TrainOptions& options,
                                              const train::LinearRun& run) {
  const std::string file = run.out + ".resume";
  const auto before = run.resume ? std::nullopt : resume_file_time(file);  // of another training
  try {
    return train::train_linear(context, input, options, run);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInterrupted || resume_file_time(file) == before) throw;
    fail(ErrorCode::kInterrupted,
         "stopped; {} has what is finished, from which the same command goes on with --resume",
         file);
  }
}

// A page is written last: it would take the place of what was trained, or of the data.
void check_report(const TrainFlags& flags) {
  if (flags.report.empty()) return;
  const std::filesystem::path report = std::filesystem::absolute(flags.report).lexically_normal();
  for (const std::string& other : {flags.out, flags.input, flags.data.label_file, flags.valid}) {
    std::error_code ignored;  // one of them does not exist
    if (!other.empty() && (report == std::filesystem::absolute(other).lexically_normal() ||
                           (std::filesystem::is_regular_file(report, ignored) &&
                            std::filesystem::equivalent(report, other, ignored)))) {
      throw UsageError(fmt::format("--report {} would take the place of {}", flags.report, other));
    }
  }
}

void run_train(Console& console, const TrainFlags& flags, CLI::App& command) {
  if (!flags.config.empty()) apply_config(command, flags.config);
  for (const char* needed : {"DATA", "--out"}) {
    if (command.count(needed) == 0 && !flags.dump_config) {
      throw UsageError(fmt::format("{} is required (see mhe train --help)", needed));
    }
  }
  check_report(flags);
  const std::string encoder =
      choose_encoder(command, flags.learned, make_read_options(flags.data, flags.input));
  if (encoder != "linear") {
    const LearnedTask task = make_learned_task(flags, command, encoder);
    if (flags.dump_config) return print_config(console, flags, command, encoder, task.options);
    return run_train_learned(console, task);
  }
  TrainOptions options = train::preset(flags.preset);
  TrainOptions given = flags.options;
  copy_given(command, given, options);
  if (flags.dump_config) return print_config(console, flags, command, encoder, options);
  PhaseClock clock(console);
  const StopSignal stop;
  const auto context = make_timed_context(console, clock, flags.threads, flags.seed,
                                          [&](const Progress&) { stop.check(); });
  train::LinearRun run = make_run(flags, command);
  PageFile page(flags.report);
  run.history = page.history();
  const train::LinearReport report =
      train_or_say_how_to_go_on(*context, make_read_options(flags.data, flags.input), options, run);
  clock.stop();
  tell(console, flags, report);
  page.write(console, clock,
             {.model = flags.out,
              .data = flags.input,
              .judges = std::string(kind_of_judges(flags)),
              .shape = shape_of(report),
              .threads = context->threads()});
  if (flags.json) print_json(console, flags, report);
  console.summarize({.rows = report.rows, .labels = report.labels});
}

}  // namespace

std::function<void(Console&)> add_train(CLI::App& command) {
  auto flags = std::make_shared<TrainFlags>();
  command.add_option("DATA", flags->input, "Training data; - is standard input");
  command.add_option("-o,--out", flags->out, "Where to write the model");
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
  command.add_option("--report", flags->report,
                     "Write a page of HTML here: curves, metrics, heads, time and size");
  add_config_flags(command, flags->config, flags->dump_config);
  command.add_flag("--json", flags->json, "Print one object at the end: time, memory, size");
  flags->options.visit(OptionFlags(command));
  add_learned_flags(command, flags->learned);
  command.add_option("--checkpoint-every", flags->checkpoint_every,
                     "Epochs between checkpoints, from which --resume goes on; 0: only when "
                     "interrupted");
  add_own_flag(command, flags->own);
  command.add_option("--seed", flags->seed, "Random seed")->capture_default_str();
  command.add_option("--threads", flags->threads, "Threads; 0: one per core");
  group_by_encoder(command);
  add_data_flags(command, flags->data);
  return [flags, &command](Console& console) { run_train(console, *flags, command); };
}

}  // namespace mhe::app
