// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <mhe/label_space.h>

#include "base/atomic_file.h"

namespace mhe {
namespace {

// A name may hold what separates the columns: written as \t, \n, \r and \\.
std::string escape(const std::string& name) {
  constexpr std::string_view kSpecial = "\t\n\r\\";
  constexpr std::string_view kWritten = "tnr\\";
  std::string escaped;
  for (const char c : name) {
    const std::size_t found = kSpecial.find(c);
    if (found != kSpecial.npos) escaped += '\\';
    escaped += found == kSpecial.npos ? c : kWritten[found];
  }
  return escaped;
}

}  // namespace

void write_order(const LabelOrder& order, const LabelNames& names, const std::string& path) {
  constexpr std::size_t kFlushBytes = std::size_t{1} << 20;
  AtomicFile file(path);
  std::vector<std::uint32_t> digits(order.space().num_heads());
  std::string text;
  for (const LabelId label : order.labels()) {
    order.digits(label, digits);
    text += fmt::format("{}\t{}\t{}\n", order.position(label), escape(names.name(label)),
                        fmt::join(digits, ","));
    if (text.size() < kFlushBytes) continue;
    file.write(text);
    text.clear();
  }
  file.write(text);
  file.commit();
}

}  // namespace mhe
