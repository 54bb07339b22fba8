// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <exception>
#include <functional>
#include <new>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <mhe/error.h>
#include <mhe/version.h>

#include "verb.h"

namespace mhe::app {
namespace {

constexpr int kRuntimeError = 1;
constexpr int kUsageError = 2;

int complain(Console& console, std::string_view message, int exit_code) {
  console.clear_progress();
  fmt::print(stderr, "mhe: error: {}\n", message);
  return exit_code;
}

int run_guarded(Console& console, const std::function<void(Console&)>& verb) {
  try {
    verb(console);
    return 0;
  } catch (const UsageError& error) {
    return complain(console, error.what(), kUsageError);
  } catch (const Error& error) {
    return complain(console, error.what(), kRuntimeError);
  } catch (const std::bad_alloc&) {
    return complain(console, "out of memory", kRuntimeError);
  } catch (const std::exception& error) {
    return complain(console, error.what(), kRuntimeError);
  }
}

int run(int argc, char** argv) {
  // A reader that closes its end of our pipe (head, less) ends us quietly, as it does other tools.
  std::signal(SIGPIPE, SIG_DFL);
  CLI::App app("Extreme label classification: plan, prepare data and score predictions.", "mhe");
  app.set_version_flag("--version", fmt::format("mhe {}", version()));
  app.require_subcommand(1);
  app.footer("'mhe VERB --help' tells more about a verb.");
  std::function<void(Console&)> chosen;
  for (const Verb& verb : all_verbs()) {
    CLI::App* command = app.add_subcommand(std::string(verb.name), std::string(verb.help));
    command->callback([&chosen, run_verb = verb.add(*command)] { chosen = run_verb; });
  }
  Console console;
  if (argc == 1) {
    fmt::print("{}", app.help());
    return kUsageError;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return complain(console, fmt::format("{} (see mhe --help)", error.what()), kUsageError);
  }
  return run_guarded(console, chosen);
}

}  // namespace
}  // namespace mhe::app

int main(int argc, char** argv) {
  try {
    return mhe::app::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "mhe: error: {}\n", error.what());
    return 1;
  }
}
