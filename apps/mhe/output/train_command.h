// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <mhe/model.h>

namespace mhe::app {

/// The command that trains a model again, byte for byte, from the same data. Files stand in it as
/// shell variables: $DATA, $MODEL, and $LABEL_FILE, $VALID, $VALID_LABELS where there were such.
/// Throws kInvalidData, naming `path`, if the model does not say how it was trained.
[[nodiscard]] std::string train_command(const std::string& path, const FileCard& card);

}  // namespace mhe::app
