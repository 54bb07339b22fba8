// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mhe/context.h>
#include <mhe/label_space.h>
#include <mhe/train.h>

#include "model/dense_member.h"
#include "train/members.h"
#include "train/training_set.h"

namespace mhe::train {

/// How often each level of a cascade decides rightly on rows it was not trained on
/// (predict::HeadAccuracy), and how many true labels its beam keeps. Labels beyond those of the
/// cascade, never seen in training, count as lost at every level.
[[nodiscard]] std::vector<HeadQuality> measure_heads(const Context& context,
                                                     const TrainedCascade& member,
                                                     const Examples& validation);

/// The same of a learned member, but for what is kept. Nothing for heads that choose nothing on the
/// way to a label: one-hot, sampling.
[[nodiscard]] std::vector<HeadQuality> measure_heads(const Context& context,
                                                     const model::DenseMember& member,
                                                     const Examples& validation);

/// How often the member and its heads decide rightly on these rows. Rows without labels count for
/// sets only, where they are right if no label is found.
[[nodiscard]] Accuracy measure_accuracy(const Context& context, const model::DenseMember& member,
                                        const Examples& rows);

/// Which groups of the first level are taken for which: at most `max_groups` that are mistaken most
/// often, in the order of the tree. `counts` are the training rows of each label.
[[nodiscard]] HeadConfusion confuse_heads(const Context& context, const TrainedCascade& member,
                                          const Examples& validation, const LabelNames& names,
                                          std::span<const std::uint32_t> counts,
                                          std::size_t max_groups = 12);

}  // namespace mhe::train
