// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <mhe/context.h>

#include "tasks/task.h"

namespace mhe::tasks {

/// A row of a task whose input is text.
struct TextRow {
  Split split = Split::kTrain;
  std::vector<std::string> fields;
  std::vector<std::string> labels;
};

/// Replaces invalid UTF-8 by U+FFFD, so that every reader takes the text.
[[nodiscard]] std::string valid_utf8(std::string_view text);

/// Writes train.tsv, dev.tsv and test.tsv: a header line with `field_names` and "labels", labels
/// between commas. Rows come in a random order that is always the same, so that the first lines of
/// a file are a sample of it. Adds the files to `result`.
void write_text_rows(const Context& context, const OutputDirectory& directory,
                     const std::vector<std::string>& field_names, std::vector<TextRow> rows,
                     TaskResult& result);

}  // namespace mhe::tasks
