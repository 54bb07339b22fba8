// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The option `encoder` names the members of a model: "linear,bag", or with options of their own
// "linear,linear:head=onehot,bag:head=cascade:lengths=60x72".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <mhe/train.h>

namespace mhe::train {

/// The encoders alone: "linear", "linear", "bag".
[[nodiscard]] std::vector<std::string> encoders_of(std::string_view encoder);

/// The options of each of them: those of all, but only what its encoder and head have, and its own,
/// which go first. Throws kInvalidArgument for an unknown encoder, for own options that cannot be,
/// and for members that do not differ.
[[nodiscard]] std::vector<TrainOptions> member_options(const TrainOptions& options);

}  // namespace mhe::train
