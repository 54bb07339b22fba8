// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a training can tell of itself: plain numbers that any trainer fills and `mhe train --report`
// draws.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "metrics/reliability.h"
#include "metrics/report.h"

namespace mhe::train {

struct Point {
  double x = 0;
  double y = 0;
};

/// One line of a chart.
struct Curve {
  std::string name = {};
  std::vector<Point> points = {};  ///< x ascends
};

enum class Scale { kLinear, kLogarithmic };

/// Where a chart belongs in a report.
enum class Topic { kTraining, kQuality, kProbabilities };

/// Curves with common axes.
struct Chart {
  Topic topic = Topic::kTraining;
  std::string title = {};
  std::string note = {};  ///< a sentence: how to read it
  std::string x_unit = {};
  std::string y_unit = {};
  Scale x_scale = Scale::kLinear;
  Scale y_scale = Scale::kLinear;
  std::vector<Curve> curves = {};
};

/// How often a head, or a level of a cascade, decides rightly. Shares of the rows that judge.
struct HeadAccuracy {
  std::string name = {};
  std::uint64_t choices = 0;  ///< that the head has in all
  double best_right = 0;      ///< rows whose best choice leads to a true label
  double kept = 0;            ///< true labels that can still be found: their choice is in the beam;
                              ///< NaN where there is none
};

/// A choice of the first head: what stands for its labels.
struct HeadGroup {
  std::uint64_t labels = 0;
  double rows = 0;  ///< that judge and belong here; shared where several labels do
  std::vector<std::string> examples = {};  ///< names of its most frequent labels
};

/// The groups of the first head that are most often taken for each other.
struct HeadConfusion {
  std::vector<HeadGroup> groups = {};
  std::vector<double> taken = {};  ///< [true group][group ranked best]: rows
  std::uint64_t all_groups = 0;
};

/// What was learnt from.
struct DataSummary {
  std::uint64_t rows = 0;
  std::uint64_t labels = 0;
  std::uint64_t features = 0;
  double labels_per_row = 0;
  double features_per_row = 0;
  struct Bin {
    std::string name;  ///< such as "6-20" training rows
    std::uint64_t labels = 0;
  };
  std::vector<Bin> label_bins = {};  ///< labels by how often they occur
};

struct TrainingHistory {
  std::vector<Chart> charts = {};
  DataSummary data = {};
  std::string settings_json = {};  ///< an object: all options as they were used

  // On rows that were not trained on; empty or 0 where there were none.
  std::uint64_t judged_rows = 0;
  std::optional<metrics::Report> metrics = {};  ///< with bins by label frequency; cutoffs 1 to 10
  metrics::ReliabilityReport reliability = {};
  std::vector<HeadAccuracy> heads = {};
  HeadConfusion confusion = {};
};

}  // namespace mhe::train
