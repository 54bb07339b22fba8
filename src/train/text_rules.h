// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <mhe/train.h>

#include "train/training_set.h"

namespace mhe::train {

/// Text by rule (docs/train.md has the measurements). The first of several columns is most often a
/// title: its words and pairs of words become features of their own. A single column shows its
/// subject in its first words: their character n-grams do. The n-grams of `text` are the longest
/// there may be; long texts get single words.
void choose_text_options(const TextSample& sample, TextOptions& text);

/// The same, but what a user named stays as it is.
[[nodiscard]] TextRule text_rule_of(const TrainOptions& options);

/// The option own that gives these fields; nothing if none does.
[[nodiscard]] std::vector<std::string> own_features(const TextOptions& used);

/// Names the settings of text that a search may have found, so that the same come out without one.
void name_text(const TextOptions& used, TrainOptions& options);

}  // namespace mhe::train
