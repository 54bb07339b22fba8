// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// `mhe bench WHAT`: each WHAT is a subcommand in a file of its own, verb_bench_WHAT.cc.

#include <array>
#include <memory>
#include <string>

#include "verbs/verbs.h"

namespace mhe::app {

std::function<void(Console&)> add_bench(CLI::App& command) {
  static constexpr std::array kBenches = {
      Verb{"train", "Time of a training, phase by phase", add_bench_train},
      Verb{"epoch", "Time of an epoch of a learned encoder, against the roof", add_bench_epoch},
      Verb{"heads", "Time of every head with dense rows, against one-hot", add_bench_heads},
      Verb{"predict", "Time of a prediction, one document at a time", add_bench_predict},
  };
  command.require_subcommand(1);
  auto chosen = std::make_shared<std::function<void(Console&)>>();
  for (const Verb& bench : kBenches) {
    CLI::App* sub = command.add_subcommand(std::string(bench.name), std::string(bench.help));
    sub->callback([chosen, run = bench.add(*sub)] { *chosen = run; });
  }
  return [chosen](Console& console) { (*chosen)(console); };
}

}  // namespace mhe::app
