// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <mhe/error.h>

#include "data/byte_source.h"
#include "memory_source.h"

// Two threads, so that the threaded decoder of xz is met as well.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMaxOutput = std::size_t{1} << 24;  // a bomb is not worth the time
  std::vector<char> piece(1 << 16);
  try {
    const auto source = mhe::data::decompress_if_needed(
        mhe::data::make_memory_source("x", {reinterpret_cast<const char*>(data), size}), 2);
    std::size_t total = 0;
    while (total < kMaxOutput) {
      const std::size_t got = source->read(piece);
      if (got == 0) break;
      total += got;
    }
  } catch (const mhe::Error&) {
  }
  return 0;
}
