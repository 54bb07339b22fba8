// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/linear_fitter.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "base/memory.h"
#include "train/linear_rules.h"
#include "train/measure_history.h"
#include "train/neighbours.h"
#include "train/quick_trials.h"
#include "train/tune.h"

namespace mhe::train {
namespace {

void check_covers(const std::vector<std::uint32_t>& lengths, std::size_t num_labels) {
  double product = 1;
  for (const std::uint32_t length : lengths) product *= length;
  require(product >= static_cast<double>(num_labels),
          "lengths {} cover {:.0f} labels; the data has {}", fmt::join(lengths, ","), product,
          num_labels);
  // A tree has an entry for each of its leaves, whether a label is there or not.
  constexpr double kAnyTree = 1e6;
  constexpr double kOfEachLabel = 100;
  require(product <= std::max(kAnyTree, kOfEachLabel * static_cast<double>(num_labels)),
          "lengths {} have room for {:.0f} labels; the data has {}: shorter ones do",
          fmt::join(lengths, ","), product, num_labels);
}

// For candidates that somebody asked for; those by rule may be more than there are.
void check_candidates(const TrainOptions& options, std::span<const std::uint32_t> lengths) {
  std::uint64_t groups = 1;  // above the last head: where there are most
  for (const std::uint32_t length : lengths.first(lengths.size() - 1)) groups *= length;
  const auto candidates = static_cast<std::uint64_t>(options.candidates);
  if (candidates <= groups) return;
  if (lengths.size() == 1) return;  // one-hot has none
  fail(ErrorCode::kInvalidArgument, "{} candidates of {} groups: it must be 0 to {}", candidates,
       groups, groups);
}

}  // namespace

void LinearFitter::check_labels(std::size_t num_labels) const {
  check_covers(member_lengths(options_, num_labels, 0), num_labels);
}

void LinearFitter::resolve(const FitData& data) {
  const std::size_t num_labels = data.set.names.size();
  const bool is_asked = options_.candidates >= 0 && options_.given.contains("candidates");
  options_ =
      resolve_with_trials(data.context, options_, data.set.examples, ordered_labels(data.set));
  lengths_ = member_lengths(options_, num_labels, 0);
  if (is_asked) check_candidates(options_, lengths_);
  order_ =
      describe_order(options_.order, ordered_labels(data.set).file, lengths_, Placement::kSpread);
}

MemberPlan LinearFitter::plan(const FitData& data, std::uint64_t ram_bytes) {
  const LinearPlan plan = plan_linear(data.context, data.set, options_, ram_bytes);
  solvers_ = plan.solvers;
  MemberPlan result = {.encoder = encoder_, .head = options_.head};
  result.lengths = plan.lengths;
  result.members = plan.members;
  result.train_bytes = plan.train_bytes;
  result.model_bytes = plan.model_bytes;
  result.solvers = plan.solvers;
  result.nonzeros = plan.nonzeros;
  result.feature_bytes = plan.feature_bytes;
  result.neighbour_bytes = plan.neighbour_bytes;
  result.neighbours_are_sure = plan.neighbours_are_sure;
  for (const CascadeLevelPlan& level : plan.levels) {
    result.levels.push_back({level.nodes, level.weights, level.model_bytes});
  }
  return result;
}

void LinearFitter::fit(const FitData& data, ResumeFile* file, const TrainRun& run) {
  if (file != nullptr) resumed_blocks_ = file->num_found_blocks();
  cascades_ = train_cascades(data.context, data.set.examples, ordered_labels(data.set), options_,
                             {.solvers = solvers_,
                              .trace = run.measure ? &trace_ : nullptr,
                              .file = file,
                              .first_number = first_});
  show_member();
}

void LinearFitter::choose_search(const FitData& data) {
  if (options_.parent_weight == 0) choose_parent_weights(data);
  weigh_neighbours(data);
}

void LinearFitter::choose_parent_weights(const FitData& data) {
  for (std::size_t m = 0; m < cascades_.size(); ++m) {
    cascades_[m].search.parent_power =
        choose_parent_weight(data.context, member_->cascades()[m], data.validation);
  }
  show_member();
}

// How much neighbours count: as given, or what validation rows say.
void LinearFitter::weigh_neighbours(const FitData& data) {
  if (!should_try_neighbours(data.set, options_)) return;
  index_rows(data.set);
  if (options_.neighbours > 0) {
    neighbour_weight_ = options_.neighbours;
  } else {
    const std::span<const model::Cascade> cascades = member_->cascades();
    const model::LinearMember trial({cascades.begin(), cascades.end()}, {neighbours_.view()});
    neighbour_weight_ = choose_neighbour_weight(data.context, trial, data.validation);
  }
  if (neighbour_weight_ == 0) neighbours_ = {};
  show_member();
}

void LinearFitter::index_rows(const TrainingSet& set) {
  neighbours_ =
      heads::build_neighbours(set.examples.features, set.examples.labels, neighbour_features(set));
}

bool LinearFitter::refits_by_default(const Examples& examples) const {
  return is_little(examples.features);
}

void LinearFitter::refit(const FitData& data, ResumeFile* file, const TrainRun& /*run*/) {
  std::vector<heads::BeamOptions> searches;
  searches.reserve(cascades_.size());
  for (const TrainedCascade& cascade : cascades_) searches.push_back(cascade.search);
  member_.reset();
  cascades_.clear();
  release_free_memory();
  cascades_ = train_cascades(
      data.context, data.set.examples, ordered_labels(data.set), options_,
      {.solvers = solvers_, .file = file, .first_number = first_ + options_.ensemble});
  for (std::size_t m = 0; m < cascades_.size(); ++m) cascades_[m].search = searches[m];
  if (neighbour_weight_ > 0) index_rows(data.set);
  show_member();
}

void LinearFitter::show_member() {
  MemberViews views(cascades_);
  label_at_ = std::move(views.label_at);
  member_.emplace(std::move(views.cascades),
                  heads::NeighbourMember{neighbours_.view(), neighbour_weight_});
  member_pointer_ = &*member_;
}

TrainOptions LinearFitter::used_options() const {
  TrainOptions used = options_;
  used.lengths = lengths_;
  if (used.head == "cascade" && used.leaf == 0) used.leaf = lengths_.back();
  used.parent_weight = cascades_.front().search.parent_power;
  used.neighbours = neighbour_weight_;
  return used;
}

void LinearFitter::fill(MemberReport& report) const {
  report.encoder = encoder_;
  report.head = options_.head;
  report.lengths = lengths_;
  report.members = options_.ensemble;
  report.shape = fmt::format("heads of {}", fmt::join(lengths_, " x "));
  if (options_.ensemble > 1) {
    report.shape += fmt::format(" and {} more cascades", options_.ensemble - 1);
  }
  report.parent_weight = cascades_.front().search.parent_power;
  report.order = order_;
  report.loss_weight = options_.loss_weight;
  report.neighbours = neighbour_weight_;
  report.resumed_blocks = resumed_blocks_;
}

void LinearFitter::fill(const FitData& data, TrainingHistory& history) const {
  history.charts.push_back(solver_chart(trace_, cascades_.front().levels.size()));
  if (data.validation.rows() > 0) {
    measure_cascades(data.context, cascades_, *member_, data, history);
  }
}

std::vector<double> LinearFitter::try_out(const FitData& data) {
  return try_options(data.context, data.set.examples, data.validation, ordered_labels(data.set),
                     options_, solvers_);
}

}  // namespace mhe::train
