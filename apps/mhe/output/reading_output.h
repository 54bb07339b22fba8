// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// How data was read, in words.
#pragma once

#include <string>

#include <mhe/dataset.h>
#include <mhe/train.h>

namespace mhe::app {

/// Such as: separated by ";".
[[nodiscard]] std::string separator_words(const std::string& separator);

/// Format, columns, and what separates labels: one line.
[[nodiscard]] std::string layout_words(const std::string& path, const Schema& schema);

/// Rows that lack something, and how rows were divided: one line. `valid` is the file of validation
/// rows, if there is one.
[[nodiscard]] std::string rows_words(const TrainReport& report, const std::string& valid);

}  // namespace mhe::app
