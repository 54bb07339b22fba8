// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What labels are called, as texts to learn from: a label that few rows carry is known by its name
// too.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <mhe/context.h>
#include <mhe/ids.h>
#include <mhe/input.h>
#include <mhe/label_space.h>

#include "text/options.h"

namespace mhe::train {

/// Throws kInvalidArgument unless `choice` is yes, no or auto.
void check_label_text(std::string_view choice);

/// How many of the first rows are looked at: 2,000, or those of the first MiB of text if they are
/// fewer, though not below 256.
[[nodiscard]] std::size_t count_sample_rows(std::span<const Strings> texts);

/// Whether rows that follow would change that number.
[[nodiscard]] bool is_sample_whole(std::span<const Strings> texts);

/// The first rows of some data, as many as are looked at or more: their texts by field, and their
/// labels.
struct LabelledTexts {
  std::span<const Strings> texts;
  const Ragged<LabelId>& labels;
};

/// Whether names tell what rows are about: whether rows resemble the names of their labels far more
/// often than those of other rows' labels. `options` say what texts have in common.
[[nodiscard]] bool do_names_tell(const Context& context, const LabelledTexts& first_rows,
                                 const LabelNames& names, TextOptions options);

/// What `choice` comes to: yes, no, or auto: where names tell.
[[nodiscard]] bool should_learn_names(const Context& context, std::string_view choice,
                                      const LabelledTexts& first_rows, const LabelNames& names,
                                      const TextOptions& options);

/// The name of every label as a document: in the first field, which is the title where there are
/// several.
[[nodiscard]] std::vector<Strings> name_documents(const LabelNames& names, std::size_t num_fields);

}  // namespace mhe::train
