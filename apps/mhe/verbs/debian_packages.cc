// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "verbs/debian_packages.h"

#include <cstdio>
#include <iostream>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "flags/usage_error.h"
#include "tasks/command.h"
#include "tasks/debian_deps.h"
#include "tasks/lines.h"

namespace mhe::app {
namespace {

using tasks::Command;

// The installed version; nothing if the package is not installed, or this is no Debian.
std::optional<std::string> installed_version(const std::string& package) {
  try {
    const auto source = tasks::open_command(
        {"sh", "-c", "exec dpkg-query -W -f '${db:Status-Status} ${Version}' \"$1\" 2>/dev/null",
         "sh", package});
    const std::string answer = tasks::read_all(*source, 1000);
    constexpr std::string_view kInstalled = "installed ";
    if (!answer.starts_with(kInstalled)) return std::nullopt;
    return answer.substr(kInstalled.size());
  } catch (const Error&) {
    return std::nullopt;
  }
}

Command as_root(Command command) {
  if (::geteuid() != 0) command.insert(command.begin(), "sudo");
  return command;
}

Command install_command(const std::vector<std::string>& packages) {
  Command command = as_root({"apt-get", "install", "-y", "--no-install-recommends"});
  command.insert(command.end(), packages.begin(), packages.end());
  return command;
}

bool ask(Console& console, const std::string& question) {
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDERR_FILENO) != 1) return false;
  console.clear_progress();
  fmt::print(stderr, "{} [y/N] ", question);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

// Runs it without questions and without its words, errors excepted.
void run(Console& console, const Command& command) {
  console.say(tasks::command_line(command));
  Command quiet = {"sh", "-c", "exec \"$@\" >/dev/null </dev/null", "sh"};
  quiet.insert(quiet.end(), command.begin(), command.end());
  const int code = tasks::run_command(quiet);
  if (code != 0) {
    throw_error(ErrorCode::kNotFound, "{} failed with exit code {}", tasks::command_line(command),
                code);
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> need_packages(
    Console& console, const std::vector<std::string>& packages, Consent consent) {
  std::vector<std::string> missing;
  for (const std::string& package : packages) {
    if (!installed_version(package)) missing.push_back(package);
  }
  if (!missing.empty()) {
    console.say("needs these Debian packages: " + tasks::command_line(missing));
    if (consent == Consent::kAsk && !ask(console, "Install them now?")) {
      throw_error(ErrorCode::kNotFound,
                  "Debian packages are missing; give --install, or install them with:\n  {}",
                  tasks::command_line(install_command(missing)));
    }
    // A fresh container has no index to find them in.
    if (tasks::find_apt_index(tasks::DebianDepsOptions().lists).packages.empty()) {
      run(console, as_root({"apt-get", "update"}));
    }
    run(console, install_command(missing));
  }
  std::vector<std::pair<std::string, std::string>> versions;
  for (const std::string& package : packages) {
    const auto version = installed_version(package);
    if (!version)
      throw_error(ErrorCode::kNotFound, "the package {} is still not installed", package);
    versions.emplace_back(package, *version);
  }
  return versions;
}

void fetch_descriptions(Console& console, Consent consent) {
  const Command update = as_root({"apt-get", "update", "-o", "Acquire::Languages=en"});
  if (consent == Consent::kAsk &&
      !ask(console, "apt's index has no English descriptions here. Get them now?")) {
    throw_error(
        ErrorCode::kNotFound,
        "apt's index has no English descriptions here; give --install, or get them with:\n  {}\n"
        "or take the first lines only, with --short",
        tasks::command_line(update));
  }
  run(console, update);
}

}  // namespace mhe::app
