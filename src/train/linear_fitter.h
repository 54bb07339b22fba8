// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "heads/neighbours.h"
#include "heads/train_cascade.h"
#include "model/linear_member.h"
#include "train/linear_plan.h"
#include "train/member_fitter.h"
#include "train/members.h"

namespace mhe::train {

/// Fits the cascades of a linear member, and the neighbours that may be mixed in.
class LinearFitter final : public MemberFitter {
 public:
  LinearFitter(const TrainOptions& options, std::size_t first) : MemberFitter(options, first) {}

  [[nodiscard]] bool takes_dense() const noexcept override { return false; }
  [[nodiscard]] bool chooses_from_data() const noexcept override { return true; }
  [[nodiscard]] bool takes_checkpoint() const noexcept override { return false; }
  void check_labels(std::size_t num_labels) const override;
  void resolve(const FitData& data) override;
  MemberPlan plan(const FitData& data, std::uint64_t ram_bytes) override;
  void fit(const FitData& data, ResumeFile* file, const TrainRun& run) override;
  void choose_search(const FitData& data) override;
  [[nodiscard]] bool refits_by_default(const Examples& examples) const override;
  void refit(const FitData& data, ResumeFile* file, const TrainRun& run) override;
  [[nodiscard]] model::MemberSpan members() const override { return {&member_pointer_, 1}; }
  [[nodiscard]] TrainOptions used_options() const override;
  void fill(MemberReport& report) const override;
  void fill(const FitData& data, TrainingHistory& history) const override;
  [[nodiscard]] std::vector<double> try_out(const FitData& data) override;

 private:
  void choose_parent_weights(const FitData& data);
  void weigh_neighbours(const FitData& data);
  void index_rows(const TrainingSet& set);
  void show_member();

  std::size_t solvers_ = 0;
  std::vector<std::uint32_t> lengths_;
  std::string order_;  // in words
  std::size_t resumed_blocks_ = 0;
  heads::CascadeTrace trace_;
  std::vector<TrainedCascade> cascades_;
  heads::NeighbourIndex neighbours_;
  float neighbour_weight_ = 0;
  // The fitted, as a search sees it.
  std::vector<std::vector<std::uint32_t>> label_at_;
  std::optional<model::LinearMember> member_;
  const model::Member* member_pointer_ = nullptr;
};

}  // namespace mhe::train
