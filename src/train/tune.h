// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Settings found by trying: models are trained with some of them and judged by rows they have not
// seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <mhe/context.h>

#include "data/reader.h"
#include "train/linear_options.h"
#include "train/training_set.h"

namespace mhe::train {

/// Whether searching for a loss weight costs little beside the training, or is likely to gain much:
/// of little data, or of fewer features than rows.
[[nodiscard]] bool should_choose_loss_weight(const SparseMatrix& features) noexcept;

/// Memory of that search beside the data: the rows it samples.
[[nodiscard]] std::uint64_t loss_weight_search_bytes(const SparseMatrix& features) noexcept;

/// The loss weight that gives the best rankings, found on a sample of the rows in a second or so.
[[nodiscard]] float choose_loss_weight(const Context& context, const Examples& examples,
                                       std::size_t num_labels, const LinearOptions& options);

/// The options with all that the data decides.
[[nodiscard]] LinearOptions decided(const Context& context, const LinearOptions& given,
                                    const Examples& examples, std::size_t num_labels);

/// What a search may do.
struct TuneOptions {
  double seconds = 0;                           ///< no trial begins that would likely end later
  std::set<std::string> fixed = {};             ///< options that stay as they are, by their names
  std::optional<data::ReadOptions> valid = {};  ///< rows that judge, in place of held-out ones
  std::uint64_t ram_bytes = 0;                  ///< as of the training
};

/// One setting that was tried.
struct Trial {
  std::string setting;  ///< such as "leaf 100"
  double quality = 0;   ///< mean nDCG@5 of the rows that judge, in per cent
  double seconds = 0;
  bool kept = false;
};

struct Tuned {
  LinearOptions options;
  TextRule text_rule;
  std::vector<Trial> trials;  ///< the first is that of the options as given
};

/// Tries other settings one after the other and keeps each that ranks unseen rows better, until
/// time is over. Which ones were tried depends on the machine's speed; a training with what was
/// found does not.
[[nodiscard]] Tuned tune(const Context& context, const data::ReadOptions& input,
                         const LinearOptions& options, const TextRule& text_rule,
                         const TuneOptions& how);

}  // namespace mhe::train
