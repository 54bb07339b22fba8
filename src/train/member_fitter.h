// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What trains the members of one encoder. It knows nothing of reading, splitting, calibration or
// the model's file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <mhe/train.h>

#include "model/member.h"
#include "train/resume_file.h"
#include "train/training_set.h"
#include "train/validation.h"

namespace mhe::train {

/// What members are fitted to.
struct FitData {
  const Context& context;
  const TrainingSet& set;
  const Examples& validation;      ///< rows that are not trained on; maybe none
  std::size_t rows_with_held_out;  ///< of the set, before any were held out
};

/// Stages run in the order of the functions; each may be left out by who only plans.
class MemberFitter {
 public:
  /// Options as a user gave them, for the one encoder that they name. `first` is the
  /// number of its first member in the resume file, which counts those of all fitters.
  [[nodiscard]] static std::unique_ptr<MemberFitter> make(const TrainOptions& options,
                                                          std::size_t first = 0);

  virtual ~MemberFitter() = default;
  MemberFitter(const MemberFitter&) = delete;
  MemberFitter& operator=(const MemberFitter&) = delete;

  [[nodiscard]] const std::string& encoder() const noexcept { return encoder_; }
  /// As the stages so far resolved them.
  [[nodiscard]] const TrainOptions& options() const noexcept { return options_; }

  /// Whether rows may be dense vectors.
  [[nodiscard]] virtual bool takes_dense() const noexcept = 0;
  /// Whether "auto" chooses names of labels and feature weights by the data; else it means none.
  [[nodiscard]] virtual bool chooses_from_data() const noexcept = 0;
  /// Whether its state takes the one checkpoint that a resume file has.
  [[nodiscard]] virtual bool takes_checkpoint() const noexcept = 0;

  /// Throws kInvalidArgument for options that such labels cannot have. Before rows are split.
  virtual void check_labels(std::size_t /*num_labels*/) const {}
  /// Resolves what the options leave open. Names of labels are not among the rows yet.
  virtual void resolve(const FitData& data) = 0;
  /// What training will take. Throws kResourceLimit, saying what is needed, if a budget that is not
  /// 0 cannot hold it.
  virtual MemberPlan plan(const FitData& data, std::uint64_t ram_bytes) = 0;
  /// Trains. What is finished goes to `file`, if there is one, and comes from there.
  virtual void fit(const FitData& data, ResumeFile* file, const TrainRun& run) = 0;
  /// Writes what fit() finished to its file, if it is not there;
  /// nothing of refit().
  virtual void keep() {}
  /// Chooses on the validation rows how members are searched: parent weights, neighbours.
  virtual void choose_search(const FitData& data) = 0;
  /// Fits the calibration that members have in themselves on the validation rows, and says whether
  /// they have one: their scores are probabilities then. May be called again with other rows.
  virtual bool calibrate(const FitData& /*data*/) { return false; }
  /// Whether it trains again with the validation rows, where the options leave that open.
  [[nodiscard]] virtual bool refits_by_default(const Examples& examples) const = 0;
  /// Trains again on rows that now have the validation rows too; searches stay as chosen.
  virtual void refit(const FitData& data, ResumeFile* file, const TrainRun& run) = 0;

  /// What was fitted; valid until the next stage.
  [[nodiscard]] virtual model::MemberSpan members() const = 0;
  /// All options as they were used: resolved, chosen on validation rows, cut to a budget.
  [[nodiscard]] virtual TrainOptions used_options() const = 0;
  /// Names what a budget of memory changed, so that the same comes out without one.
  virtual void name_budgeted(TrainOptions& /*options*/) const {}
  virtual void fill(MemberReport& report) const = 0;
  /// Charts of the training and, where there are validation rows, of the heads.
  virtual void fill(const FitData& data, TrainingHistory& history) const = 0;

  /// Gains of the validation rows from one member, trained with the options as they are now.
  [[nodiscard]] virtual std::vector<double> try_out(const FitData& data) = 0;
  void set_options(const TrainOptions& options) { options_ = options; }

 protected:
  MemberFitter(const TrainOptions& options, std::size_t first)
      : encoder_(options.encoder), options_(options), first_(first) {}

  std::string encoder_;
  TrainOptions options_;
  std::size_t first_ = 0;  // number in the resume file
};

}  // namespace mhe::train
