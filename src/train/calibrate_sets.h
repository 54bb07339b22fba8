// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mhe/context.h>

#include "heads/set_calibration.h"
#include "model/dense_member.h"
#include "train/examples.h"

namespace mhe::train {

/// The calibration of a member that predicts sets of labels, fitted to rows that it was not trained
/// on, at least one. A calibration that it has already changes nothing.
[[nodiscard]] heads::SetCalibration calibrate_sets(const Context& context,
                                                   const model::DenseParts& parts,
                                                   const Examples& validation);

}  // namespace mhe::train
