// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/quick_trials.h"

#include <algorithm>
#include <utility>

#include "train/members.h"
#include "train/validation.h"

namespace mhe::train {

Gains try_options(const Context& context, const Examples& training, const Examples& validation,
                  const OrderedLabels& labels, TrainOptions options, std::size_t solvers) {
  options.ensemble = 1;
  const std::vector<TrainedCascade> trained =
      train_cascades(context, training, labels, options, {.solvers = solvers});
  MemberViews views(trained);
  if (options.parent_weight == 0) {
    views.cascades[0].search.parent_power =
        choose_parent_weight(context, views.cascades[0], validation);
  }
  return discounted_gains(context, ranking_of(model::LinearMember(views.cascades), validation));
}

std::size_t count_trial_validation(std::size_t rows) noexcept {
  return std::min(kMostValidationRows,
                  static_cast<std::size_t>(kValidationShare * static_cast<double>(rows)));
}

std::size_t QuickTrials::sample_rows(const Examples& examples) {
  const std::size_t nonzeros = examples.features.nonzeros();
  return nonzeros <= kSample ? examples.rows() : examples.rows() * kSample / nonzeros;
}

QuickTrials::QuickTrials(const Context& context, const Examples& examples,
                         const OrderedLabels& labels, std::string what,
                         std::size_t enough_validation)
    : context_(context),
      examples_(examples),
      labels_(labels),
      what_(std::move(what)),
      rows_(sample_rows(examples)) {
  constexpr std::size_t kFewestRounds = 2;
  constexpr std::size_t kMostRounds = 5;
  const auto share = static_cast<std::size_t>(kValidationShare * static_cast<double>(rows_));
  num_validation_ = std::clamp<std::size_t>(share, 1, kMostValidationRows);
  // Where there are few rows, others take turns in further rounds: those of one would decide by
  // chance.
  rounds_ = rows_ < examples.rows()
                ? 1
                : std::clamp(enough_validation / num_validation_, kFewestRounds, kMostRounds);
}

Gains QuickTrials::gains_with(const TrainOptions& options) {
  // Its trainings say nothing: they are not the one that progress is about.
  const Context quiet({.threads = context_.threads(), .seed = context_.seed()});
  Gains all;
  for (std::size_t round = 0; round < rounds_; ++round) {
    context_.report({what_, trials_++, 0, "trials"});
    Examples training =
        copy_rows(examples_, choose_rows(examples_.rows(), rows_, context_.seed() + 1));
    const Examples validation = hold_out(training, num_validation_, context_.seed() + 2 + round);
    const Gains gains = try_options(quiet, training, validation, labels_, options);
    all.insert(all.end(), gains.begin(), gains.end());
  }
  return all;
}

}  // namespace mhe::train
