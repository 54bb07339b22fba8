// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Calibration inside a head with the softmax loss: its probabilities stay a distribution, which a
// curve over single labels would not leave them.
#pragma once

#include <mhe/context.h>

#include "heads/digit_maps.h"
#include "heads/head_spec.h"
#include "model/dense_member.h"
#include "train/examples.h"

namespace mhe::train {

/// Whether the head is calibrated by itself on such rows: a softmax where every row has one label,
/// and sets of labels.
[[nodiscard]] bool has_own_calibration(const heads::HeadSpec& head, const Examples& validation);

/// Fits it on validation rows: maps of digits for product heads, whose arrays then show `maps`; a
/// temperature for the others.
void calibrate_head(const Context& context, const Examples& validation, model::DenseParts& parts,
                    heads::DigitMaps& maps);

}  // namespace mhe::train
