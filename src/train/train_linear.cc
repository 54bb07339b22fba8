// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/train_linear.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/ranges.h>
#include <unistd.h>

#include "base/check.h"
#include "base/checksum.h"
#include "base/memory.h"
#include "model/model.h"
#include "train/measure_history.h"
#include "train/members.h"
#include "train/memory_plan.h"
#include "train/neighbours.h"
#include "train/partial_file.h"
#include "train/weigh_features.h"

namespace mhe::train {
namespace {

// Everything that decides what the blocks of a training are.
std::uint64_t fingerprint(const Context& context, const TrainingSet& set,
                          const LinearOptions& options) {
  const SparseMatrix& features = set.examples.features;
  const std::string description = to_json(options);
  const std::uint64_t sums[] = {
      context.seed(),
      checksum64(std::as_bytes(std::span(description))),
      checksum64(std::as_bytes(std::span(features.offsets))),
      checksum64(std::as_bytes(std::span(features.columns))),
      checksum64(std::as_bytes(std::span(features.values))),
      checksum64(std::as_bytes(std::span(set.examples.labels.offsets))),
      checksum64(std::as_bytes(std::span(set.examples.labels.items))),
  };
  return checksum64(std::as_bytes(std::span(sums)));
}

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

// How many rows to hold out. Of little data many: the model is trained again with them.
std::size_t held_out_rows(const LinearOptions& options, const Examples& examples) {
  constexpr std::size_t kMost = 1000;  // ten labels of each make a smooth curve
  if (options.held_out == 0) return 0;
  const std::size_t rows = examples.rows();
  const auto share = static_cast<std::size_t>(options.held_out * static_cast<double>(rows));
  const std::size_t least =
      is_little(examples.features) ? std::min(kMost, rows / 10) : std::min(kMost / 5, rows / 20);
  return std::clamp(share, least, std::max(least, kMost));
}

// What is learnt.
struct Learnt {
  std::vector<TrainedCascade> members;
  heads::NeighbourIndex neighbours;
  float neighbour_weight = 0;

  [[nodiscard]] heads::NeighbourMember neighbour_member() const {
    return {neighbours.view(), neighbour_weight};
  }
};

void index_rows(const TrainingSet& set, Learnt& learnt) {
  learnt.neighbours =
      heads::build_neighbours(set.examples.features, set.examples.labels, neighbour_features(set));
}

// How much like rows count: as given, or what rows that were not trained on say.
void weigh_neighbours(const Context& context, const TrainingSet& set, const LinearOptions& options,
                      const Examples& judged, Learnt& learnt) {
  if (!should_try_neighbours(set, options)) return;
  index_rows(set, learnt);
  const MemberViews views(learnt.members);
  learnt.neighbour_weight =
      options.neighbours > 0
          ? options.neighbours
          : choose_neighbour_weight(
                context, model::LinearMember(views.cascades, {learnt.neighbours.view()}), judged);
  if (learnt.neighbour_weight == 0) learnt.neighbours = {};
}

void choose_parent_powers(const Context& context, const Examples& judged,
                          std::vector<TrainedCascade>& members) {
  const MemberViews views(members);
  for (std::size_t m = 0; m < members.size(); ++m) {
    members[m].search.parent_power = choose_parent_power(context, views.cascades[m], judged);
  }
}

// What rows that were not trained on say: the members' powers of the path, the weight of like rows,
// what scores are worth, how good the model is.
metrics::Calibration judge(const Context& context, const TrainingSet& set,
                           const LinearOptions& options, const Examples& judged, Learnt& learnt,
                           LinearReport& report) {
  if (options.parent_power == 0) choose_parent_powers(context, judged, learnt.members);
  weigh_neighbours(context, set, options, judged, learnt);
  report.parent_power = learnt.members[0].search.parent_power;
  report.neighbours = learnt.neighbour_weight;
  report.judged_rows = judged.rows();
  if (judged.rows() == 0) return {};
  const MemberViews views(learnt.members);
  const model::LinearMember member(views.cascades, learnt.neighbour_member());
  const RankedRows ranked = rank_rows(context, judged_by(member, judged));
  report.precision = precision_of(ranked);
  return metrics::fit_calibration(ranked.items);
}

// Rows of the data that a model is learnt from: what label frequencies are about.
struct TrainedRows {
  std::vector<std::uint32_t> label_counts;
  std::size_t rows = 0;

