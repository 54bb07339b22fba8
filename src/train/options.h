// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include <mhe/train.h>

namespace mhe::train {

/// The options that a user named or changed: what a preset changed is not among them.
[[nodiscard]] std::set<std::string, std::less<>> asked_for(const TrainOptions& options);

/// Those of them that belong to other heads than this one.
[[nodiscard]] std::vector<std::string> asked_beyond(const TrainOptions& options, HeadKind head);

/// Throws kInvalidArgument, saying which option is wrong, or which one was named that the encoders
/// or the head do not have.
void validate(const TrainOptions& options);

/// The preset that leaves least to say about these options.
[[nodiscard]] std::string preset_of(const TrainOptions& options);

/// What has to be said to get these options from a preset. A JSON object of texts that
/// TrainOptions::set() takes; of `own` a list.
[[nodiscard]] std::string spoken_options_json(const TrainOptions& options,
                                              const std::string& preset);

/// The options that an encoder has, as a JSON object: what a model card keeps.
[[nodiscard]] std::string used_options_json(const TrainOptions& options,
                                            const std::string& encoder);

}  // namespace mhe::train
