// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <mhe/context.h>
#include <mhe/error.h>

#include "flags/help.h"
#include "flags/suggest.h"
#include "verbs/verbs.h"

namespace mhe::app {
namespace {

constexpr int kRuntimeError = 1;
constexpr int kUsageError = 2;

// In the order that --help shows.
constexpr std::array kVerbs = {
    Verb{"plan", "Number and length of heads, and what they cost", add_plan},
    Verb{"data", "Make a task: a real one from Debian, or synthetic", add_data},
    Verb{"stats", "Describe a data set, or compare two", add_stats},
    Verb{"convert", "Write a data set of any format in another", add_convert},
    Verb{"features", "Turn raw text into sparse TF-IDF vectors", add_features},
    Verb{"order", "Give labels their places in the label space", add_order},
    Verb{"train", "Train a model on text or vectors", add_train},
    Verb{"eval", "How good a model is on data with labels", add_eval},
    Verb{"predict", "Best labels of each row, and their probabilities", add_predict},
    Verb{"metrics", "Score the predictions of any system", add_metrics},
    Verb{"inspect", "What is in a model file", add_inspect},
    Verb{"bench", "Measure speed on this machine", add_bench},
    Verb{"lab", "Statements of the paper, tried on numbers", add_lab},
    Verb{"info", "Version, instruction sets, threads and libraries", add_info},
};

int complain(Console& console, std::string_view message, int exit_code) {
  console.say(fmt::format("error: {}", message));
  return exit_code;
}

// For tests and comparisons: kernels on an instruction set that is not the best.
void use_isa_of_environment() {
  const char* isa = std::getenv("MHE_ISA");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  if (isa == nullptr || *isa == '\0') return;
  try {
    use_instruction_set(isa);
  } catch (const Error& error) {
    throw UsageError(std::string("MHE_ISA: ") + error.what());
  }
}

int run_guarded(Console& console, const std::function<void(Console&)>& verb) {
  try {
    use_isa_of_environment();
    verb(console);
    return 0;
  } catch (const UsageError& error) {
    return complain(console, error.what(), kUsageError);
  } catch (const Error& error) {
    const bool is_usage = error.code() == ErrorCode::kInvalidArgument;
    return complain(console, error.what(), is_usage ? kUsageError : kRuntimeError);
  } catch (const std::bad_alloc&) {
    return complain(console, "out of memory; mhe plan tells beforehand what training takes",
                    kRuntimeError);
  } catch (const std::exception& error) {
    return complain(console, error.what(), kRuntimeError);
  }
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string meant = nearest(word, candidates);
  return meant.empty() ? std::string() : fmt::format("; did you mean {}?", meant);
}

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

// What CLI11 found wrong, with our hint where a flag or verb was mistyped.
std::string explain(const CLI::App& app, const CLI::ParseError& error,
                    std::span<const std::string> words) {
  const auto verbs = app.get_subcommands({});
  if (words.size() > 1 && !words[1].starts_with('-')) {
    std::vector<std::string> names;
    names.reserve(verbs.size());
    for (const CLI::App* verb : verbs) names.push_back(verb->get_name());
    if (std::find(names.begin(), names.end(), words[1]) == names.end()) {
      return fmt::format("unknown verb \"{}\"{} (see mhe --help)", words[1],
                         did_you_mean(words[1], names));
    }
  }
  const CLI::App* innermost = &app;  // a verb, or a subcommand of one
  std::string verb;
  while (!innermost->get_subcommands().empty()) {
    innermost = innermost->get_subcommands().front();
    verb += " " + innermost->get_name();
  }
  const CLI::App& command = *innermost;
  const auto parts = command.get_subcommands({});
  if (!parts.empty() && words.size() > 2 && !words[2].starts_with('-')) {
    std::vector<std::string> names;
    names.reserve(parts.size());
    for (const CLI::App* part : parts) names.push_back(part->get_name());
    return fmt::format("unknown word \"{}\" after mhe{}{} (see mhe{} --help)", words[2], verb,
                       did_you_mean(words[2], names), verb);
  }
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    const std::vector<std::string> known = flags_of(command);
    for (const std::string& word : words) {
      const std::string flag = word.substr(0, word.find('='));
      if (!flag.starts_with("--") || std::find(known.begin(), known.end(), flag) != known.end()) {
        continue;
      }
      return fmt::format("unknown flag {}{} (see mhe{} --help)", flag, did_you_mean(flag, known),
                         verb);
    }
  }
  return fmt::format("{} (see mhe{} --help)", error.what(), verb);
}

int run(int argc, char** argv) {
  // A reader that closes its end of our pipe (head, less) ends us quietly, as it does other tools.
  std::signal(SIGPIPE, SIG_DFL);
  // A file that may not grow further is an error to tell, as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app("Extreme label classification: plan, prepare data, train, predict, score.", "mhe");
  app.set_version_flag("--version", fmt::format("mhe {}", version()));
  app.formatter(std::make_shared<HelpFormatter>());
  app.require_subcommand(1);
  std::function<void(Console&)> chosen;
  for (const Verb& verb : kVerbs) {
    CLI::App* command = app.add_subcommand(std::string(verb.name), std::string(verb.help));
    command->callback([&chosen, run_verb = verb.add(*command)] { chosen = run_verb; });
    complete_options(*command);
  }
  // After the verbs, which would take it over.
  app.footer(
      "'mhe VERB --help' tells more about a verb.\n"
      "MHE_ISA=NAME in the environment takes another instruction set than the best\n"
      "('mhe info' lists them).");
  Console console;
  const std::vector<std::string> words(argv, argv + argc);
  if (argc == 1) {
    fmt::print("{}", app.help());
    return kUsageError;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return complain(console, explain(app, error, words), kUsageError);
  }
  return run_guarded(console, chosen);
}

}  // namespace
}  // namespace mhe::app

int main(int argc, char** argv) {
  try {
    mhe::return_large_blocks();
    return mhe::app::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "mhe: error: {}\n", error.what());
    return 1;
  }
}
