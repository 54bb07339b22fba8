// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/train_learned.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <mhe/error.h>

#include "base/check.h"
#include "base/checksum.h"
#include "base/memory.h"
#include "model/dense_member.h"
#include "model/model.h"
#include "train/judge_heads.h"
#include "train/measure_history.h"

namespace mhe::train {
namespace {

template <class T>
std::uint64_t checksum_of(const T& values) {
  return checksum64(std::as_bytes(std::span(values)));
}

// Everything that decides what a training does, but for its learning rates: after a loss that
// diverged it may go on with smaller ones. What else would follow from them, codes that were
// learned, is in the checkpoint.
std::uint64_t fingerprint(const Context& context, const TrainingSet& set, const Examples& judged,
                          LearnedOptions options) {
  options.learning_rate = options.layer_rate = 0;
  const std::string description = to_json(options);
  const SparseMatrix& features = set.examples.features;
  const std::uint64_t sums[] = {
      context.seed(),
      checksum_of(description),
      checksum_of(features.offsets),
      checksum_of(features.columns),
      checksum_of(features.values),
      checksum_of(set.examples.dense.values),
      checksum_of(set.examples.labels.offsets),
      checksum_of(set.examples.labels.items),
      checksum_of(judged.labels.items),
  };
  return checksum_of(sums);
}

std::size_t held_out_rows(double share, std::size_t rows) {
  constexpr std::size_t kMost = 1000;  // ten labels of each make a smooth curve
  if (share == 0) return 0;
  const std::size_t least = std::min(kMost / 5, rows / 20);
  return std::clamp(static_cast<std::size_t>(share * static_cast<double>(rows)), least, kMost);
}

// Trains the members one after the other, from the start or from a checkpoint.
class Training {
 public:
  Training(const Context& context, const TrainingSet& set, const Examples& judged,
           const LearnedOptions& options, const LearnedRun& run)
      : context_(context),
        set_(set),
        examples_(set.examples),
        judged_(judged),
        options_(options),
        run_(run),
        file_({.path = run.out + ".resume",
               .fingerprint = fingerprint(context, set, judged, options),
               .resume = run.resume}) {}

  void run() {
    start();
    for (; state_.member < options_.ensemble; next_member()) {
      if (members_.size() == state_.member) start_member();
      train_member(members_.back());
      members_.back().end_training();
    }
  }

  [[nodiscard]] std::deque<MemberTrainer>& members() noexcept { return members_; }
  [[nodiscard]] const LearnedPlan& plan() const noexcept { return plan_; }
  [[nodiscard]] const TrainingState& state() const noexcept { return state_; }
  [[nodiscard]] std::size_t resumed_epochs() const noexcept { return resumed_epochs_; }
  void remove_checkpoint() { file_.remove(); }

 private:
  void start_member() {
    try {
      add_member({});
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kInterrupted || members_.empty()) throw;
      save();
      fail(ErrorCode::kInterrupted,
           "stopped after {} of {} members; wrote {}, from which the same command goes on with "
           "--resume",
           members_.size(), options_.ensemble, file_.path());
    }
    state_.epochs.emplace_back();
  }

