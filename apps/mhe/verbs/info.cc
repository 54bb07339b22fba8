// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <mhe/context.h>

#include "verbs/verbs.h"

namespace mhe::app {
namespace {

struct InfoFlags {
  bool json = false;
};

std::vector<std::string> cpu_features() {
  std::vector<std::string> found;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) found.emplace_back("sse4.2");
  if (__builtin_cpu_supports("avx2")) found.emplace_back("avx2");
  if (__builtin_cpu_supports("fma")) found.emplace_back("fma");
  if (__builtin_cpu_supports("avx512f")) found.emplace_back("avx512f");
#endif
  return found;
}

void run_info(Console& console, const InfoFlags& flags) {
  const std::vector<std::string> features = cpu_features();
  const std::vector<std::string_view> isas = instruction_sets();
  const unsigned threads = std::thread::hardware_concurrency();
  if (flags.json) {
    const nlohmann::ordered_json json = {{"version", version()},
                                         {"compiler", MHE_COMPILER},
                                         {"isa", instruction_set_in_use()},
                                         {"isas", isas},
                                         {"cpu_offers", features},
                                         {"threads", threads},
                                         {"libraries", MHE_LIBRARIES}};
    console.print(json.dump(2) + "\n");
    return;
  }
  console.print(
      fmt::format("mhe        {}\ncompiler   {}\nISA        {} (the CPU offers {})\n"
                  "ISAs here  {}; MHE_ISA=NAME takes another\nthreads    {}\nlibraries  {}\n",
                  version(), MHE_COMPILER, instruction_set_in_use(), fmt::join(features, ", "),
                  fmt::join(isas, ", "), threads, MHE_LIBRARIES));
}

}  // namespace

std::function<void(Console&)> add_info(CLI::App& command) {
  auto flags =
      std::make_shared<InfoFlags>();  // shared: the flags outlive the parser that fills them
  command.add_flag("--json", flags->json, "Print one JSON object");
  return [flags](Console& console) { run_info(console, *flags); };
}

}  // namespace mhe::app