  void add(const Ragged<LabelId>& labels) {
    const std::vector<std::uint32_t> more = count_labels(labels, label_counts.size());
    for (std::size_t i = 0; i < more.size(); ++i) label_counts[i] += more[i];
    rows += labels.rows();
  }
};

// Puts rows that were held out back.
void give_back(Examples& examples, Examples& rows) {
  examples.append(rows);
  rows = {};
}

// Trains the cascades anew, with rows that chose their powers of the path.
void train_again(const Context& context, const TrainingSet& set, const LinearOptions& options,
                 PartialFile& partial, Learnt& learnt) {
  std::vector<TrainedCascade>& members = learnt.members;
  std::vector<heads::BeamOptions> searches;
  searches.reserve(members.size());
  for (const TrainedCascade& member : members) searches.push_back(member.search);
  members.clear();
  release_free_memory();
  members =
      train_members(context, set.examples, set.names.size(), options, &partial, options.ensemble);
  for (std::size_t m = 0; m < members.size(); ++m) members[m].search = searches[m];
  if (learnt.neighbour_weight > 0) index_rows(set, learnt);
}

LinearReport tune_and_train(const Context& context, const data::ReadOptions& input,
                            const LinearOptions& options, const LinearRun& run) {
  Tuned tuned = tune(context, input, options, run.text_rule,
                     {.seconds = run.tune_seconds,
                      .fixed = run.fixed_options,
                      .valid = run.valid,
                      .ram_bytes = run.ram_bytes});
  release_free_memory();
  LinearRun rest = run;
  rest.tune_seconds = 0;
  rest.text_rule = std::move(tuned.text_rule);
  LinearReport report = train_linear(context, input, tuned.options, rest);
  report.trials = std::move(tuned.trials);
  if (run.history != nullptr) run.history->charts.push_back(trials_chart(report.trials));
  return report;
}

// For candidates that somebody asked for; those by rule may be more than there are.
void check_candidates(const LinearOptions& options, std::span<const std::uint32_t> lengths) {
  std::uint64_t groups = 1;  // above the last head: where there are most
  for (const std::uint32_t length : lengths.first(lengths.size() - 1)) groups *= length;
  const std::size_t candidates = options.cascade.candidates;
  if (candidates <= groups) return;
  if (lengths.size() == 1) return;  // one-hot has none
  fail(ErrorCode::kInvalidArgument, "{} candidates of {} groups: it must be 0 to {}", candidates,
       groups, groups);
}

void check_before_reading(const LinearOptions& options, const LinearRun& run) {
  validate(options);
  check_output(run.out);
}

}  // namespace

void check_output(const std::string& path) {
  if (std::filesystem::is_directory(path)) {
    fail(ErrorCode::kInvalidArgument, "{} is a directory; expected a file to write", path);
  }
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  if (!directory.empty() && !std::filesystem::is_directory(directory)) {
    fail(ErrorCode::kIo, "cannot create {}: there is no directory {}", path, directory.string());
  }
  // Better now than when all is trained. What is no regular file is written as it is.
  std::error_code ignored;
  const bool is_special =
      std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored);
  const std::string place = is_special ? path : directory.empty() ? "." : directory.string();
  if (::access(place.c_str(), W_OK) != 0) {
    fail(ErrorCode::kIo, "cannot create {}: {}", path, std::generic_category().message(errno));
  }
}

void check_not_input(const std::string& path, const data::ReadOptions& input) {
  for (const std::string& read : {input.path, input.label_path}) {
    std::error_code ignored;  // one of them does not exist: not the same
    if (!std::filesystem::is_regular_file(path, ignored)) continue;
    require(!std::filesystem::equivalent(path, read, ignored),
            "{} is the data itself, which the model would replace", path);
  }
}

