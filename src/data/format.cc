// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <utility>

#include <mhe/dataset.h>

#include "base/check.h"

namespace mhe {
namespace {

constexpr std::array<std::pair<Format, std::string_view>, 11> kNames = {{
    {Format::kAuto, "auto"},
    {Format::kXmc, "xmc"},
    {Format::kXmcPair, "xmc-pair"},
    {Format::kSvmlight, "svmlight"},
    {Format::kFastText, "fasttext"},
    {Format::kCsv, "csv"},
    {Format::kTsv, "tsv"},
    {Format::kJsonl, "jsonl"},
    {Format::kTextLines, "text"},
    {Format::kNpy, "npy"},
    {Format::kNpz, "npz"},
}};

}  // namespace

std::string_view format_name(Format format) noexcept {
  for (const auto& [candidate, name] : kNames) {
    if (candidate == format) return name;
  }
  return "unknown";
}

Format parse_format(std::string_view name) {
  std::string known;
  for (const auto& [format, candidate] : kNames) {
    if (candidate == name) return format;
    known += (known.empty() ? "" : ", ");
    known += candidate;
  }
  fail(ErrorCode::kInvalidArgument, "unknown format \"{}\"; expected one of {}", name, known);
}

}  // namespace mhe
