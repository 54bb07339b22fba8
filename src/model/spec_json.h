// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Encoders as they stand in a model card.
#pragma once

#include <nlohmann/json.hpp>

#include "encoders/encoder_spec.h"

namespace mhe::model {

[[nodiscard]] nlohmann::ordered_json to_json(const encoders::EncoderSpec& spec);

/// Throws nlohmann::json::exception for what is missing or of another type, and kInvalidArgument
/// for values that no spec has.
[[nodiscard]] encoders::EncoderSpec encoder_spec_from(const nlohmann::json& json);

}  // namespace mhe::model
