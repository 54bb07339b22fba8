// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// `mhe lab NAME`: each experiment is a subcommand, whose flags are its options.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <mhe/dataset.h>

#include "charts/bench_svg.h"
#include "flags/option_flags.h"
#include "lab/experiments.h"
#include "output/lab_output.h"
#include "verbs/verbs.h"

namespace mhe::app {
namespace {

struct LabFlags {
  lab::Seeds seeds;
  std::size_t threads = 0;
  bool json = false;
  std::string markdown;
  std::string svg;
};

using Experiment = std::function<lab::Report(const Context& context, const lab::Seeds& seeds)>;

struct LabEntry {
  std::string_view name;
  std::string_view help;
  Experiment (*add)(CLI::App& command);  // adds its flags
  std::uint64_t seeds;                   // unless --seeds says so
};

template <class Options, lab::Report (*kRun)(const Context&, const Options&, const lab::Seeds&)>
Experiment add_experiment(CLI::App& command) {
  auto options = std::make_shared<Options>();  // shared: outlives the parser
  options->visit(OptionFlags(command));
  return [options](const Context& context, const lab::Seeds& seeds) {
    return kRun(context, *options, seeds);
  };
}

constexpr std::array kExperiments = {
    LabEntry{"theorem-1", "The largest output of a product of heads",
             add_experiment<lab::TheoremOneOptions, lab::theorem_1>, 5},
    LabEntry{"corollary-1", "Heads that come near to one-hot outputs",
             add_experiment<lab::CorollaryOneOptions, lab::corollary_1>, 5},
    LabEntry{"theorem-2", "Minima of the Frobenius loss of a bottleneck",
             add_experiment<lab::TheoremTwoOptions, lab::theorem_2>, 5},
    LabEntry{"theorem-3", "Training accuracy of one unit with cross-entropy",
             add_experiment<lab::TheoremThreeOptions, lab::theorem_3>, 5},
    LabEntry{"theorem-4", "How far two softmaxes are apart",
             add_experiment<lab::TheoremFourOptions, lab::theorem_4>, 5},
    LabEntry{"error-accumulation", "Eq. 14: what each further head costs",
             add_experiment<lab::ErrorAccumulationOptions, lab::error_accumulation>, 3},
    LabEntry{"confusion", "Eq. 15: confusion degree of head lengths and error",
             add_experiment<lab::ConfusionOptions, lab::confusion>, 3},
    LabEntry{"bottleneck", "Fig. 5: Frobenius loss and cross-entropy, accuracy and rank",
             add_experiment<lab::BottleneckOptions, lab::bottleneck>, 5},
};

void run_experiment(Console& console, const LabEntry& entry, const LabFlags& flags,
                    const Experiment& experiment) {
  if (flags.seeds.count == 0) throw UsageError("--seeds must be above 0");
  // A place that cannot be written to is told before the work.
  for (const std::string& path : {flags.svg, flags.markdown}) {
    if (!path.empty()) check_writable(path);
  }
  const auto context = console.make_context(flags.threads, flags.seeds.first);
  const lab::Report report = experiment(*context, flags.seeds);
  if (!flags.svg.empty()) write_file(flags.svg, line_svg(report.charts, report.title));
  if (!flags.markdown.empty()) write_file(flags.markdown, lab_markdown(report));
  console.print(flags.json ? lab_json(entry.name, report, flags.seeds).dump() + "\n"
                           : lab_text(report, console.width()));
  console.summarize({});
}

std::string list_of_experiments() {
  std::string text = "mhe lab NAME tries a statement of the paper on numbers:\n";
  for (const LabEntry& entry : kExperiments) {
    text += fmt::format("  {:20}{}\n", entry.name, entry.help);
  }
  return text + "'mhe lab NAME --help' tells more about an experiment, docs/lab.md what it gave.\n";
}

}  // namespace

std::function<void(Console&)> add_lab(CLI::App& command) {
  auto chosen = std::make_shared<std::function<void(Console&)>>();
  for (const LabEntry& entry : kExperiments) {
    CLI::App* sub = command.add_subcommand(std::string(entry.name), std::string(entry.help));
    auto flags = std::make_shared<LabFlags>();
    flags->seeds.count = entry.seeds;
    const Experiment experiment = entry.add(*sub);
    sub->add_option("--seed", flags->seeds.first, "First random seed")->capture_default_str();
    sub->add_option("--seeds", flags->seeds.count,
                    "Number of seeds; their mean and range are shown")
        ->capture_default_str();
    sub->add_option("--threads", flags->threads, "Threads; 0: one per core")->capture_default_str();
    sub->add_flag("--json", flags->json, "Print one JSON object, with the values of every seed");
    sub->add_option("--markdown", flags->markdown, "Write the table as Markdown here");
    sub->add_option("--svg", flags->svg, "Write a picture here");
    sub->callback([chosen, flags, experiment, &entry] {
      *chosen = [flags, experiment, &entry](Console& console) {
        run_experiment(console, entry, *flags, experiment);
      };
    });
  }
  command.require_subcommand(0, 1);
  return [chosen](Console& console) {
    if (*chosen) return (*chosen)(console);
    console.print(list_of_experiments());
  };
}

}  // namespace mhe::app
