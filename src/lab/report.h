// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What an experiment of the lab found, as values: the program prints them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <mhe/train.h>

namespace mhe::lab {

/// Which seeds an experiment runs with: count of them, from first on.
struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t count = 5;  ///< at least 1
};

/// A number that was measured once with every seed, in their order.
struct Measured {
  std::vector<double> values;

  [[nodiscard]] double mean() const noexcept;
  [[nodiscard]] double least() const noexcept;
  [[nodiscard]] double most() const noexcept;
};

/// How the numbers of a column are printed.
enum class Style : std::uint8_t {
  kFixed,        ///< with this many digits behind the point
  kSignificant,  ///< this many digits in all, and an exponent where they need one
};

struct Column {
  std::string key;    ///< in JSON
  std::string title;  ///< above the table's column
  int digits = 0;
  Style style = Style::kFixed;
};

using Cell = std::variant<std::string, Measured>;

struct Report {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  ///< a cell for each column
  std::vector<std::string> findings;    ///< what follows from the numbers, a sentence each
  std::vector<Chart> charts;            ///< drawn side by side

  /// The cell's measured values. Throws kInvalidArgument for a row or a key that is not there.
  [[nodiscard]] const Measured& at(std::size_t row, std::string_view key) const;
};

}  // namespace mhe::lab
