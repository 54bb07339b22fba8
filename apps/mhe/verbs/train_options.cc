// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "verbs/train_options.h"

#include "flags/checks.h"
#include "flags/data_flags.h"
#include "flags/option_flags.h"

namespace mhe::app {
namespace {

template <class Options>
void group(CLI::App& command, Options options, const char* title) {
  for (const std::string& name : option_names(options)) {
    CLI::Option* option = command.get_option_no_throw("--" + OptionFlags::kebab(name));
    if (option != nullptr) option->group(title);
  }
}

}  // namespace

void add_train_options(CLI::App& command, TrainOptionFlags& flags) {
  command
      .add_option(
          "--preset", flags.preset,
          "fast (a first try), default (one model) or best (an ensemble); other flags change "
          "what it sets")
      ->check(one_of({"fast", "default", "best"}))
      ->capture_default_str();
  command.add_option("--encoder", flags.options.encoder,
                     "linear: sparse weights on the input itself; bag: a learned embedding of it; "
                     "dense: for dense vectors. Several with commas between are averaged, each "
                     "with options of its own: linear,linear:head=onehot,bag:lengths=60x72; "
                     "default: dense for dense vectors, else linear");
  flags.options.visit(NewFlags(command));
  add_own_flag(command, flags.options.own);
  group(command, CommonOptions(), "Every encoder");
  command.get_option("--own")->group("Text to features");
  group(command, TextOptions(), "Text to features");
  group(command, SolverOptions(), "Only with --encoder linear");
  group(command, GradientOptions(), "Only with --encoder bag or dense");
}

TrainOptions make_train_options(const CLI::App& command, const TrainOptionFlags& flags,
                                const Context& context, const Dataset* data) {
  std::string encoder = flags.options.encoder;
  if (encoder.empty() && data != nullptr) encoder = choose_encoder(context, *data, flags.options);
  TrainOptions options = preset_options(flags.preset, encoder);
  TrainOptions given = flags.options;
  copy_given(command, given, options);
  for (const std::string& name : given_options(command, options)) options.given.insert(name);
  return options;
}

std::set<std::string, std::less<>> foreign_options(const std::string& encoder) {
  std::set<std::string, std::less<>> foreign;
  for (const std::string& name : option_names(TrainOptions())) foreign.insert(name);
  std::size_t begin = 0;
  while (begin <= encoder.size()) {
    const std::size_t end = std::min(encoder.find(',', begin), encoder.size());
    for (const std::string& own : options_of(encoder.substr(begin, end - begin))) {
      foreign.erase(own);
    }
    begin = end + 1;
  }
  return foreign;
}

}  // namespace mhe::app
