// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mhe::metrics {

/// A 95 % confidence interval.
struct Interval {
  double low = 0;
  double high = 0;
};

/// The metrics of all labels, or of those of one frequency bin.
struct GroupReport {
  std::string name;            ///< "all" or the bin's, such as "1-5"
  std::uint64_t rows = 0;      ///< that the means run over
  std::uint64_t labels = 0;    ///< distinct true labels
  std::vector<double> values;  ///< shares in [0, 1], in the order of Report::names; NaN: undefined
  std::vector<Interval> intervals;  ///< one for each value, or none at all
};

/// What an Evaluator found.
struct Report {
  std::vector<std::string> names;  ///< "P@1", ..., "accuracy": what the values of a group are
  GroupReport overall;
  std::vector<GroupReport> bins;  ///< those that hold a true label, rarest first

  std::uint64_t rows = 0;              ///< all that were added
  std::uint64_t unlabeled_rows = 0;    ///< without true labels
  std::uint64_t unpredicted_rows = 0;  ///< without predictions
  std::uint64_t short_rows = 0;        ///< with fewer predictions than the largest cutoff, or none
  std::uint64_t true_labels = 0;       ///< (row, label) pairs
  std::uint64_t unseen_true_labels = 0;  ///< those of them whose label does not occur in training

  /// The value called `name` of the group over all labels. Throws kInvalidArgument.
  [[nodiscard]] double value(std::string_view name) const;
};

}  // namespace mhe::metrics
