// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "read_fuzzed.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mhe::ReadOptions options;
  options.format = mhe::Format::kFastText;
  mhe::fuzz::read_fuzzed(options, mhe::fuzz::as_text(data, size));
  return 0;
}
