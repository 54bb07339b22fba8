// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/learner.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mhe/error.h>

#include "base/check.h"
#include "base/checksum.h"
#include "base/memory.h"
#include "base/temporary_directory.h"
#include "data/label_separator.h"
#include "data/line_error.h"
#include "encoders/registry.h"
#include "model/model.h"
#include "train/gradient_fitter.h"
#include "train/label_order.h"
#include "train/linear_fitter.h"
#include "train/measure_history.h"
#include "train/member_options.h"
#include "train/options.h"
#include "train/quick_trials.h"
#include "train/split.h"
#include "train/text_rules.h"
#include "train/weigh_features.h"

namespace mhe::train {
namespace {

template <class T>
std::uint64_t checksum_of(const T& values) {
  return checksum64(std::as_bytes(std::span(values)));
}

bool is_regular_file(const std::string& path) {
  std::error_code ignored;  // it does not exist
  return std::filesystem::is_regular_file(path, ignored);
}

constexpr std::size_t kCalibrationDepth = metrics::RowCalibration::kDepth;

// Whether labels exclude each other: no row has two.
bool has_one_label(const Ragged<LabelId>& labels) {
  for (std::size_t row = 0; row < labels.rows(); ++row) {
    if (labels[row].size() > 1) return false;
  }
  return true;
}

// Throws if the model would take the place of a file that is read.
void check_not_input(const std::string& path, const std::string& read, std::string_view what) {
  std::error_code ignored;  // one of them does not exist: not the same
  require(!is_regular_file(path) || !std::filesystem::equivalent(path, read, ignored),
          "{} is the {}, which the model would replace", path, what);
}

void check_not_input(const std::string& path, const Dataset& data) {
  if (data.file() == nullptr) return;
  check_not_input(path, data.file()->path, "data itself");
  check_not_input(path, data.file()->label_path, "data itself");
}

// What a file of an order says, with its name or without: what decides where labels stand.
std::uint64_t checksum_of(const labels::OrderFile& order) {
  const std::uint64_t sums[] = {checksum_of(order.labels), checksum_of(order.positions),
                                checksum_of(order.digits), order.num_heads};
  return checksum_of(sums);
}

}  // namespace

std::unique_ptr<MemberFitter> MemberFitter::make(const TrainOptions& options, std::size_t first) {
  if (options.encoder == "linear") return std::make_unique<LinearFitter>(options, first);
  return std::make_unique<GradientFitter>(options, first);
}

Learner::Learner(const Context& context, const Dataset& data, const TrainOptions& options,
                 const TrainRun& run)
    : context_(context), data_(data), options_(options), run_(run) {
  options_.encoder = choose_encoder(context, data, options);
  validate(options_);
  options_.given = asked_for(options_);
  if (!run.out.empty()) check_output();
}

void Learner::check_output() const {
  check_writable(run_.out);
  check_not_input(run_.out, data_);
  if (run_.valid) check_not_input(run_.out, *run_.valid);
  if (is_order_file(options_.order)) {
    check_not_input(run_.out, options_.order, "order of the labels");
  }
}

TrainReport Learner::run() {
  TextRule rule = text_rule_of(options_);
  if (run_.tune_seconds > 0) {
    Tuned tuned = tune(
        context_, options_, rule, [this](const TextRule& trial) { return read_trial_rows(trial); },
        run_.tune_seconds);
    options_ = std::move(tuned.options);
    rule = std::move(tuned.text_rule);
    report_.trials = std::move(tuned.trials);
    release_free_memory();
  }
  spoken_ = options_;
  read(rule);
  warn_of_unsplit_labels();
  trim();
  split();
  if (run_.on_read) run_.on_read(report_);
  resolve();
  try {
    fit();
    calibrate();
    if (run_.measure) measure();
    if (refits_) refit();
    write();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kInterrupted) keep();
    throw;
  }
  return std::move(report_);
}

