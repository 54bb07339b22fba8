// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// How the description of a data set looks: text with bars for people, an object for machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <mhe/dataset.h>

#include "output/table.h"

namespace mhe::app {

struct NamedCount {
  std::string name;
  std::uint64_t count = 0;
};

/// One data set.
struct FileStats {
  std::string path;
  Description description = {};
  std::vector<NamedCount> top_labels = {};  ///< the most frequent ones, equal ones by name
};

/// A range of label frequencies and the labels in it.
struct FrequencyBar {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t labels = 0;
  std::uint64_t occurrences = 0;
};

/// Labels by frequency in the ranges 1, 2, 3-5, 6-10, 11-20, 21-50 and so on.
[[nodiscard]] std::vector<FrequencyBar> frequency_bars(const std::vector<std::uint64_t>& counts);

[[nodiscard]] std::string stats_text(const FileStats& stats, BarStyle style, std::size_t width);
[[nodiscard]] std::string comparison_text(const FileStats& first, const FileStats& second,
                                          const Comparison& comparison);
[[nodiscard]] nlohmann::ordered_json stats_json(const FileStats& stats);
[[nodiscard]] nlohmann::ordered_json comparison_json(const FileStats& second,
                                                     const Comparison& comparison);

}  // namespace mhe::app
