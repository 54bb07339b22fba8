// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Heads as they stand in a model card.
#pragma once

#include <nlohmann/json.hpp>

#include "heads/head_spec.h"

namespace mhe::model {

[[nodiscard]] nlohmann::ordered_json to_json(const heads::HeadSpec& spec);

/// Throw nlohmann::json::exception for what is missing or of another type, and kInvalidArgument for
/// values that no spec has.
[[nodiscard]] heads::HeadSpec head_spec_from(const nlohmann::json& json);

}  // namespace mhe::model
