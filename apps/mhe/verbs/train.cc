// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mhe/train.h>

#include "charts/report_page.h"
#include "flags/checks.h"
#include "flags/config_file.h"
#include "flags/data_flags.h"
#include "flags/help.h"
#include "flags/option_flags.h"
#include "output/metrics_output.h"
#include "output/phase_clock.h"
#include "output/reading_output.h"
#include "output/units.h"
#include "verbs/stop_signal.h"
#include "verbs/train_options.h"
#include "verbs/verbs.h"

namespace mhe::app {
namespace {

struct TrainFlags {
  std::string input;
  std::string out;
  std::string valid;
  std::string valid_labels;
  std::string ram;
  DataFlags data;
  TrainOptionFlags train;
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

std::optional<Dataset> make_valid(const TrainFlags& flags) {
  if (flags.valid.empty() && !flags.valid_labels.empty()) {
    throw UsageError("--valid-labels names the labels of --valid, which is missing");
  }
  if (flags.valid.empty()) return std::nullopt;
  DataFlags data = flags.data;
  data.label_file = flags.valid_labels;
  return make_read_options(data, flags.valid);
}

TrainRun make_run(Console& console, const TrainFlags& flags) {
  TrainRun run;
  run.on_read = [&console, &flags](const TrainReport& report) {
    console.say(layout_words(flags.input, report.data));
    console.say(rows_words(report, flags.valid));
  };
  run.out = flags.out;
  run.valid = make_valid(flags);
  run.tune_seconds = flags.tune_seconds;
  run.checkpoint_every = flags.checkpoint_every;
  run.resume = flags.resume;
  run.flush_after = std::chrono::milliseconds(static_cast<std::int64_t>(1e3 * flags.flush_seconds));
  run.measure = !flags.report.empty();
  return run;
}

std::string_view kind_of_rows(const TrainFlags& flags) {
  return flags.valid.empty() ? "held-out" : "validation";
}

std::string shape_of(const TrainReport& report) {
  std::string shape;
  for (const MemberReport& member : report.encoders) {
    if (!shape.empty()) shape += "; ";
    shape += member.shape;
  }
  return shape;
}

void tell_trials(Console& console, const std::vector<Trial>& trials) {
  for (const Trial& trial : trials) {
    console.say(fmt::format("tried {:<36} nDCG@5 {:6.2f}  {:6.1f} s{}", trial.setting,
                            trial.quality, trial.seconds, trial.kept ? "  kept" : ""));
  }
}

void tell_linear(Console& console, const TrainReport& report, const MemberReport& member) {
  if (member.resumed_blocks > 0) {
    console.say(fmt::format("resumed with {} finished blocks of the interrupted run",
                            format_count(member.resumed_blocks)));
  }
  console.say(fmt::format("{}, {} features, parent weight {:.2g}, loss weight {:.2g}", member.shape,
                          format_count(report.features), member.parent_weight, member.loss_weight));
  if (member.neighbours > 0) {
    console.say(fmt::format("nearest neighbours: weight {:.2g}", member.neighbours));
  }
}

void tell_gradient(Console& console, const MemberReport& member) {
  if (member.resumed_epochs > 0) {
    console.say(fmt::format("resumed with {} of the interrupted run",
                            format_count(member.resumed_epochs, "finished epoch")));
  }
  console.say(member.shape);
  for (const std::string& note : member.notes) console.say(note);
  const std::vector<EpochReport>& epochs = member.epochs.front();
  console.say(fmt::format("loss of the first epoch {:.4g}, of the last, number {}, {:.4g}",
                          epochs.front().loss, epochs.size(), epochs.back().loss));
  if (member.best_epoch == 0) return;
  console.say(fmt::format("kept the weights of epoch {}, the best by nDCG@5: {:.2f}",
                          member.best_epoch, epochs[member.best_epoch - 1].quality.value_or(0)));
}

void tell(Console& console, const TrainFlags& flags, const TrainReport& report) {
  tell_trials(console, report.trials);
  if (report.trimmed_labels > 0) {
    const TrainOptions& options = flags.train.options;
    console.say(fmt::format("left out {} labels{}", format_count(report.trimmed_labels),
                            options.min_label_count > 1
                                ? fmt::format(" of fewer than {} rows", options.min_label_count)
                                : ", the rarest"));
  }
  for (const MemberReport& member : report.encoders) {
    if (member.epochs.empty()) {
      tell_linear(console, report, member);
    } else {
      tell_gradient(console, member);
    }
  }
  if (report.feature_weights != "none") {
    console.say(fmt::format("feature weights: {}", report.feature_weights));
  }
  if (report.name_rows > 0) {
    console.say(
        fmt::format("trained on the names of {} labels as texts", format_count(report.name_rows)));
  }
  if (report.sets) {
    console.say(fmt::format(
        "{} {} rows: set accuracy {}, labels of the sets: precision {}, recall {}, F1 {}",
        format_count(report.validation_rows), kind_of_rows(flags),
        format_per_cent(report.sets->accuracy), format_per_cent(report.sets->precision),
        format_per_cent(report.sets->recall), format_per_cent(report.sets->f1)));
  }
  if (report.precision) {
    console.say(fmt::format("{} {} rows: P@1 {:.2f}, P@3 {:.2f}, P@5 {:.2f}",
                            format_count(report.validation_rows), kind_of_rows(flags),
                            report.precision->at_1, report.precision->at_3,
                            report.precision->at_5));
  } else {
    console.say("no rows were held out, so scores are not calibrated to probabilities");
  }
  console.say(fmt::format("wrote {}", flags.out));
}

nlohmann::ordered_json linear_json(const MemberReport& member) {
  return {{"parent_weight", member.parent_weight},
          {"loss_weight", member.loss_weight},
          {"neighbours", member.neighbours}};
}

nlohmann::ordered_json accuracy_json(const Accuracy& accuracy) {
  nlohmann::ordered_json json = {{"P@1", accuracy.first_label}};
  if (accuracy.set_accuracy) json["set_accuracy"] = *accuracy.set_accuracy;
  if (!accuracy.heads.empty()) json["head_accuracy"] = accuracy.heads;
  return json;
}

nlohmann::ordered_json gradient_json(const MemberReport& member) {
  nlohmann::ordered_json epochs = nlohmann::ordered_json::array();
  for (const EpochReport& epoch : member.epochs.front()) {
    nlohmann::ordered_json json = {{"loss", epoch.loss}};
    if (epoch.quality) json["nDCG@5"] = *epoch.quality;
    if (epoch.training) json["training"] = accuracy_json(*epoch.training);
    if (epoch.validation) json["validation"] = accuracy_json(*epoch.validation);
    epochs.push_back(std::move(json));
  }
  return {{"inner_dim", member.inner_dim},
          {"parent_weight", member.parent_weight},
          {"epochs", epochs},
          {"planned_train_mb", static_cast<double>(member.planned_train_bytes) / 1e6},
          {"planned_model_mb", static_cast<double>(member.planned_model_bytes) / 1e6}};
}

nlohmann::ordered_json member_json(const MemberReport& member) {
  nlohmann::ordered_json json = {{"encoder", member.encoder},
                                 {"head", member.head},
                                 {"lengths", member.lengths},
                                 {"order", member.order},
                                 {"members", member.members}};
  json.update(member.epochs.empty() ? linear_json(member) : gradient_json(member));
  return json;
}

void print_json(Console& console, const TrainFlags& flags, const TrainReport& report) {
  const Usage usage = console.usage();
  const auto megabytes = [](std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; };
  nlohmann::ordered_json json = {{"model", flags.out},
                                 {"rows", report.rows},
                                 {"labels", report.labels},
                                 {"features", report.features}};
  if (report.encoders.size() == 1) {
    json.update(member_json(report.encoders.front()));
  } else {
    for (const MemberReport& member : report.encoders) {
      json["encoders"].push_back(member_json(member));
    }
  }
  json.update({{"feature_weights", report.feature_weights},
               {"name_rows", report.name_rows},
               {"validation_rows", report.validation_rows},
               {"refitted", report.refitted},
               {"wall_s", usage.wall_seconds},
               {"cpu_s", usage.cpu_seconds},
               {"peak_rss_mb", megabytes(usage.peak_bytes)},
               {"model_mb", megabytes(std::filesystem::file_size(flags.out))}});
  for (const Trial& trial : report.trials) {
    json["trials"].push_back({{"setting", trial.setting},
                              {"nDCG@5", trial.quality},
                              {"seconds", trial.seconds},
                              {"kept", trial.kept}});
  }
  if (report.precision) {
    json["validation"] = {{"P@1", report.precision->at_1},
                          {"P@3", report.precision->at_3},
                          {"P@5", report.precision->at_5}};
  }
  if (report.sets) json["validation"]["sets"] = sets_json(*report.sets);
  console.print(json.dump() + "\n");
}

// Flags that the encoder does not have are left out of its configuration.
void print_config(Console& console, const TrainFlags& flags, const CLI::App& command,
                  const TrainOptions& options) {
  nlohmann::ordered_json values = option_values(command, options);
  for (auto& [key, value] : values.items()) {
    // What the data or a search may decide is left to them when the run is repeated.
    const bool by_rule = key == "word-ngrams" || key == "min-df" || key == "min-token-length" ||
                         flags.tune_seconds > 0;
    if (by_rule && command.count("--" + key) == 0) value = nullptr;
  }
  const std::string encoder = options.encoder.empty() ? "linear" : options.encoder;
  for (const std::string& name : foreign_options(encoder)) {
    const std::string flag = OptionFlags::kebab(name);
    if (command.get_option_no_throw("--" + flag) != nullptr) values[flag] = nullptr;
  }
  console.print(dump_config(command, values).dump(2) + "\n");
}

// When the file to resume from was last written to; nothing if there is none.
std::optional<std::filesystem::file_time_type> resume_file_time(const std::string& path) {
  std::error_code none;
  const auto time = std::filesystem::last_write_time(path, none);
  return none ? std::nullopt : std::optional(time);
}

TrainReport train_or_say_how_to_resume(const Context& context, const Dataset& data,
                                       const TrainOptions& options, const TrainRun& run) {
  const std::string file = run.out + ".resume";
  const auto before = run.resume ? std::nullopt : resume_file_time(file);  // of another training
  try {
    return train_model(context, data, options, run);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInterrupted) throw;
    if (resume_file_time(file) == before) {
      throw Error(ErrorCode::kInterrupted,
                  "stopped before anything was finished; nothing was written");
    }
    const std::string_view what = error.what();
    throw Error(ErrorCode::kInterrupted,
                fmt::format("{}; the same command goes on from there with --resume",
                            what.starts_with("stopped after")
                                ? std::string(what)
                                : fmt::format("stopped; {} has what is finished", file)));
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

void check_flags(const TrainFlags& flags, const CLI::App& command) {
  for (const char* needed : {"DATA", "--out"}) {
    if (command.count(needed) == 0 && !flags.dump_config) {
      throw UsageError(fmt::format("{} is required (see mhe train --help)", needed));
    }
  }
  check_report(flags);
}

// Run-level flags that an encoder alone has.
void check_run_flags(const CLI::App& command, const std::string& encoder) {
  const bool has_linear = encoder.empty() || encoder.find("linear") != std::string::npos;
  const bool has_gradient = ("," + encoder).find(",bag") != std::string::npos ||
                            ("," + encoder).find(",dense") != std::string::npos;
  for (const auto& [flag, is_there] :
       {std::pair{"--flush-seconds", has_linear}, {"--checkpoint-every", has_gradient}}) {
    if (is_there || command.count(flag) == 0) continue;
    throw UsageError(fmt::format("{} does not belong to --encoder {}", flag,
                                 encoder.empty() ? "linear" : encoder));
  }
}

void run_train(Console& console, const TrainFlags& flags, CLI::App& command) {
  if (!flags.config.empty()) apply_config(command, flags.config);
  check_flags(flags, command);
  PhaseClock clock(console);
  const StopSignal stop({SIGINT, SIGTERM});
  const auto context =
      make_timed_context(console, clock,
                         {.threads = flags.threads,
                          .seed = flags.seed,
                          .ram_bytes = flags.ram.empty() ? 0 : parse_bytes(flags.ram),
                          .should_stop = StopSignal::is_requested});
  const Dataset data = make_read_options(flags.data, flags.input);
  const TrainOptions options =
      make_train_options(command, flags.train, *context, flags.input.empty() ? nullptr : &data);
  check_run_flags(command, options.encoder);
  if (flags.dump_config) return print_config(console, flags, command, options);
  PageFile page(flags.report);
  const TrainReport report =
      train_or_say_how_to_resume(*context, data, options, make_run(console, flags));
  clock.stop();
  tell(console, flags, report);
  page.write(console, clock, report.history,
             {.model = flags.out,
              .data = flags.input,
              .rows_kind = std::string(kind_of_rows(flags)),
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
  command.add_option("--valid", flags->valid,
                     "Validation rows, which are not trained on: they choose the parent weight and "
                     "calibrate the probabilities, in place of rows held out from DATA");
  command.add_option("--valid-labels", flags->valid_labels, "Label file of --valid");
  command
      .add_option("--tune", flags->tune_seconds,
                  "Try other settings on validation rows for about this many seconds, then train "
                  "with the best; options given here stay as they are")
      ->check(number_between(0, 1e7));
  command.add_option(
      "--ram", flags->ram,
      "Most memory, such as 2G: fewer threads solve at once, or the data is refused");
  command.add_flag("--resume", flags->resume, "Go on where an interrupted run stopped");
  command
      .add_option("--flush-seconds", flags->flush_seconds,
                  "Seconds between writes of what is finished to the file that --resume goes on "
                  "from")
      ->check(number_between(0, 1e6))
      ->capture_default_str();
  command.add_option("--report", flags->report,
                     "Write a page of HTML here: curves, metrics, heads, time and size");
  add_config_flags(command, flags->config, flags->dump_config);
  command.add_flag("--json", flags->json, "Print one object at the end: time, memory, size");
  command.add_option("--checkpoint-every", flags->checkpoint_every,
                     "Epochs between checkpoints, from which --resume goes on; 0: only when "
                     "interrupted");
  add_train_options(command, flags->train);
  command.add_option("--seed", flags->seed, "Random seed")->capture_default_str();
  command.add_option("--threads", flags->threads, "Threads; default: one per core");
  add_data_flags(command, flags->data);
  show_first(
      command,
      {"--out", "--text", "--labels", "--label-separator", "--label-file", "--valid", "--preset",
       "--encoder", "--tune", "--ram", "--resume", "--report", "--json", "--seed", "--threads"},
      "Examples:\n"
      "  mhe train reviews.csv --text title,body --labels tags --out reviews.mhe\n"
      "  mhe train train.txt --preset best --report report.html --out model.mhe");
  command.get_option("--flush-seconds")->group("Only with --encoder linear");
  command.get_option("--checkpoint-every")->group("Only with --encoder bag or dense");
  return [flags, &command](Console& console) { run_train(console, *flags, command); };
}

}  // namespace mhe::app