TrainingPlan Learner::plan() {
  read(text_rule_of(options_));
  trim();
  split();
  resolve();
  TrainingPlan plan = {.data = set_.schema,
                       .rows = report_.rows,
                       .labels = report_.labels,
                       .features = report_.features};
  for (const auto& fitter : fitters_) {
    plan.encoders.push_back(fitter->plan(fit_data(), context_.ram_bytes()));
  }
  return plan;
}

void Learner::read(const TextRule& rule) {
  std::size_t first = 0;
  for (const TrainOptions& member : member_options(options_)) {
    fitters_.push_back(MemberFitter::make(member, first));
    first += 2 * member.ensemble;  // trained, and trained again with the validation rows
  }
  const bool takes_dense = std::all_of(fitters_.begin(), fitters_.end(),
                                       [](const auto& fitter) { return fitter->takes_dense(); });
  const bool chooses = std::any_of(fitters_.begin(), fitters_.end(),
                                   [](const auto& fitter) { return fitter->chooses_from_data(); });
  const std::string label_text =
      options_.label_text == "auto" && !chooses ? "no" : options_.label_text;
  set_ = read_training_set(context_, data_,
                           {.text = options_.text,
                            .rule = rule,
                            .ram_bytes = context_.ram_bytes(),
                            .label_text = label_text,
                            .takes_dense = takes_dense});
  report_.data = set_.schema;
  report_.read = set_.read;
}

void Learner::warn_of_unsplit_labels() const {
  const std::vector<std::uint32_t> counts = count_labels(set_.examples.labels, set_.names.size());
  const auto suspect = data::suspect_separator(set_.names, counts);
  if (!suspect) return;
  const bool is_blank = suspect->separator == " ";
  context_.warn(fmt::format(
      "most labels occur in one row only and contain {}, such as {}: if {} labels, use the option "
      "label_separator {}",
      is_blank ? "blanks" : fmt::format("\"{}\"", suspect->separator),
      data::quote_found(suspect->label), is_blank ? "blanks separate" : "it separates",
      is_blank ? "space" : fmt::format("\"{}\"", suspect->separator)));
}

void Learner::trim() {
  report_.rows = rows_with_held_out_ = set_.examples.rows();
  report_.trimmed_labels = trim_labels(set_, trim_rule_of(options_));
  take_order_file(options_, set_);
  report_.labels = set_.names.size();
  report_.features = set_.examples.are_dense() ? set_.examples.dense.num_columns
                                               : set_.examples.features.num_columns;
  if (run_.measure) report_.history.data = summarize_data(set_.examples, set_.names.size());
  for (const auto& fitter : fitters_) fitter->check_labels(set_.names.size());
  // Of several encoders the first decides, whose weights all take.
  if (options_.feature_weights == "auto" && !fitters_.front()->chooses_from_data()) {
    options_.feature_weights = "none";
  }
  report_.feature_weights = options_.feature_weights = weigh_features(context_, set_, options_);
}

bool Learner::will_refit() const {
  if (run_.valid) return false;
  if (options_.refit != "auto") return options_.refit == "yes";
  return std::all_of(fitters_.begin(), fitters_.end(),
                     [&](const auto& fitter) { return fitter->refits_by_default(set_.examples); });
}

void Learner::split() {
  if (run_.valid) {
    validation_ = read_more(context_, *run_.valid, set_);
  } else {
    const std::size_t rows = count_validation_rows(options_, set_.examples.rows(), will_refit());
    validation_ = hold_out(set_.examples, rows, context_.seed());
  }
  report_.validation_rows = validation_.rows();
}

// Options for a head that was left open and became another.
void Learner::warn_of_unused(const TrainOptions& given, const MemberFitter& fitter) const {
  const std::string& head = fitter.options().head;
  for (const std::string& name : asked_beyond(given, parse_head_kind(head))) {
    context_.warn(
        fmt::format("the option {} was not used: {} labels get the head {} unless another"
                    " is asked for",
                    name, set_.names.size(), head));
  }
}

