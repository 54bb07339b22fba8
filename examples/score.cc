// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// score TRAIN TEST PREDICTIONS: what anybody's predictions are worth, row by row as they come. Says
// also what of the test rows the training rows have, and how far probabilities can be relied on.
#include <algorithm>
#include <array>
#include <iostream>

#include <mhe/dataset.h>
#include <mhe/error.h>
#include <mhe/metrics.h>

int main(int argc, char** argv) try {
  if (argc != 4) {
    std::cerr << "usage: score TRAIN TEST PREDICTIONS\n";
    return 2;
  }
  const mhe::Context context;
  mhe::LabelNames names;
  const mhe::Comparison data = mhe::compare(context, mhe::ReadOptions{.path = argv[1]},
                                            mhe::ReadOptions{.path = argv[2]}, names);
  std::cout << data.duplicates.near << " of " << data.duplicates.looked_for
            << " test rows are near-duplicates of training rows\n";
  const std::uint64_t rows = data.first.report.rows;
  const mhe::PropensityCurve propensity(rows, mhe::propensity_preset("default"));
  const auto all = mhe::propensities(data.first.label_counts, rows);
  std::cout << "propensity " << propensity(0) << " to " << *std::ranges::max_element(all) << "\n";
  mhe::Evaluator evaluator({.frequency_bounds = mhe::default_frequency_bounds()},
                           mhe::training_labels(data.first.label_counts, propensity));
  mhe::Reliability reliability(5);
  mhe::SetEvaluator sets;  // of the best label of each row alone
  mhe::PredictionReader predictions(context, argv[3], names);
  const auto reader =
      mhe::open_reader(context, mhe::ReadOptions{.path = argv[2], .labels_only = true}, names);
  mhe::Ragged<mhe::ScoredLabel> ranked;
  mhe::Ragged<mhe::ScoredLabel> more;
  for (mhe::RowBatch batch; reader->next(batch);) {
    while (ranked.rows() < batch.first_row + batch.rows && predictions.next(more)) {
      ranked.append(more);
    }
    for (std::size_t row = 0; row < batch.rows; ++row) {
      const auto found = ranked[batch.first_row + row];
      evaluator.add(batch.labels[row], found);
      sets.add(batch.labels[row], std::array{found.front().label});
      for (const mhe::ScoredLabel& label : found) {
        reliability.add(label.score, std::ranges::binary_search(batch.labels[row], label.label));
      }
    }
  }
  const mhe::MetricsReport report = evaluator.report(context);
  for (const auto& bin : report.bins) std::cout << bin.name << ": " << bin.labels << " labels\n";
  std::cout << "P@1 " << 100 * report.value("P@1") << "\ncalibration error "
            << 100 * reliability.report().expected_error << "\nset accuracy "
            << 100 * sets.report().accuracy << "\n";
} catch (const mhe::Error& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