LinearReport train_linear(const Context& context, const data::ReadOptions& input,
                          const LinearOptions& options, const LinearRun& run) {
  check_before_reading(options, run);
  check_not_input(run.out, input);
  if (run.valid) check_not_input(run.out, *run.valid);
  if (run.tune_seconds > 0) return tune_and_train(context, input, options, run);
  ReadJudged read_judged;
  if (run.valid) {
    read_judged = [&](const TrainingSet& set) { return read_more(context, *run.valid, set); };
  }
  return train_on_set(context,
                      read_training_set(context, input,
                                        {.text = options.text,
                                         .rule = run.text_rule,
                                         .ram_bytes = run.ram_bytes,
                                         .label_text = options.label_text}),
                      options, run, read_judged);
}

LinearReport train_on_set(const Context& context, TrainingSet set, const LinearOptions& asked,
                          const LinearRun& run, const ReadJudged& read_judged) {
  check_before_reading(asked, run);
  LinearReport report;
  report.rows = set.examples.rows();
  report.trimmed_labels = trim_labels(set, asked.min_label_count);
  report.labels = set.names.size();
  if (run.history != nullptr) run.history->data = summarize_data(set.examples, set.names.size());
  report.features = set.examples.features.num_columns;
  report.members = asked.ensemble;
  check_covers(member_lengths(asked, set.names.size(), 0), set.names.size());
  LinearOptions given = asked;
  given.feature_weights = weigh_features(context, set, asked);
  report.feature_weights = given.feature_weights;
  Examples judged =
      read_judged ? read_judged(set)
                  : hold_out(set.examples, held_out_rows(given, set.examples), context.seed());
  LinearOptions options = decided(context, given, set.examples, set.names.size());
  report.lengths = member_lengths(options, set.names.size(), 0);
  if (given.candidates >= 0 && run.fixed_options.count("candidates") > 0)
    check_candidates(options, report.lengths);
  report.loss_weight = options.loss_weight;
  report.name_rows = set.name_rows.rows();
  TrainedRows trained = {std::vector<std::uint32_t>(set.names.size(), 0)};
  trained.add(set.examples.labels);
  learn_from_names(set);
  if (run.ram_bytes > 0) {
    options.cascade.solvers = plan_linear(context, set, options, run.ram_bytes).solvers;
  }
  release_free_memory();

  PartialFile partial({.path = run.out + ".partial",
                       .fingerprint = fingerprint(context, set, given),
                       .resume = run.resume,
                       .flush_after = run.flush_after});
  report.resumed_blocks = partial.num_found();
  heads::CascadeTrace trace;
  if (run.history != nullptr) options.cascade.trace = &trace;
  Learnt learnt;
  learnt.members = train_members(context, set.examples, set.names.size(), options, &partial);
  options.cascade.trace = nullptr;
  context.report({"calibrating", 0, 0, "rows"});
  metrics::Calibration calibration = judge(context, set, options, judged, learnt, report);
  if (run.history != nullptr) {
    context.report({"measuring for the report", 0, 0, "rows"});
    run.history->settings_json = to_json(options);
    run.history->charts.push_back(solver_chart(trace, learnt.members[0].levels.size()));
    if (judged.rows() > 0) {
      measure_held_out(context, {learnt.members, learnt.neighbour_member()}, set, judged,
                       *run.history);
    }
  }
  if (!read_judged && judged.rows() > 0 && is_little(set.examples.features)) {
    trained.add(judged.labels);
    give_back(set.examples, judged);
    train_again(context, set, options, partial, learnt);
  }
  context.report({"writing the model", 0, 0, "bytes"});
  const MemberViews views(learnt.members);
  const model::LinearMember member(views.cascades, learnt.neighbour_member());
  const model::Member* const members[] = {&member};
  model::write_model(run.out, {.names = set.names,
                               .num_features = set.examples.features.num_columns,
                               .vectorizer = set.vectorizer ? &*set.vectorizer : nullptr,
                               .feature_weights = set.feature_weights.view(),
                               .calibration = std::move(calibration),
                               .training_rows = trained.rows,
                               .label_counts = trained.label_counts,
                               .options_json = to_json(options),
                               .members = members});
  partial.remove();
  return report;
}

}  // namespace mhe::train