void Learner::resolve() {
  const std::vector<TrainOptions> given = member_options(options_);
  for (std::size_t i = 0; i < fitters_.size(); ++i) {
    const auto& fitter = fitters_[i];
    TrainOptions options = fitter->options();
    options.feature_weights = options_.feature_weights;
    options.label_text = options_.label_text;
    fitter->set_options(options);
    fitter->resolve(fit_data());
    warn_of_unused(given[i], *fitter);
  }
  report_.name_rows = set_.name_rows.rows();
  label_counts_ = count_labels(set_.examples.labels, set_.names.size());
  training_rows_ = set_.examples.rows();
  train_on_names(set_);
  // Of what members are fitted to: without the rows held out, with the names of labels.
  refits_ = will_refit() && validation_.rows() > 0;
}

// Of one encoder, with what was resolved for all of them.
TrainOptions Learner::used_options(const MemberFitter& fitter) const {
  TrainOptions used = fitter.used_options();
  used.refit = refits_ ? "yes" : "no";
  used.label_text = report_.name_rows > 0 ? "yes" : "no";
  if (set_.vectorizer) {
    used.text = set_.vectorizer->options();
    if (used.own.empty()) used.own = own_features(used.text);
  }
  return used;
}

std::string Learner::options_json() const {
  nlohmann::ordered_json json = {{"encoder", options_.encoder}};
  for (const auto& fitter : fitters_) {
    auto used =
        nlohmann::ordered_json::parse(used_options_json(used_options(*fitter), fitter->encoder()));
    if (fitters_.size() == 1) {
      json = std::move(used);
    } else {
      json["members"].push_back(std::move(used));
    }
  }
  // A path says little where the file was made elsewhere or has changed since.
  if (set_.order_file) {
    json["order_checksum"] = fmt::format("{:016x}", checksum_of(*set_.order_file));
  }
  return json.dump();
}

// What trains the same model again from the same files; nothing for rows in memory.
std::string Learner::command_json() const {
  const ReadOptions* const file = data_.file();
  if (file == nullptr || (run_.valid && run_.valid->file() == nullptr)) return {};
  TrainOptions options = spoken_;
  if (!report_.trials.empty() && set_.vectorizer) name_text(set_.vectorizer->options(), options);
  for (const auto& fitter : fitters_) fitter->name_budgeted(options);
  const std::string preset = preset_of(options);
  nlohmann::ordered_json json = {{"encoder", options.encoder}, {"preset", preset}};
  json["options"] = nlohmann::ordered_json::parse(spoken_options_json(options, preset));
  json["seed"] = context_.seed();
  if (!file->label_path.empty()) json["label_file"] = true;
  if (run_.valid) json["valid"] = true;
  if (run_.valid && !run_.valid->file()->label_path.empty()) json["valid_labels"] = true;
  if (file->skip_bad > 0) json["skip_bad"] = file->skip_bad;
  return json.dump();
}

// Everything that decides what a training does, but for its learning rates: after a loss that
// diverged it may be resumed with smaller ones. What else would follow from them, codes that were
// trained, is in the checkpoint.
std::uint64_t Learner::fingerprint() const {
  TrainOptions options = options_;
  options.learning_rate = options.layer_rate = 0;
  const SparseMatrix& features = set_.examples.features;
  const std::uint64_t sums[] = {
      context_.seed(),
      checksum_of(options.to_json()),
      checksum_of(features.offsets),
      checksum_of(features.columns),
      checksum_of(features.values),
      checksum_of(set_.examples.dense.values),
      checksum_of(set_.examples.labels.offsets),
      checksum_of(set_.examples.labels.items),
      checksum_of(validation_.labels.items),
      set_.order_file ? checksum_of(*set_.order_file) : 0,
  };
  return checksum_of(sums);
}

