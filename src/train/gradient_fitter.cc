// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/gradient_fitter.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <mhe/error.h>

#include "base/check.h"
#include "encoders/registry.h"
#include "heads/cascade_nodes.h"
#include "heads/registry.h"
#include "train/calibrate_sets.h"
#include "train/epoch_accuracy.h"
#include "train/gradient_rules.h"
#include "train/head_quality.h"
#include "train/label_order.h"
#include "train/measure_history.h"
#include "train/member_trainer.h"

namespace mhe::train {

// Trains the members one after the other, from the start or from a checkpoint.
class GradientFitter::Training {
 public:
  Training(const FitData& data, const TrainOptions& options, ResumeFile* file, const TrainRun& run)
      : context_(data.context),
        set_(data.set),
        examples_(data.set.examples),
        validation_(data.validation),
        options_(options),
        run_(run),
        file_(file) {}

  void run() {
    start();
    for (; state_.member < options_.ensemble; next_member()) {
      if (members_.size() == state_.member) start_member();
      train_member(members_.back());
      members_.back().end_training();
    }
  }

  // Once all members are finished.
  void keep() {
    if (file_ != nullptr && state_.member == options_.ensemble) save();
  }

  [[nodiscard]] std::deque<MemberTrainer>& members() noexcept { return members_; }
  [[nodiscard]] const GradientPlan& plan() const noexcept { return plan_; }
  [[nodiscard]] const TrainingState& state() const noexcept { return state_; }
  [[nodiscard]] std::size_t resumed_epochs() const noexcept { return resumed_epochs_; }

 private:
  void start_member() {
    try {
      add_member({});
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kInterrupted || members_.empty() || file_ == nullptr) throw;
      save();
      fail(ErrorCode::kInterrupted, "stopped after {} of {} members; {} has what is finished",
           members_.size(), options_.ensemble, file_->path());
    }
    state_.epochs.emplace_back();
  }

  void add_member(const std::optional<LabelPlaces>& resumed) {
    MemberStart start;
    // Far apart, so that seeds that follow each other do not share members.
    start.seed = context_.seed() + 0x10001 * members_.size();
    start.resumed = resumed;
    members_.emplace_back(context_, examples_, plan_, options_, start);
  }

  void next_member() {
    ++state_.member;
    state_.step = 0;
    state_.loss_sum = state_.first_loss = 0;
    state_.best_quality = -1;
    state_.epochs_since_best = 0;
    copy_ = WeightCopy();
  }

  void train_member(MemberTrainer& trainer) {
    while (state_.step < trainer.total_steps()) {
      const double loss = trainer.train_step(state_.step);
      check_loss(loss, trainer);
      const std::uint64_t in_epoch = state_.step % trainer.steps_per_epoch();
      const std::size_t begin = in_epoch * options_.batch;
      state_.loss_sum +=
          loss * static_cast<double>(std::min(options_.batch, examples_.rows() - begin));
      ++state_.step;
      if (in_epoch + 1 == trainer.steps_per_epoch() && end_epoch(trainer)) break;
      try {
        report(trainer, loss);
        context_.check_stop();  // at once if it is the report that brought it up
      } catch (const Error& error) {
        if (error.code() == ErrorCode::kInterrupted) interrupt(trainer);
        throw;
      }
    }
    if (copy_.count() > 0) copy_.restore(trainer.arrays());
    std::vector<NamedArray> parameters = trainer.arrays();
    std::erase_if(parameters, [](const NamedArray& array) { return !array.is_parameter; });
    check_numbers(trainer, parameters);
  }

