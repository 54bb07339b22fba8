// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "heads/set_calibration.h"
#include "model/dense_member.h"
#include "train/gradient_plan.h"
#include "train/member_fitter.h"

namespace mhe::train {

/// Fits members of an encoder and a head that are trained by gradients, one after the other.
class GradientFitter final : public MemberFitter {
 public:
  GradientFitter(const TrainOptions& options, std::size_t first);
  ~GradientFitter() override;

  [[nodiscard]] bool takes_dense() const noexcept override { return true; }
  // Names and weights by rule were measured for linear members only.
  [[nodiscard]] bool chooses_from_data() const noexcept override { return false; }
  [[nodiscard]] bool takes_checkpoint() const noexcept override { return true; }
  void resolve(const FitData& data) override;
  MemberPlan plan(const FitData& data, std::uint64_t ram_bytes) override;
  void fit(const FitData& data, ResumeFile* file, const TrainRun& run) override;
  void keep() override;
  void choose_search(const FitData& data) override;
  bool calibrate(const FitData& data) override;
  [[nodiscard]] bool refits_by_default(const Examples& /*examples*/) const override {
    return false;
  }
  void refit(const FitData& data, ResumeFile* file, const TrainRun& run) override;
  [[nodiscard]] model::MemberSpan members() const override { return pointers_; }
  [[nodiscard]] TrainOptions used_options() const override;
  void name_budgeted(TrainOptions& options) const override;
  void fill(MemberReport& report) const override;
  void fill(const FitData& data, TrainingHistory& history) const override;
  [[nodiscard]] std::vector<double> try_out(const FitData& data) override;

 private:
  class Training;

  void warn_of_product(const FitData& data) const;
  void show_members();
  void show_calibrations();

  std::unique_ptr<Training> training_;
  std::vector<model::DenseParts> parts_;
  std::deque<heads::SetCalibration> set_calibrations_;  // parts point into them: they do not move
  std::vector<std::unique_ptr<model::DenseMember>> members_;
  std::vector<const model::Member*> pointers_;
  // Of the training that validation rows took part in.
  GradientPlan plan_;
  bool has_open_shape_ = true;  // that of a training without a budget
  std::vector<std::vector<EpochReport>> epochs_;
  std::size_t resumed_epochs_ = 0;
};

}  // namespace mhe::train
