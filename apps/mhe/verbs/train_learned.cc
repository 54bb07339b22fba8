// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "verbs/train_learned.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <typeinfo>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "charts/report_page.h"
#include "data/byte_source.h"
#include "encoders/registry.h"
#include "flags/option_flags.h"
#include "labels/names.h"
#include "output/phase_clock.h"
#include "output/units.h"
#include "verbs/stop_signal.h"
#include "verbs/verbs.h"

namespace mhe::app {
namespace {

void refuse_given(const CLI::App& command, const std::string& encoder) {
  for (const std::string& name : foreign_options(encoder)) {
    if (!is_given(command, name.c_str())) continue;
    throw UsageError(
        fmt::format("--{} does not belong to --encoder {}", OptionFlags::kebab(name), encoder));
  }
}

bool is_dense(const data::ReadOptions& input) {
  const Context context({.threads = 1});
  labels::LabelNames names;
  return data::open_reader(context, input, names)->schema().kind == InputKind::kDense;
}

std::string shape_of(const train::LearnedReport& report) {
  std::string shape = fmt::format("{}, {} head of {}", describe_encoder(report.plan.encoder),
                                  head_kind_name(report.plan.head.kind()),
                                  fmt::join(report.plan.head.lengths, " x "));
  const heads::HeadSpec& head = report.plan.head;
  if (head.inner_width() != head.dim) {
    shape += fmt::format(", inner width {}", head.inner_width());
  }
  if (report.epochs.size() > 1) shape += fmt::format(", {} members", report.epochs.size());
  return shape;
}

std::string_view kind_of_judges(const LearnedTask& task) {
  return task.run.valid ? "validation" : "held-out";
}

void tell(Console& console, const LearnedTask& task, const train::LearnedReport& report) {
  if (report.resumed_epochs > 0) {
    console.say(fmt::format("took {} over from the interrupted run",
                            format_count(report.resumed_epochs, "finished epoch")));
  }
  if (report.trimmed_labels > 0) {
    console.say(fmt::format("left out {} labels of fewer than {} rows",
                            format_count(report.trimmed_labels), task.options.min_label_count));
  }
  console.say(shape_of(report));
  for (const std::string& note : report.plan.notes) console.say(note);
  const std::vector<train::EpochReport>& epochs = report.epochs.front();
  console.say(fmt::format("loss of the first epoch {:.4g}, of the last, number {}, {:.4g}",
                          epochs.front().loss, epochs.size(), epochs.back().loss));
  if (task.options.patience > 0) {
    const auto best =
        std::max_element(epochs.begin(), epochs.end(),
                         [](const auto& a, const auto& b) { return a.quality < b.quality; });
    console.say(fmt::format("kept the weights of epoch {}, the best by nDCG@5: {:.2f}",
                            best - epochs.begin() + 1, best->quality.value_or(0)));
  }
  if (report.precision) {
    console.say(fmt::format("{} {} rows: P@1 {:.2f}, P@3 {:.2f}, P@5 {:.2f}",
                            format_count(report.judged_rows), kind_of_judges(task),
                            report.precision->at_1, report.precision->at_3,
                            report.precision->at_5));
  } else {
    console.say("no rows were held out, so scores are not calibrated to probabilities");
  }
  console.say(fmt::format("wrote {}", task.run.out));
}

void print_json(Console& console, const LearnedTask& task, const train::LearnedReport& report) {
  const Usage usage = console.usage();
  const auto megabytes = [](std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; };
  nlohmann::ordered_json epochs = nlohmann::ordered_json::array();
  for (const train::EpochReport& epoch : report.epochs.front()) {
    nlohmann::ordered_json json = {{"loss", epoch.loss}};
    if (epoch.quality) json["nDCG@5"] = *epoch.quality;
    epochs.push_back(std::move(json));
  }
  nlohmann::ordered_json json = {
      {"model", task.run.out},
      {"encoder", task.options.encoder},
      {"head", head_kind_name(report.plan.head.kind())},
      {"rows", report.rows},
      {"labels", report.plan.head.num_labels},
      {"features", report.plan.encoder.num_inputs},
      {"lengths", report.plan.head.lengths},
      {"inner_dim", report.plan.head.inner_width()},
      {"members", report.epochs.size()},
      {"parent_power", report.parent_power},
      {"epochs", epochs},
      {"held_out_rows", report.judged_rows},
      {"planned_train_mb", megabytes(report.plan.train_bytes)},
      {"planned_model_mb", megabytes(report.plan.model_bytes)},
      {"wall_s", usage.wall_seconds},
      {"cpu_s", usage.cpu_seconds},
      {"peak_rss_mb", megabytes(usage.peak_bytes)},
      {"model_mb", megabytes(std::filesystem::file_size(task.run.out))},
  };
  if (report.precision) {
    json["held_out"] = {{"P@1", report.precision->at_1},
                        {"P@3", report.precision->at_3},
                        {"P@5", report.precision->at_5}};
  }
  console.print(json.dump() + "\n");
}

}  // namespace

std::string describe_encoder(const encoders::EncoderSpec& spec) {
  const auto* const mlp = std::get_if<encoders::MlpSpec>(&spec.own);
  if (mlp != nullptr && mlp->layers == 0)
    return fmt::format("{} scaled inputs", format_count(spec.num_inputs));
  std::string text = fmt::format("{} inputs to {} features", format_count(spec.num_inputs),
                                 format_count(spec.dim));
  const std::size_t hidden = mlp == nullptr ? 0 : mlp->layers - 1;
  if (hidden > 0) text += ", " + format_count(hidden, "residual layer");
  return text;
}

void add_learned_flags(CLI::App& command, LearnedFlags& flags) {
  std::vector<std::string> names = {"linear"};
  std::string help = "linear: sparse weights on the input itself";
  for (const encoders::EncoderType& type : encoders::encoder_types()) {
    names.emplace_back(type.name);
    help += fmt::format("; {}: {}", type.name, type.help);
  }
  command.add_option("--encoder", flags.encoder, help + ". Default: dense for these, else linear")
      ->check(CLI::IsMember(names));
  flags.options.visit(NewFlags(command));
}

void group_by_encoder(CLI::App& command) {
  const auto group = [&](const std::set<std::string>& names, const char* title) {
    for (const std::string& name : names) {
      CLI::Option* option = command.get_option_no_throw("--" + OptionFlags::kebab(name));
      if (option != nullptr) option->group(title);
    }
  };
  group(option_names(text::VectorizerOptions()), "Text to features");
  group(foreign_options("bag"), "Only with --encoder linear");
  group(foreign_options("linear"), "Only with --encoder bag or dense");
}

std::set<std::string> foreign_options(const std::string& encoder) {
  std::set<std::string> linear = option_names(train::LinearOptions());
  std::set<std::string> learned = option_names(train::LearnedOptions());
  linear.insert({"preset", "tune", "flush_seconds"});
  learned.insert("checkpoint_every");
  const bool is_linear = encoder == "linear";
  std::set<std::string> foreign = is_linear ? learned : linear;
  for (const std::string& own : is_linear ? linear : learned) foreign.erase(own);
  return foreign;
}

std::string choose_encoder(const CLI::App& command, const LearnedFlags& flags,
                           const data::ReadOptions& input) {
  std::string encoder = flags.encoder;
  // A stream can be read once only, so there it has to be said.
  if (encoder.empty()) {
    const bool can_look = !input.path.empty() && !data::is_stream(input.path);
    encoder = can_look && is_dense(input) ? "dense" : "linear";
  }
  refuse_given(command, encoder);
  return encoder;
}

train::LearnedOptions make_learned_options(const CLI::App& command, const LearnedFlags& flags,
                                           train::LinearOptions linear) {
  std::map<std::string, std::pair<const void*, const std::type_info*>> shared;
  linear.visit([&](const char* name, auto& value, const char*) {
    shared[name] = {&value, &typeid(value)};
  });
  train::LearnedOptions given = flags.options;
  train::LearnedOptions options;
  copy_given(command, given, options);
  options.visit([&](const char* name, auto& value, const char*) {
    const auto found = shared.find(name);
    if (found == shared.end() || !is_given(command, name)) return;
    MHE_ASSERT(*found->second.second == typeid(value));
    value = *static_cast<const std::decay_t<decltype(value)>*>(found->second.first);
  });
  return options;
}

void run_train_learned(Console& console, LearnedTask task) {
  PhaseClock clock(console);
  const StopSignal stop;
  // Once training has begun it looks at the flag itself, to leave a checkpoint.
  bool has_begun = false;
  const auto context =
      make_timed_context(console, clock, task.threads, task.seed, [&](const Progress& progress) {
        has_begun = has_begun || progress.stage == "training";
        if (!has_begun) stop.check();
      });
  task.run.stop = &stop.flag();
  PageFile page(task.report);
  task.run.history = page.history();
  const train::LearnedReport report =
      train::train_learned(*context, task.input, task.options, task.run);
  clock.stop();
  tell(console, task, report);
  page.write(console, clock,
             {.model = task.run.out,
              .data = task.input.path,
              .judges = std::string(kind_of_judges(task)),
              .shape = shape_of(report),
              .threads = context->threads()});
  if (task.json) print_json(console, task, report);
  console.summarize({.rows = report.rows, .labels = report.plan.head.num_labels});
}

}  // namespace mhe::app
