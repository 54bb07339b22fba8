// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Trainings before the training: what they find out about labels decides where these stand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <mhe/context.h>
#include <mhe/label_space.h>

#include "train/gradient_plan.h"
#include "train/member_trainer.h"

namespace mhe::train {

/// Trains all steps of a member that another one builds on. `name` stands for its epochs in errors,
/// `progress` in reports. Throws kDiverged, and kInterrupted once the caller wants to stop.
void train_beforehand(const Context& context, MemberTrainer& trainer, const TrainOptions& options,
                      const std::string& name, const std::string& progress);

/// The encoder's parameters, array by array.
[[nodiscard]] std::vector<std::vector<float>> encoder_parameters_of(MemberTrainer& trainer);

/// An order of labels, and the encoder that it was made with.
struct TrainedOrder {
  LabelOrder order;
  std::vector<std::vector<float>> encoder;
};

/// Clusters labels by the features that the encoder gives their examples once it was trained, with
/// this head and a random order, for options.order_epochs.
[[nodiscard]] TrainedOrder train_order(const Context& context, const Examples& examples,
                                       const GradientPlan& plan, const TrainOptions& options);

/// The most memory that train_order() takes, where its head takes `head_bytes` to train.
[[nodiscard]] std::uint64_t trained_order_bytes(const GradientPlan& plan, std::uint64_t head_bytes,
                                                std::uint64_t encoder_parameters);

}  // namespace mhe::train
