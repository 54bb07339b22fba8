// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <mhe/dataset.h>

namespace mhe::data {

/// The format of a file that begins with `probe`, by the rules of docs/formats.md. `has_label_file`
/// tells whether a second file was given. Throws kInvalidData, naming the file, if no rule fits.
[[nodiscard]] Format detect_format(std::string_view probe, std::string_view name,
                                   const ReadOptions& options, bool has_label_file);

}  // namespace mhe::data
