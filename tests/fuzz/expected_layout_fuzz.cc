// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Data for a model that remembers its columns: tables with and without a header, JSON.
#include "read_fuzzed.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mhe::ReadOptions options;
  options.expected_text = {"title"};
  options.expected = {.format = mhe::Format::kCsv,
                      .columns = {"title", "tags"},
                      .text_columns = {"title"},
                      .label_column = "tags",
                      .label_prefix = "#",
                      .index_base = 1};
  mhe::fuzz::read_fuzzed(options, mhe::fuzz::as_text(data, size));
  return 0;
}
