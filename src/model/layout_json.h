// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// How training data was laid out, as a model file records it.
#pragma once

#include <string>
#include <string_view>

#include <mhe/dataset.h>

namespace mhe::model {

/// A JSON object of what is known; keys of docs/model-file.md.
[[nodiscard]] std::string layout_to_json(const DataLayout& layout);

/// Reads it back; keys that it does not know are left out. Throws kInvalidData, naming `where`, if
/// it is damaged.
[[nodiscard]] DataLayout layout_from_json(std::string_view json, const std::string& where);

}  // namespace mhe::model
