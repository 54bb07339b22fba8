// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace mhe::app {

/// The command line asks for something that cannot be; exit 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace mhe::app
