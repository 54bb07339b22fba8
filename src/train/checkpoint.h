// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// A training at one moment, in a file, so that it can go on from there to the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "train/member_trainer.h"

namespace mhe::train {

/// What an epoch gave.
struct EpochReport {
  double loss = 0;                ///< mean over its rows
  std::optional<double> quality;  ///< nDCG@5 of the rows that are judged by, where it was measured
};

/// Where a training stands, beside its arrays.
struct TrainingState {
  std::size_t member = 0;    ///< the one at work; those before it are finished
  std::uint64_t step = 0;    ///< of this member, the next to be made; 0: it has no arrays yet
  double loss_sum = 0;       ///< of this epoch, over rows
  double first_loss = 0;     ///< of the member's first step
  double best_quality = -1;  ///< of the epochs so far
  std::size_t epochs_since_best = 0;
  std::uint64_t copy_count = 0;                       ///< WeightCopy::count() of this member
  std::vector<std::vector<EpochReport>> epochs = {};  ///< [member]
  // Of the head, which a budget of memory may have chosen: another budget would choose another.
  std::vector<std::uint32_t> lengths = {};
  std::size_t inner_dim = 0;
};

/// Digits of labels, which training does not change, but does not find again either once rates have
/// changed.
struct NamedCodes {
  std::string name;
  std::span<const std::uint32_t> values;
};

/// What is in a checkpoint beside the state. All names must differ.
struct CheckpointArrays {
  std::vector<NamedArray> numbers;
  std::vector<NamedCodes> codes;
};

/// Writes a checkpoint in place of the one before; atomic. `fingerprint` tells what training it is
/// of.
void write_checkpoint(const std::string& path, std::uint64_t fingerprint,
                      const TrainingState& state, const CheckpointArrays& arrays);

/// A checkpoint that is there to be taken over.
class Checkpoint {
 public:
  /// None if there is no such file. Throws kInvalidData if it is damaged or of another training.
  [[nodiscard]] static std::optional<Checkpoint> open(const std::string& path,
                                                      std::uint64_t fingerprint);

  [[nodiscard]] const TrainingState& state() const noexcept { return state_; }
  /// Fills the arrays from those of the same names; nothing of the file stays in memory. Throws
  /// kInvalidData if one is missing or of another size.
  void load(std::span<const NamedArray> arrays) const;
  /// So many digits of this name, valid as long as the checkpoint. Throws as load() does.
  [[nodiscard]] std::span<const std::uint32_t> codes(const std::string& name,
                                                     std::size_t size) const;

 private:
  Checkpoint(model::ModelFile file, TrainingState state)
      : file_(std::move(file)), state_(std::move(state)) {}

  model::ModelFile file_;
  TrainingState state_;
};

}  // namespace mhe::train
