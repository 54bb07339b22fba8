// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <mhe/version.h>

namespace mhe {

std::string_view version() noexcept {
  return MHE_VERSION;
}

}  // namespace mhe