  // Returns whether the member is done before its last epoch.
  bool end_epoch(MemberTrainer& trainer) {
    std::vector<EpochReport>& epochs = state_.epochs[state_.member];
    EpochReport& epoch = epochs.emplace_back();
    epoch.loss = state_.loss_sum / static_cast<double>(examples_.rows());
    check_epoch(epoch.loss);
    state_.loss_sum = 0;
    const auto averaged =
        static_cast<std::size_t>(std::ceil(options_.swa * static_cast<double>(options_.epochs)));
    if (epochs.size() + averaged > options_.epochs) copy_.add(trainer.arrays());
    bool is_over = false;
    if (options_.patience > 0 && validation_.rows() > 0) {
      epoch.quality =
          mean_gain(context_, ranking_of(model::DenseMember(trainer.view()), validation_));
      if (*epoch.quality > state_.best_quality) {
        state_.best_quality = *epoch.quality;
        state_.epochs_since_best = 0;
        copy_.assign(trainer.arrays());
      } else {
        is_over = ++state_.epochs_since_best >= options_.patience;
      }
    }
    if (run_.measure && state_.member == 0) measure(trainer, epoch);
    const bool is_last = state_.step == trainer.total_steps() || is_over;
    if (is_over) state_.step = trainer.total_steps();
    // A training on its way out is nothing to go on from: the checkpoint before it stays.
    constexpr double kTimesFirst = 2;
    const bool is_due = file_ != nullptr && run_.checkpoint_every > 0 &&
                        (is_last || epochs.size() % run_.checkpoint_every == 0);
    if (is_due && !is_worse(epoch.loss, kTimesFirst)) save_member(trainer);
    return is_over;
  }

  // Not of the mean of the last epochs' weights, which has no epochs.
  void measure(MemberTrainer& trainer, EpochReport& epoch) {
    constexpr std::size_t kMostRows = 1000;  // a per cent and a half of chance, some milliseconds
    const std::size_t most = examples_.rows();
    if (measured_.rows() == 0) {
      measured_ =
          copy_rows(examples_, choose_rows(most, std::min(most, kMostRows), context_.seed()));
    }
    const model::DenseMember member(trainer.view());
    epoch.training = measure_accuracy(context_, member, measured_);
    if (validation_.rows() > 0) epoch.validation = measure_accuracy(context_, member, validation_);
  }

  void check_loss(double loss, MemberTrainer& trainer) {
    if (state_.step == 0) state_.first_loss = loss;
    if (!has_diverged(loss, state_.first_loss)) return;
    fail_diverged(fmt::format("the loss became {:.4g} at step {} (epoch {} of {})", loss,
                              state_.step + 1, state_.step / trainer.steps_per_epoch() + 1,
                              options_.epochs));
  }

  // A loss is that of before the step, which may have been the one too far.
  void check_numbers(const MemberTrainer& trainer, std::span<const NamedArray> arrays) const {
    const std::string bad = find_not_finite(context_, arrays);
    if (bad.empty()) return;
    fail_diverged(fmt::format("{} held NaN or infinity after step {} (epoch {} of {})", bad,
                              state_.step, (state_.step - 1) / trainer.steps_per_epoch() + 1,
                              options_.epochs));
  }

  // Whether a mean over an epoch, which has no bad batches to excuse it, is so many times worse
  // than the start.
  [[nodiscard]] bool is_worse(double loss, double times) const noexcept {
    return loss > times * std::max(1.0, state_.first_loss);
  }

  void check_epoch(double loss) const {
    constexpr double kTimesFirst = 10;
    if (!is_worse(loss, kTimesFirst)) return;
    fail_diverged(fmt::format("the loss of epoch {} of {} was {:.4g}, after {:.4g} at the start",
                              state_.epochs[state_.member].size(), options_.epochs, loss,
                              state_.first_loss));
  }

  [[noreturn]] void fail_diverged(const std::string& what) const {
    fail(
        ErrorCode::kDiverged, "{}; a smaller learning rate helps{}", what,
        file_ != nullptr && file_->has_checkpoint()
            ? fmt::format("; {} holds an earlier state, from which training can be resumed with it",
                          file_->path())
            : std::string());
  }

