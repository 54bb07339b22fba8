// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// From data to a model file: read, trim, split, resolve options, plan, fit members, calibrate,
// measure, refit, write.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <mhe/train.h>

#include "metrics/row_calibration.h"
#include "train/member_fitter.h"
#include "train/resume_file.h"
#include "train/training_set.h"
#include "train/tune.h"

namespace mhe::train {

/// One training. The stages are called in their order.
class Learner {
 public:
  /// Checks the options and that a model can be written; all arguments must live as long.
  Learner(const Context& context, const Dataset& data, const TrainOptions& options,
          const TrainRun& run);

  TrainReport run();
  /// The stages up to the plan; trains and writes nothing.
  TrainingPlan plan();

 private:
  void check_output() const;
  [[nodiscard]] TrialRows read_trial_rows(const TextRule& rule) const;

  void read(const TextRule& rule);
  void trim();
  void split();
  void resolve();
  void warn_of_unused(const TrainOptions& given, const MemberFitter& fitter) const;
  void fit();
  void calibrate();
  bool calibrate_members(const Examples& rows);
  void rank_across_folds();
  void measure();
  void refit();
  void keep();
  void write();

  [[nodiscard]] FitData fit_data() const {
    return {context_, set_, validation_, rows_with_held_out_};
  }
  void warn_of_unsplit_labels() const;
  [[nodiscard]] TrainOptions used_options(const MemberFitter& fitter) const;
  [[nodiscard]] std::string options_json() const;
  [[nodiscard]] std::string command_json() const;
  [[nodiscard]] std::uint64_t fingerprint() const;
  [[nodiscard]] bool will_refit() const;
  [[nodiscard]] std::vector<const model::Member*> members() const;

  const Context& context_;
  const Dataset& data_;
  TrainOptions options_;
  TrainOptions spoken_;  // as a user named them or a search found them, before data resolve others
  const TrainRun& run_;
  TrainReport report_;

  TrainingSet set_;
  Examples validation_;
  std::size_t rows_with_held_out_ = 0;
  bool refits_ = false;
  // Rows of the data that the model is trained on: what label frequencies are about.
  std::vector<std::uint32_t> label_counts_;
  std::size_t training_rows_ = 0;
  std::vector<std::unique_ptr<MemberFitter>> fitters_;
  std::unique_ptr<ResumeFile> resume_file_;
  metrics::RowCalibration calibration_;
  bool members_are_calibrated_ = false;
  Ragged<ScoredLabel> ranked_;  // the best labels of the validation rows
};

}  // namespace mhe::train
