// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the tasks have in common: three parts, and what is told of a build.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/context.h>

#include "tasks/output_directory.h"

namespace mhe::tasks {

enum class Split { kTrain, kDev, kTest };
inline constexpr std::array kSplits = {Split::kTrain, Split::kDev, Split::kTest};

[[nodiscard]] std::string_view name_of(Split split);

/// The part that a key belongs to, by its hash: test and dev get their shares, in thousandths, and
/// train the rest. The same on every machine and for ever.
[[nodiscard]] Split split_of(std::string_view key, std::uint32_t dev_permille,
                             std::uint32_t test_permille);

/// One part as it was written.
struct SplitFile {
  Split split = Split::kTrain;
  std::string name;         ///< within the directory
  std::string labels_name;  ///< of a second file with the labels; empty: none
};

/// Where to build.
struct TaskOutput {
  std::string directory;
  Existing existing = Existing::kRefuse;
};

/// What was built.
struct TaskResult {
  std::vector<SplitFile> files;
  std::vector<std::string> notes;  ///< lines a person may want to read: what was left out, and why
};

/// Writes task.json: the task, its options and sources as (key, JSON value) lines, and the notes.
/// No times and no paths are in it, so that equal builds are equal bytes.
void write_marker(const OutputDirectory& directory, std::string_view task,
                  const std::vector<std::pair<std::string, std::string>>& settings,
                  const TaskResult& result);

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
