// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <mhe/context.h>

#include "model/model.h"

namespace mhe::app {

/// Opens a model to be used. One of up to 256 MB is checked for damage throughout, in some
/// hundredths of a second; of larger ones only what is needed is ever read.
[[nodiscard]] std::unique_ptr<const model::Model> open_sound_model(const Context& context,
                                                                   const std::string& path);

}  // namespace mhe::app