  void report(const MemberTrainer& trainer, double loss) {
    // A mean over the last steps that is quick to follow.
    shown_loss_ = shown_loss_ == 0 ? loss : 0.95 * shown_loss_ + 0.05 * loss;
    const std::uint64_t steps = trainer.total_steps();
    const std::uint64_t done = state_.member * steps + state_.step;
    std::string note =
        fmt::format("epoch {} of {}, loss {:.4g}",
                    std::min<std::uint64_t>(
                        (state_.step + trainer.steps_per_epoch() - 1) / trainer.steps_per_epoch(),
                        options_.epochs),
                    options_.epochs, shown_loss_);
    if (options_.ensemble > 1) {
      note += fmt::format(", member {} of {}", state_.member + 1, options_.ensemble);
    }
    context_.report({"training", done * options_.batch, options_.ensemble * steps * options_.batch,
                     "rows", note});
  }

  [[noreturn]] void interrupt(MemberTrainer& trainer) {
    if (file_ == nullptr) context_.check_stop();
    save_member(trainer);
    fail(ErrorCode::kInterrupted, "stopped after {} of {} epochs; {} has what is finished",
         state_.step / trainer.steps_per_epoch(), options_.epochs, file_->path());
  }

  // What a checkpoint has of a member: parameters if it is done, everything of the one at work.
  std::vector<NamedArray> arrays_of(std::size_t member) {
    const std::vector<NamedArray> arrays = members_[member].arrays();
    const bool is_done = member < state_.member;
    std::vector<NamedArray> kept;
    for (const NamedArray& array : arrays) {
      if (is_done && !array.is_parameter) continue;
      kept.push_back({name_of(member, array.name), array.values});
    }
    if (is_done || state_.copy_count == 0) return kept;
    for (NamedArray& array : copy_.own_arrays(arrays, "copy.")) kept.push_back(std::move(array));
    return kept;
  }

  static std::string name_of(std::size_t member, std::string_view array) {
    return fmt::format("member{}.{}", member, array);
  }
  static constexpr const char* kAccuracies = "report.accuracies";
  static std::string codes_name(std::size_t member) { return name_of(member, "head.codes"); }
  static std::string positions_name(std::size_t member) {
    return name_of(member, "head.positions");
  }

  void save_member(MemberTrainer& trainer) {
    check_numbers(trainer, trainer.arrays());
    save();
  }

  void save() {
    MHE_ASSERT(file_ != nullptr);  // who calls it has looked
    state_.copy_count = copy_.count();
    // Who wants to stop wants what was done so far to be kept first.
    if (!context_.stop_requested()) context_.report({"writing a checkpoint", 0, 0, "bytes"});
    CheckpointArrays all;
    std::vector<std::uint32_t> accuracies;
    if (!state_.epochs.empty()) {
      accuracies = pack_accuracies(state_.epochs.front(), num_choosing_heads());
    }
    if (!accuracies.empty()) all.codes.push_back({kAccuracies, accuracies});
    for (std::size_t m = 0; m < members_.size(); ++m) {
      for (NamedArray& array : arrays_of(m)) all.numbers.push_back(std::move(array));
      const LabelPlaces places = members_[m].places();
      if (!places.codes.empty()) all.codes.push_back({codes_name(m), places.codes});
      if (!places.positions.empty()) all.codes.push_back({positions_name(m), places.positions});
    }
    file_->save_checkpoint(state_, all);
  }

  // Digits or nodes that are chosen on the way to a label.
  [[nodiscard]] std::size_t num_choosing_heads() const {
    const HeadKind kind = plan_.head.kind();
    const bool do_choose = kind == HeadKind::kProduct || kind == HeadKind::kCascade;
    return do_choose ? plan_.head.lengths.size() : 0;
  }

  void resume_accuracies() {
    if (state_.epochs.empty() || !file_->has_array(kAccuracies)) return;
    const std::span<EpochReport> epochs = state_.epochs.front();
    const std::size_t words = packed_size(epochs.size(), num_choosing_heads());
    unpack_accuracies(file_->codes(kAccuracies, words), num_choosing_heads(), epochs);
  }

