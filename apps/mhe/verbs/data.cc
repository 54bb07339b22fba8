// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// `mhe data TASK --out DIR`: each task is a subcommand; those that need packages are in
// verb_data_debian.cc.
#include "verbs/data.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <csignal>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "flags/option_flags.h"
#include "flags/usage_error.h"
#include "output/data_report.h"
#include "tasks/synthetic.h"
#include "verbs/stop_signal.h"
#include "verbs/verbs.h"

namespace mhe::app {
namespace {

constexpr std::array kTasks = {
    DataTask{"reverse-dictionary", "Definition -> the words it defines", add_reverse_dictionary},
    DataTask{"debian-deps", "Package name and description -> what it depends on", add_debian_deps},
    DataTask{"cjk-glyphs", "32 x 32 picture -> one of 21,000 Chinese characters", add_cjk_glyphs},
    DataTask{"synthetic", "Sparse rows of any size that can be learned, made from a seed",
             add_synthetic},
};

// A word as a shell takes it.
std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("/._-+").find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// The commands to go on with: training, or looking where nothing trains on such data yet.
std::string next_steps(const std::string& directory, const tasks::TaskResult& result) {
  std::string text = "\nNext:\n";
  const std::filesystem::path root(directory);
  const auto path = [&](const std::string& name) { return quoted((root / name).string()); };
  const std::filesystem::path plain = root.has_filename() ? root : root.parent_path();
  const std::string model = quoted(plain.string() + ".mhe");
  for (const tasks::SplitFile& file : result.files) {
    if (!file.labels_name.empty()) {
      text +=
          fmt::format("  mhe stats {} --label-file {}\n", path(file.name), path(file.labels_name));
    } else if (file.split == tasks::Split::kTrain) {
      text += fmt::format("  mhe train {} --out {}\n", path(file.name), model);
    } else if (file.split == tasks::Split::kTest) {
      text += fmt::format("  mhe eval {} {}\n", model, path(file.name));
    }
  }
  return text;
}

tasks::TaskResult build_unless_stopped(Console& console, const Context& context,
                                       const tasks::TaskOutput& output, const BuildTask& build) {
  try {
    return build(console, context, output);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInterrupted) throw;
    throw Error(error.code(), "interrupted; nothing was written");
  }
}

void run_task(Console& console, const TaskFlags& flags, const BuildTask& build) {
  // Looked at between two steps, so that what was begun is cleared away.
  const StopSignal stop({SIGINT, SIGTERM, SIGHUP});
  ContextOptions options = console.context_options(flags.threads, flags.seed);
  options.should_stop = StopSignal::is_requested;
  const Context context(std::move(options));
  const tasks::TaskOutput output = {
      flags.out, flags.force ? tasks::Existing::kReplace : tasks::Existing::kRefuse};
  const tasks::TaskResult result = build_unless_stopped(console, context, output, build);
  const TaskTotals totals = report_task(console, context, flags.out, result,
                                        flags.json ? ReportStyle::kJson : ReportStyle::kText);
  if (!flags.json) console.print(next_steps(flags.out, result));
  console.summarize({totals.rows, totals.labels});
}

std::string list_of_tasks() {
  std::string text = "mhe data TASK --out DIR makes train, dev and test of\n";
  for (const DataTask& task : kTasks) {
    text += fmt::format("  {:20}{}\n", task.name, task.help);
  }
  return text + "'mhe data TASK --help' tells more about a task.\n";
}

void add_common_flags(CLI::App& command, TaskFlags& flags) {
  command.add_option("--out", flags.out, "Directory to create")->required();
  command.add_flag("--force", flags.force, "Replace a task that is there already");
  command.add_flag("--json", flags.json, "Print one JSON object");
  command.add_option("--threads", flags.threads, "Threads; default: one per core")
      ->capture_default_str();
}

}  // namespace

BuildTask add_synthetic(CLI::App& command, TaskFlags& common) {
  command.add_option("--seed", common.seed, "Random seed")->capture_default_str();
  auto options = std::make_shared<tasks::SyntheticOptions>();  // shared: outlives the parser
  options->visit(OptionFlags(command));
  return [options](Console&, const Context& context, const tasks::TaskOutput& output) {
    return tasks::build_synthetic(context, *options, output);
  };
}

std::function<void(Console&)> add_data(CLI::App& command) {
  auto chosen = std::make_shared<std::function<void(Console&)>>();
  for (const DataTask& task : kTasks) {
    CLI::App* sub = command.add_subcommand(std::string(task.name), std::string(task.help));
    auto flags = std::make_shared<TaskFlags>();
    add_common_flags(*sub, *flags);
    sub->callback([chosen, flags, build = task.add(*sub, *flags)] {
      *chosen = [flags, build](Console& console) { run_task(console, *flags, build); };
    });
  }
  command.require_subcommand(0, 1);
  return [chosen](Console& console) {
    if (*chosen) return (*chosen)(console);
    console.print(list_of_tasks());
  };
}

}  // namespace mhe::app