void Learner::fit() {
  if (context_.ram_bytes() > 0) {
    for (const auto& fitter : fitters_) (void)fitter->plan(fit_data(), context_.ram_bytes());
  }
  release_free_memory();
  resume_file_ = std::make_unique<ResumeFile>(ResumeFile::Options{.path = run_.out + ".resume",
                                                                  .fingerprint = fingerprint(),
                                                                  .resume = run_.resume,
                                                                  .flush_after = run_.flush_after});
  if (run_.resume && !resume_file_->has_found()) {
    context_.warn(fmt::format("{} does not exist or is empty; training starts from the beginning",
                              resume_file_->path()));
  }
  bool has_checkpoint = false;
  for (const auto& fitter : fitters_) {
    const bool has_room = !fitter->takes_checkpoint() || !has_checkpoint;
    fitter->fit(fit_data(), has_room ? resume_file_.get() : nullptr, run_);
    has_checkpoint = has_checkpoint || fitter->takes_checkpoint();
  }
}

// What is trained, before work that may be stopped and needs it again.
void Learner::keep() {
  if (resume_file_ == nullptr) return;
  for (const auto& fitter : fitters_) fitter->keep();
}

std::vector<const model::Member*> Learner::members() const {
  std::vector<const model::Member*> members;
  for (const auto& fitter : fitters_) {
    const model::MemberSpan fitted = fitter->members();
    members.insert(members.end(), fitted.begin(), fitted.end());
  }
  return members;
}

// Whether all members now have their own calibration, fitted to these rows.
bool Learner::calibrate_members(const Examples& rows) {
  bool do_all = true;
  for (const auto& fitter : fitters_) {
    do_all = fitter->calibrate({context_, set_, rows, rows_with_held_out_}) && do_all;
  }
  return do_all;
}

// Ranks each fifth of the validation rows by members that are calibrated on the others, so that no
// figure is of rows that shaped it. The last calibration is on all rows.
void Learner::rank_across_folds() {
  const std::size_t folds = std::min<std::size_t>(5, validation_.rows());
  std::vector<Ragged<ScoredLabel>> ranked(folds);
  std::vector<Ragged<LabelId>> sets(folds);
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<std::uint32_t> mine;
    std::vector<std::uint32_t> others;
    for (std::uint32_t row = 0; row < validation_.rows(); ++row) {
      (row % folds == fold ? mine : others).push_back(row);
    }
    if (!others.empty()) (void)calibrate_members(copy_rows(validation_, others));
    const Examples rows = copy_rows(validation_, mine);
    ranked[fold] = rank_labels(context_, ranking_of(members(), rows), kCalibrationDepth);
    sets[fold] = best_sets(context_, members(), rows);
  }
  (void)calibrate_members(validation_);
  SetEvaluator evaluator;
  for (std::size_t row = 0; row < validation_.rows(); ++row) {
    ranked_.push_row(ranked[row % folds][row / folds]);
    evaluator.add(validation_.labels[row], sets[row % folds][row / folds]);
  }
  report_.sets = evaluator.report();
}

// What validation rows say: how members are searched, what a score is worth, how good the model is.
void Learner::calibrate() {
  context_.report({"calibrating", 0, 0, "rows"});
  for (const auto& fitter : fitters_) fitter->choose_search(fit_data());
  if (validation_.rows() > 0) members_are_calibrated_ = calibrate_members(validation_);
  for (const auto& fitter : fitters_) fitter->fill(report_.encoders.emplace_back());
  if (validation_.rows() == 0) return;
  if (members_are_calibrated_) {
    rank_across_folds();
  } else {
    ranked_ = rank_labels(context_, ranking_of(members(), validation_), kCalibrationDepth);
    calibration_ = metrics::fit_row_calibration(
        mark_hits(ranked_, validation_.labels),
        has_one_label(validation_.labels) && has_one_label(set_.examples.labels));
  }
  report_.precision = precision_of(mark_hits(ranked_, validation_.labels));
}

