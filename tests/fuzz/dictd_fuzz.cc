// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a DICT index, then a zero, then the texts; each entry goes to every parser.
#include <string>

#include "memory_source.h"
#include "read_fuzzed.h"
#include "tasks/dictd.h"
#include "tasks/dictionary_entries.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mhe::tasks;  // NOLINT(google-build-using-namespace): a program of one function
  const std::string_view input = mhe::fuzz::as_text(data, size);
  const std::size_t zero = std::min(input.find('\0'), input.size());
  const std::string_view text = input.substr(std::min(zero + 1, input.size()));
  const auto parse = [](std::string_view entry) {
    static_cast<void>(parse_gcide_entry(entry));
    static_cast<void>(parse_foldoc_entry(entry));
    static_cast<void>(parse_wikdict_entry(entry));
  };
  parse(text);
  try {
    const Dictd dictd(
        std::string(text),
        read_dictd_index(mhe::data::make_memory_source("fuzzed", input.substr(0, zero))), "fuzzed");
    for (std::size_t i = 0; i < dictd.size() && i < 100; ++i) parse(dictd[i]);
  } catch (const mhe::Error&) {
    return 0;
  }
  return 0;
}
