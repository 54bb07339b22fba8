// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The flag --own, shared by verbs that turn text into features.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <mhe/text.h>

#include "train/training_set.h"

namespace mhe::app {

/// Adds --own to a verb. `own` must outlive the parser.
void add_own_flag(CLI::App& command, std::vector<std::string>& own);

/// The fields of these columns with what --own says. Throws UsageError.
[[nodiscard]] std::vector<FieldOptions> make_fields(const std::vector<std::string>& columns,
                                                    const std::vector<std::string>& own);

/// The rule of training with what was given on the command line: --own, --word-ngrams,
/// --min-df, --min-token-length.
[[nodiscard]] train::TextRule make_text_rule(const CLI::App& command, std::vector<std::string> own);

}  // namespace mhe::app