void Learner::measure() {
  context_.report({"measuring for the report", 0, 0, "rows"});
  TrainingHistory& history = report_.history;
  history.settings_json = options_json();
  if (!report_.trials.empty()) history.charts.push_back(trials_chart(report_.trials));
  if (validation_.rows() > 0) {
    const ValidatedRows rows = {ranked_, validation_.labels};
    measure_ranking(context_, rows,
                    members_are_calibrated_
                        ? mark_hits(ranked_, validation_.labels)
                        : cross_calibrate(rows, calibration_.is_for_one_label()),
                    set_, history);
    history.sets = report_.sets;
  }
  for (const auto& fitter : fitters_) fitter->fill(fit_data(), history);
}

void Learner::refit() {
  const std::vector<std::uint32_t> more = count_labels(validation_.labels, label_counts_.size());
  for (std::size_t i = 0; i < more.size(); ++i) label_counts_[i] += more[i];
  training_rows_ += validation_.rows();
  keep();
  set_.examples.append(validation_);
  validation_ = {};
  for (const auto& fitter : fitters_) fitter->refit(fit_data(), resume_file_.get(), run_);
  report_.refitted = true;
}

void Learner::write() {
  context_.report({"writing the model", 0, 0, "bytes"});
  const std::vector<const model::Member*> members = this->members();
  model::write_model(run_.out, {.names = set_.names,
                                .num_features = report_.features,
                                .vectorizer = set_.vectorizer ? &*set_.vectorizer : nullptr,
                                .feature_weights = set_.feature_weights.view(),
                                .calibration = std::move(calibration_),
                                .training_rows = training_rows_,
                                .label_counts = label_counts_,
                                .layout = set_.schema.layout,
                                .options_json = options_json(),
                                .command_json = command_json(),
                                .members = members});
  resume_file_->remove();
}

// Rows for trials of settings, which are not those that the model is calibrated on.
TrialRows Learner::read_trial_rows(const TextRule& rule) const {
  require(data_.is_rereadable(), "tuning reads the data several times; expected a file, found {}",
          data_.name() == "-" ? "standard input" : "a pipe, " + data_.name());
  require(encoders_of(options_.encoder).size() == 1, "tuning is for one encoder; {} were given",
          options_.encoder);
  TrainRun run = run_;
  run.measure = false;
  Learner trial(context_, data_, options_, run);
  trial.read(rule);
  trial.trim();
  TrialRows rows;
  rows.rows_with_held_out = trial.rows_with_held_out_;
  rows.feature_weights = trial.options_.feature_weights;
  if (run_.valid) {
    rows.validation = read_more(context_, *run_.valid, trial.set_);
  } else {
    rows.validation = hold_out(trial.set_.examples,
                               count_trial_validation(trial.set_.examples.rows()), context_.seed());
  }
  train_on_names(trial.set_);
  rows.set = std::move(trial.set_);
  return rows;
}

}  // namespace mhe::train

namespace mhe {

TrainReport train_model(const Context& context, const Dataset& data, const TrainOptions& options,
                        const TrainRun& run) {
  require(!run.out.empty(), "no path to write the model to");
  return train::Learner(context, data, options, run).run();
}

Model train_in_memory(const Context& context, const Dataset& data, const TrainOptions& options,
                      TrainReport* report) {
  const TemporaryDirectory directory("mhe-train");
  const TrainRun run = {.out = directory.file("model.mhe")};
  TrainReport made = train::Learner(context, data, options, run).run();
  if (report != nullptr) *report = std::move(made);
  return Model::open(run.out);
}

TrainingPlan plan_training(const Context& context, const Dataset& data, const TrainOptions& options,
                           const std::optional<Dataset>& valid) {
  return train::Learner(context, data, options, {.out = {}, .valid = valid}).plan();
}

std::string choose_encoder(const Context& context, const Dataset& data,
                           const TrainOptions& options) {
  if (!options.encoder.empty()) return options.encoder;
  // A stream can be read once only, so there it has to be said.
  if (!data.is_rereadable()) return "linear";
  LabelNames names;
  const InputKind kind = open_reader(context, data, names)->schema().kind;
  return kind == InputKind::kDense ? "dense" : "linear";
}

}  // namespace mhe