  void start() {
    const std::optional<TrainingState> found = file_ == nullptr ? std::nullopt : file_->state();
    TrainOptions options = options_;
    if (found && parse_head_kind(options.head) == HeadKind::kCascade) {
      options.lengths = found->lengths;
      options.inner_dim = found->inner_dim;
    }
    plan_ = plan_gradient(set_, options, context_.ram_bytes(), &validation_);
    if (found) resume(*found);
    state_.lengths = plan_.head.lengths;
    state_.inner_dim = plan_.head.inner_width();
  }

  // One member after the other: only one at a time has room for what training needs.
  void resume(const TrainingState& found) {
    state_ = found;
    if (state_.member > options_.ensemble) {
      fail(ErrorCode::kInvalidData, "{}: the checkpoint is damaged: it is of member {} of {}",
           file_->path(), state_.member + 1, options_.ensemble);
    }
    resume_accuracies();
    while (members_.size() < state_.epochs.size()) resume_member();
    for (const auto& epochs : state_.epochs) resumed_epochs_ += epochs.size();
  }

  void resume_member() {
    const std::size_t member = members_.size();
    LabelPlaces places;
    if (plan_.head.has_code(heads::ProductCode::kTable)) {
      places.codes =
          file_->codes(codes_name(member), plan_.head.num_labels * plan_.head.lengths.size());
    }
    if (options_.order == "trained") {
      places.positions = file_->codes(positions_name(member), plan_.head.num_labels);
    }
    add_member(places);
    const bool is_done = member < state_.member;
    if (!is_done) copy_.set_count(state_.copy_count);
    file_->load(arrays_of(member));
    if (is_done) members_.back().end_training();
  }

  const Context& context_;
  const TrainingSet& set_;
  const Examples& examples_;
  const Examples& validation_;
  const TrainOptions options_;
  const TrainRun& run_;
  GradientPlan plan_;
  ResumeFile* file_;                   // none: nothing is kept
  std::deque<MemberTrainer> members_;  // they do not move
  WeightCopy copy_;                    // of the one at work
  TrainingState state_;
  Examples measured_;  // training rows that epochs are measured by
  std::size_t resumed_epochs_ = 0;
  double shown_loss_ = 0;
};

GradientFitter::GradientFitter(const TrainOptions& options, std::size_t first)
    : MemberFitter(options, first) {}

GradientFitter::~GradientFitter() = default;

void GradientFitter::resolve(const FitData& data) {
  options_ = resolve_gradient(options_, data.rows_with_held_out, data.set.names.size(),
                              most_labels(data.set.examples.labels));
  require(options_.patience == 0 || data.validation.rows() > 0,
          "patience {} needs validation rows: none are held out", options_.patience);
  warn_of_product(data);
}

// Digits of several labels mix: a head cannot tell which of them belong together.
void GradientFitter::warn_of_product(const FitData& data) const {
  if (options_.head != "product" || options_.powerset) return;
  const Ragged<LabelId>& labels = data.set.examples.labels;
  std::size_t several = 0;
  for (std::size_t row = 0; row < labels.rows(); ++row) several += labels[row].size() > 1 ? 1 : 0;
  if (several == 0) return;
  data.context.warn(fmt::format(
      "{} of {} rows have several labels, from which product heads learn little; train a"
      " cascade (head), or of a few labels their sets (powerset)",
      several, labels.rows()));
}

