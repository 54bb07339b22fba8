// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mhe/label_space.h>

namespace mhe::labels {
using mhe::LabelNames;
}  // namespace mhe::labels