  void add_member(std::optional<std::span<const std::uint32_t>> taken_over) {
    MemberStart start;
    // Far apart, so that seeds that follow each other do not share members.
    start.seed = context_.seed() + 0x10001 * members_.size();
    start.stop = run_.stop;
    start.taken_over = taken_over;
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
      report(trainer, loss);
      if (in_epoch + 1 == trainer.steps_per_epoch() && end_epoch(trainer)) break;
      if (run_.stop != nullptr && run_.stop->load()) interrupt(trainer);
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
    if (options_.patience > 0 && judged_.rows() > 0) {
      epoch.quality = mean_gain(context_, judged_by(model::DenseMember(trainer.view()), judged_));
      if (*epoch.quality > state_.best_quality) {
        state_.best_quality = *epoch.quality;
        state_.epochs_since_best = 0;
        copy_.assign(trainer.arrays());
      } else {
        is_over = ++state_.epochs_since_best >= options_.patience;
      }
    }
    const bool is_last = state_.step == trainer.total_steps() || is_over;
    if (is_over) state_.step = trainer.total_steps();
    // A training on its way out is nothing to go on from: the checkpoint before it stays.
    constexpr double kTimesFirst = 2;
    const bool is_due =
        run_.checkpoint_every > 0 && (is_last || epochs.size() % run_.checkpoint_every == 0);
    if (is_due && !is_worse(epoch.loss, kTimesFirst)) save_member(trainer);
    return is_over;
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
    fail_diverged(fmt::format("{} was no longer all numbers after step {} (epoch {} of {})", bad,
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
    fail(ErrorCode::kDiverged, "{}; a smaller learning rate helps{}", what,
         file_.has_checkpoint()
             ? fmt::format("; {} is of before, from which --resume goes on with it", file_.path())
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
    save_member(trainer);
    fail(ErrorCode::kInterrupted,
         "stopped after {} of {} epochs; wrote {}, from which the same command goes on with "
         "--resume",
         state_.step / trainer.steps_per_epoch(), options_.epochs, file_.path());
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
  static std::string codes_name(std::size_t member) { return name_of(member, "head.codes"); }

  void save_member(MemberTrainer& trainer) {
    check_numbers(trainer, trainer.arrays());
    save();
  }

  void save() {
    state_.copy_count = copy_.count();
    context_.report({"writing a checkpoint", 0, 0, "bytes"});
    CheckpointArrays all;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      for (NamedArray& array : arrays_of(m)) all.numbers.push_back(std::move(array));
      const std::span<const std::uint32_t> codes = members_[m].codes();
      if (!codes.empty()) all.codes.push_back({codes_name(m), codes});
    }
    file_.save_checkpoint(state_, all);
  }

  void start() {
    const std::optional<TrainingState>& found = file_.state();
    if (run_.resume && !found) {
      context_.warn(fmt::format("{} does not exist or is empty; training starts from the beginning",
                                file_.path()));
    }
    LearnedOptions options = options_;
    if (found && parse_head_kind(options.head) == HeadKind::kCascade) {
      options.lengths = found->lengths;
      options.inner_dim = found->inner_dim;
    }
    plan_ = plan_learned(set_, options, run_.ram_bytes, &judged_);
    if (found) resume(*found);
    state_.lengths = plan_.head.lengths;
    state_.inner_dim = plan_.head.inner_width();
  }

  // One member after the other: only one at a time has room for what training needs.
  void resume(const TrainingState& found) {
    state_ = found;
    if (state_.member >= options_.ensemble) {
      fail(ErrorCode::kInvalidData, "{}: the checkpoint is damaged: it is of member {} of {}",
           file_.path(), state_.member + 1, options_.ensemble);
    }
    while (members_.size() < state_.epochs.size()) take_over();
    for (const auto& epochs : state_.epochs) resumed_epochs_ += epochs.size();
  }

  void take_over() {
    const std::size_t member = members_.size();
    std::span<const std::uint32_t> codes;
    if (plan_.head.has_code(heads::ProductCode::kTable)) {
      codes = file_.codes(codes_name(member), plan_.head.num_labels * plan_.head.lengths.size());
    }
    add_member(codes);
    const bool is_done = member < state_.member;
    if (!is_done) copy_.set_count(state_.copy_count);
    file_.load(arrays_of(member));
    if (is_done) members_.back().end_training();
  }

  const Context& context_;
  const TrainingSet& set_;
  const Examples& examples_;
  const Examples& judged_;
  const LearnedOptions& options_;
  const LearnedRun& run_;
  LearnedPlan plan_;
  ResumeFile file_;
  std::deque<MemberTrainer> members_;  // they do not move
  WeightCopy copy_;                    // of the one at work
  TrainingState state_;
  std::size_t resumed_epochs_ = 0;
  double shown_loss_ = 0;
};

// Members to search in.
struct DenseMembers {
  explicit DenseMembers(std::span<const model::DenseParts> parts) {
    for (const model::DenseParts& each : parts) {
      members.push_back(std::make_unique<model::DenseMember>(each));
      pointers.push_back(members.back().get());
    }
  }
  [[nodiscard]] model::MemberSpan span() const noexcept { return pointers; }

  std::vector<std::unique_ptr<model::DenseMember>> members;
  std::vector<const model::Member*> pointers;
};

// What rows that were not trained on say: the members' powers of the path, what scores are worth,
// how good the model is.
metrics::Calibration judge(const Context& context, const LearnedOptions& options,
                           const Examples& judged, std::span<model::DenseParts> parts,
                           LearnedReport& report) {
  report.judged_rows = judged.rows();
  if (judged.rows() == 0) return {};
  if (options.parent_power == 0) {
    for (model::DenseParts& member : parts) {
      auto* cascade = member.head.as<heads::CascadeSpec>();
      if (cascade != nullptr) cascade->parent_power = choose_parent_power(context, member, judged);
    }
  }
  const DenseMembers members(parts);
  const RankedRows ranked = rank_rows(context, judged_by(members.span(), judged));
  report.precision = precision_of(ranked);
  return metrics::fit_calibration(ranked.items);
}

void fill_history(const Context& context, const TrainingSet& set, const Examples& judged,
                  const DenseMembers& members, std::span<const std::vector<EpochReport>> epochs,
                  TrainingHistory& history) {
  context.report({"measuring", 0, 0, "rows"});
  history.data = summarize_data(set.examples, set.names.size());
  for (Chart& chart : epoch_charts(epochs)) history.charts.push_back(std::move(chart));
  if (judged.rows() == 0) return;
  measure_ranking(context, judged_by(members.span(), judged), set, history);
  history.heads = judge_heads(context, *members.members.front(), judged);
}

TrainingSet read_set(const Context& context, const data::ReadOptions& input,
                     const LearnedOptions& options, const LearnedRun& run) {
  return read_any_training_set(
      context, input, {.text = options.text, .rule = run.text_rule, .ram_bytes = run.ram_bytes});
}

ReadJudged reader_of_judges(const Context& context, const LearnedRun& run) {
  if (!run.valid) return {};
  return [&](const TrainingSet& set) { return read_more(context, *run.valid, set); };
}

// What is decided before the first step.
struct Prepared {
  LearnedOptions options;  // all rules applied
  Examples judged;
};

// Takes rare labels and the rows to judge by out of the set.
Prepared prepare(const Context& context, TrainingSet& set, const LearnedOptions& given,
                 const ReadJudged& read_judged, LearnedReport& report) {
  report.rows = set.examples.rows();
  report.trimmed_labels = trim_labels(set, given.min_label_count);
  Prepared prepared;
  prepared.options = with_rules(given, report.rows, set.names.size());
  const LearnedOptions& options = prepared.options;
  prepared.judged =
      read_judged
          ? read_judged(set)
          : hold_out(set.examples, held_out_rows(options.held_out, report.rows), context.seed());
  require(options.patience == 0 || prepared.judged.rows() > 0,
          "patience {} has no rows to judge epochs by: none are held out", options.patience);
  return prepared;
}

}  // namespace

LearnedReport plan_learned_training(const Context& context, const data::ReadOptions& input,
                                    const LearnedOptions& options, const LearnedRun& run) {
  validate(options);
  TrainingSet set = read_set(context, input, options, run);
  LearnedReport report;
  const auto [decided, judged] =
      prepare(context, set, options, reader_of_judges(context, run), report);
  report.plan = plan_learned(set, decided, run.ram_bytes, &judged);
  return report;
}

LearnedReport train_learned(const Context& context, const data::ReadOptions& input,
                            const LearnedOptions& options, const LearnedRun& run) {
  validate(options);
  check_output(run.out);
  check_not_input(run.out, input);
  if (run.valid) check_not_input(run.out, *run.valid);
  return train_learned_on_set(context, read_set(context, input, options, run), options, run,
                              reader_of_judges(context, run));
}

LearnedReport train_learned_on_set(const Context& context, TrainingSet set,
                                   const LearnedOptions& given, const LearnedRun& run,
                                   const ReadJudged& read_judged) {
  validate(given);
  check_output(run.out);
  LearnedReport report;
  const auto [options, judged] = prepare(context, set, given, read_judged, report);
  Training training(context, set, judged, options, run);
  training.run();
  report.plan = training.plan();
  report.epochs = training.state().epochs;
  report.resumed_epochs = training.resumed_epochs();
  std::vector<model::DenseParts> parts;
  for (MemberTrainer& trainer : training.members()) {
    parts.push_back(trainer.view());
    heads::HeadSpec& head = parts.back().head;
    auto* cascade = head.as<heads::CascadeSpec>();
    if (cascade != nullptr && options.beam > 0) {
      cascade->candidates = std::min<std::size_t>(options.beam, head.lengths.front());
    }
  }
  context.report({"calibrating", 0, 0, "rows"});
  metrics::Calibration calibration = judge(context, options, judged, parts, report);
  const auto* cascade = parts[0].head.as<heads::CascadeSpec>();
  report.parent_power = cascade == nullptr ? 1 : cascade->parent_power;
  const DenseMembers members(parts);
  if (run.history != nullptr) {
    fill_history(context, set, judged, members, report.epochs, *run.history);
    run.history->settings_json = to_json(options);
  }
  context.report({"writing the model", 0, 0, "bytes"});
  const std::vector<std::uint32_t> counts = count_labels(set.examples.labels, set.names.size());
  model::write_model(run.out, {.names = set.names,
                               .num_features = report.plan.encoder.num_inputs,
                               .vectorizer = set.vectorizer ? &*set.vectorizer : nullptr,
                               .calibration = std::move(calibration),
                               .training_rows = set.examples.rows(),
                               .label_counts = counts,
                               .options_json = to_json(options),
                               .members = members.span()});
  training.remove_checkpoint();
  return report;
}

}  // namespace mhe::train