MemberPlan GradientFitter::plan(const FitData& data, std::uint64_t ram_bytes) {
  plan_ = plan_gradient(data.set, options_, ram_bytes, &data.validation);
  MemberPlan result = {.encoder = encoder_, .head = options_.head};
  result.shape = describe_shape(plan_);
  result.lengths = plan_.head.lengths;
  result.members = options_.ensemble;
  result.train_bytes = plan_.train_bytes;
  result.model_bytes = plan_.model_bytes;
  result.dim = plan_.encoder.dim;
  if (const auto* cascade = plan_.head.as<heads::CascadeSpec>()) {
    result.inner_dim = plan_.head.inner_width();
    result.candidates = cascade->candidates;
  }
  result.loss = heads::loss_name(plan_.head.loss);
  result.batch = options_.batch;
  result.data_bytes = plan_.data_bytes;
  result.encoder_bytes = plan_.encoder_bytes;
  result.head_bytes = plan_.head_bytes;
  result.notes = plan_.notes;
  return result;
}

void GradientFitter::fit(const FitData& data, ResumeFile* file, const TrainRun& run) {
  members_.clear();
  pointers_.clear();
  training_ = std::make_unique<Training>(data, options_, file, run);
  training_->run();
  plan_ = training_->plan();
  // A budget narrows, and a checkpoint keeps what the budget of its training did.
  const heads::HeadSpec open = plan_gradient(data.set, options_, 0, &data.validation).head;
  has_open_shape_ =
      open.lengths == plan_.head.lengths && open.inner_width() == plan_.head.inner_width();
  epochs_ = training_->state().epochs;
  resumed_epochs_ = training_->resumed_epochs();
  parts_.clear();
  for (MemberTrainer& trainer : training_->members()) {
    parts_.push_back(trainer.view());
    heads::HeadSpec& head = parts_.back().head;
    auto* cascade = head.as<heads::CascadeSpec>();
    if (cascade != nullptr && options_.beam > 0) {
      cascade->candidates = std::min<std::size_t>(options_.beam, heads::most_parents(head.lengths));
    }
  }
  show_members();
}

void GradientFitter::show_members() {
  members_.clear();
  pointers_.clear();
  for (const model::DenseParts& parts : parts_) {
    members_.push_back(std::make_unique<model::DenseMember>(parts));
    pointers_.push_back(members_.back().get());
  }
}

void GradientFitter::keep() {
  if (training_ != nullptr) training_->keep();
}

void GradientFitter::choose_search(const FitData& data) {
  if (options_.parent_weight > 0 || data.validation.rows() == 0) return;
  for (model::DenseParts& parts : parts_) {
    auto* cascade = parts.head.as<heads::CascadeSpec>();
    if (cascade == nullptr) continue;
    cascade->parent_power = choose_parent_weight(data.context, parts, data.validation);
  }
  show_members();
}

bool GradientFitter::calibrate(const FitData& data) {
  if (data.validation.rows() == 0 || !options_.powerset) return false;
  set_calibrations_.resize(parts_.size());
  for (std::size_t m = 0; m < parts_.size(); ++m) {
    set_calibrations_[m] = calibrate_sets(data.context, parts_[m], data.validation);
  }
  show_calibrations();
  return true;
}

// In place of those that parts had.
void GradientFitter::show_calibrations() {
  for (std::size_t m = 0; m < set_calibrations_.size(); ++m) {
    std::vector<heads::HeadTensor>& tensors = parts_[m].tensors;
    for (heads::HeadTensor& tensor : set_calibrations_[m].tensors()) {
      std::erase_if(tensors, [&](const auto& other) { return other.name == tensor.name; });
      tensors.push_back(std::move(tensor));
    }
  }
  show_members();
}

void GradientFitter::refit(const FitData& data, ResumeFile* /*file*/, const TrainRun& run) {
  const GradientPlan plan = plan_;
  const std::vector<std::vector<EpochReport>> epochs = epochs_;
  const std::size_t resumed = resumed_epochs_;
  const std::vector<model::DenseParts> before = parts_;
  const TrainOptions asked = options_;
  // Without validation rows nothing stops it: as many epochs as were best.
  if (options_.patience > 0) {
    MemberReport report;
    fill(report);
    options_.epochs = report.best_epoch;
    options_.patience = 0;
  }
  fit({data.context, data.set, Examples(), data.rows_with_held_out}, nullptr, run);
  for (std::size_t m = 0; m < parts_.size(); ++m) {
    auto* cascade = parts_[m].head.as<heads::CascadeSpec>();
    if (cascade == nullptr) continue;
    cascade->parent_power = before[m].head.as<heads::CascadeSpec>()->parent_power;
  }
  show_calibrations();
  options_ = asked;
  plan_ = plan;
  epochs_ = epochs;
  resumed_epochs_ = resumed;
}

