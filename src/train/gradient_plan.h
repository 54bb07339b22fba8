// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a learned model will be and take, known before it is spent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "encoders/encoder_spec.h"
#include "heads/head_spec.h"
#include "train/gradient_rules.h"
#include "train/training_set.h"

namespace mhe::train {

struct GradientPlan {
  encoders::EncoderSpec encoder;
  heads::HeadSpec head;
  const labels::OrderFile* order_file = nullptr;  ///< of the set, which must outlive the plan
  std::uint64_t data_bytes = 0;                   ///< what the process holds with the data read
  std::uint64_t encoder_bytes = 0;                ///< to train one member, batches included
  std::uint64_t head_bytes = 0;                   ///< the same
  std::uint64_t copy_bytes = 0;                   ///< averages, or the best weights so far
  std::uint64_t member_bytes = 0;                 ///< of a member once it is trained
  std::uint64_t train_bytes = 0;                  ///< peak of the process
  std::uint64_t model_bytes = 0;                  ///< of the file
  std::vector<std::string> notes;                 ///< what a budget changed, a sentence each
};

/// Chooses what the options leave open: layers, loss, lengths. `ram_bytes` bounds the peak of the
/// process, 0: nothing does; within it cascades get more heads or narrower ones. Throws
/// kInvalidArgument for options that do not fit the data or each other, and kResourceLimit, saying
/// what is needed, if nothing fits. What is chosen follows from the arguments; whether it fits, and
/// the bytes, also from what the process holds. `validation`: rows beside those of the set, if any.
[[nodiscard]] GradientPlan plan_gradient(const TrainingSet& set, const TrainOptions& options,
                                         std::uint64_t ram_bytes,
                                         const Examples* validation = nullptr);

/// Encoder and heads in words, such as "101,241 inputs to 512 features, cascade head of 64 x 65".
[[nodiscard]] std::string describe_shape(const GradientPlan& plan);

}  // namespace mhe::train
