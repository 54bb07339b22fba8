// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// How often heads were right, epoch by epoch: drawn, and kept in checkpoints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mhe/train.h>

namespace mhe::train {

/// Curves of the whole and of each head, where they were measured: on training rows, and on
/// validation rows if there were any.
[[nodiscard]] std::vector<Chart> accuracy_charts(std::span<const EpochReport> epochs);

/// The accuracies of the epochs, in words for a checkpoint; none if nothing was measured.
[[nodiscard]] std::vector<std::uint32_t> pack_accuracies(std::span<const EpochReport> epochs,
                                                         std::size_t num_heads);
/// How many words these are.
[[nodiscard]] std::size_t packed_size(std::size_t num_epochs, std::size_t num_heads) noexcept;
/// Puts them back.
void unpack_accuracies(std::span<const std::uint32_t> words, std::size_t num_heads,
                       std::span<EpochReport> epochs);

}  // namespace mhe::train