TrainOptions GradientFitter::used_options() const {
  TrainOptions used = options_;
  const heads::HeadSpec& head = parts_.front().head;
  used.heads = plan_.head.lengths.size();
  used.lengths = plan_.head.lengths;
  used.loss = heads::loss_name(plan_.head.loss);
  if (used.hidden_layers < 0) {
    used.hidden_layers = encoders::encoder_named(encoder_).rules.hidden_layers;
  }
  if (const auto* cascade = head.as<heads::CascadeSpec>()) {
    used.inner_dim = plan_.head.inner_width();
    used.candidates = static_cast<std::int32_t>(plan_.head.as<heads::CascadeSpec>()->candidates);
    used.beam = cascade->candidates;
    used.parent_weight = cascade->parent_power;
  }
  return used;
}

void GradientFitter::name_budgeted(TrainOptions& options) const {
  if (has_open_shape_) return;
  options.lengths = plan_.head.lengths;
  options.given.insert("lengths");
  if (const auto* cascade = plan_.head.as<heads::CascadeSpec>()) {
    options.inner_dim = plan_.head.inner_width();
    options.candidates = static_cast<std::int32_t>(cascade->candidates);
    options.given.insert({"inner_dim", "candidates"});
  }
}

void GradientFitter::fill(MemberReport& report) const {
  report.encoder = encoder_;
  report.head = options_.head;
  report.shape = describe_shape(plan_);
  report.lengths = plan_.head.lengths;
  report.members = options_.ensemble;
  if (options_.ensemble > 1) report.shape += fmt::format(", {} members", options_.ensemble);
  const auto* cascade = parts_.front().head.as<heads::CascadeSpec>();
  report.parent_weight = cascade == nullptr ? 1 : cascade->parent_power;
  report.order = describe_order(options_.order, plan_.order_file, plan_.head.lengths,
                                placement_of(plan_.head.kind()));
  report.inner_dim = plan_.head.inner_width();
  report.epochs = epochs_;
  report.resumed_epochs = resumed_epochs_;
  report.planned_train_bytes = plan_.train_bytes;
  report.planned_model_bytes = plan_.model_bytes;
  report.notes = plan_.notes;
  if (options_.patience > 0) {
    const std::vector<EpochReport>& first = epochs_.front();
    const auto best =
        std::max_element(first.begin(), first.end(),
                         [](const auto& a, const auto& b) { return a.quality < b.quality; });
    report.best_epoch = static_cast<std::size_t>(best - first.begin()) + 1;
  }
}

void GradientFitter::fill(const FitData& data, TrainingHistory& history) const {
  for (Chart& chart : epoch_charts(epochs_)) history.charts.push_back(std::move(chart));
  for (Chart& chart : accuracy_charts(epochs_.front())) history.charts.push_back(std::move(chart));
  if (data.validation.rows() == 0) return;
  history.heads = measure_heads(data.context, *members_.front(), data.validation);
}

std::vector<double> GradientFitter::try_out(const FitData& data) {
  options_.ensemble = 1;
  // Its steps are not the ones that progress is about.
  const Context quiet({.threads = data.context.threads(), .seed = data.context.seed()});
  const FitData silent = {quiet, data.set, data.validation, data.rows_with_held_out};
  fit(silent, nullptr, {});
  choose_search(silent);
  return discounted_gains(data.context, ranking_of(members(), data.validation));
}

}  // namespace mhe::train
