// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a Debian control file, and its fields as relations and versions.
#include <cstdlib>
#include <string>

#include "memory_source.h"
#include "read_fuzzed.h"
#include "tasks/deb822.h"
#include "tasks/debian_deps.h"
#include "tasks/debian_version.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mhe::tasks;  // NOLINT(google-build-using-namespace): a program of one function
  try {
    Deb822Reader reader(mhe::data::make_memory_source("fuzzed", mhe::fuzz::as_text(data, size)));
    Stanza stanza;
    std::string version;
    while (reader.next(stanza)) {
      for (const auto& [name, value] : stanza.fields()) {
        if (stanza[name] != value) std::abort();
        static_cast<void>(parse_relations(value));
        const auto order = compare_versions(version, value);
        if ((compare_versions(value, version) < 0) != (order > 0)) std::abort();
        version = value;
      }
    }
  } catch (const mhe::Error&) {
    return 0;
  }
  return 0;
}
