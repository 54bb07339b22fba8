// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The cascades of a linear model while it is trained.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mhe/context.h>
#include <mhe/label_space.h>

#include "heads/sparse_cascade.h"
#include "heads/train_cascade.h"
#include "model/linear_member.h"
#include "train/label_order.h"
#include "train/resume_file.h"
#include "train/training_set.h"

namespace mhe::train {

/// One cascade in training. Of a single level, it is the one-hot classifier.
struct TrainedCascade {
  LabelOrder order;
  std::vector<heads::SparseLevel> levels;
  heads::BeamOptions search;
};

/// How cascades are trained; none of it changes them.
struct CascadeWork {
  std::size_t solvers = 0;  ///< nodes solved at once; 0: one per thread
  heads::CascadeTrace* trace = nullptr;
  ResumeFile* file = nullptr;    ///< finished blocks go there and come from there
  std::size_t first_number = 0;  ///< of the cascades in the file
};

/// Trains the cascades that `options`, which are resolved, ask for.
[[nodiscard]] std::vector<TrainedCascade> train_cascades(const Context& context,
                                                         const Examples& examples,
                                                         const OrderedLabels& labels,
                                                         const TrainOptions& options,
                                                         const CascadeWork& work = {});

/// Trained cascades as a search sees them; `trained` must live as long.
struct MemberViews {
  std::vector<std::vector<std::uint32_t>> label_at;
  std::vector<model::Cascade> cascades;

  explicit MemberViews(std::span<const TrainedCascade> trained);
};

}  // namespace mhe::train
