// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Any text as an order of three labels: what is taken has each of them once, and a place for it.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <mhe/error.h>

#include "labels/order_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mhe;  // NOLINT(google-build-using-namespace): one function
  static const LabelNames names = [] {
    LabelNames three;
    for (const char* name : {"a", "b\tc", "d"}) (void)three.intern(name);
    return three;
  }();
  std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
  try {
    const labels::OrderFile file = labels::parse_order(lines, "order", names);
    if (file.labels.size() != names.size()) __builtin_trap();
    for (const Placement placement : {Placement::kSpread, Placement::kCompact}) {
      for (const std::vector<std::uint32_t>& lengths :
           std::vector<std::vector<std::uint32_t>>{{3}, {2, 2}, {4, 100'000'000}, {2, 3, 4}}) {
        const LabelOrder order = file.place(lengths, placement);
        for (std::size_t i = 0; i < names.size(); ++i) {
          if (order.labels()[i] != file.labels[i]) __builtin_trap();
        }
      }
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInvalidData) throw;
  }
  return 0;
}
