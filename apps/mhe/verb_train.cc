// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "data_flags.h"
#include "option_flags.h"
#include "train/train_linear.h"
#include "units.h"
#include "verbs.h"

namespace mhe::app {
namespace {

struct TrainFlags {
  std::string input;
  std::string out;
  DataFlags data;
  train::LinearOptions options;
  std::size_t threads = 0;
  std::uint64_t seed = 1;
};

void run_train(Console& console, const TrainFlags& flags) {
  const auto context = console.make_context(flags.threads, flags.seed);
  const train::LinearReport report = train::train_linear(
      *context, make_read_options(flags.data, flags.input), flags.options, flags.out);
  console.say(fmt::format("heads of {}, {} features; wrote {}", fmt::join(report.lengths, " x "),
                          format_count(report.features), flags.out));
  console.summarize({.rows = report.rows, .labels = report.labels});
}

}  // namespace

std::function<void(Console&)> add_train(CLI::App& command) {
  auto flags = std::make_shared<TrainFlags>();
  command.add_option("DATA", flags->input, "Training data; - is standard input")->required();
  command.add_option("-o,--out", flags->out, "Where to write the model")->required();
  flags->options.visit(OptionFlags(command));
  command.add_option("--seed", flags->seed, "Random seed")->capture_default_str();
  command.add_option("--threads", flags->threads, "Threads; 0: one per core");
  add_data_flags(command, flags->data);
  return [flags](Console& console) { run_train(console, *flags); };
}

}  // namespace mhe::app
