// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/tune.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "data/byte_source.h"
#include "train/held_out.h"
#include "train/members.h"
#include "train/memory_plan.h"
#include "train/quick_trials.h"
#include "train/weigh_features.h"

namespace mhe::train {
namespace {

// Multiplies the loss weight by `step` as long as `improves` says of the next that it does.
template <class Improves>
float climb(float weight, float step, const Improves& improves) {
  while (improves(weight * step)) weight *= step;
  return weight;
}

// A setting that a trial may change: of the training, or of the text, so that features are made
// anew.
struct Move {
  std::string option;
  std::string setting;
  std::function<void(LinearOptions&)> change = {};
  std::function<void(text::VectorizerOptions&)> change_text = {};
};

TextRule after(TextRule rule, std::function<void(text::VectorizerOptions&)> change) {
  return [rule = std::move(rule), change = std::move(change)](const TextSample& sample,
                                                              text::VectorizerOptions& text) {
    rule(sample, text);
    change(text);
  };
}

std::vector<Move> text_moves(const text::VectorizerOptions& text) {
  std::vector<Move> moves;
  const std::uint32_t ngrams = text.word_ngrams == 1 ? 2 : 1;
  moves.push_back({"word_ngrams",
                   fmt::format("word n-grams to {}", ngrams),
                   {},
                   [ngrams](text::VectorizerOptions& options) { options.word_ngrams = ngrams; }});
  if (text.fields.empty() || !text.fields[0].own) return moves;
  for (const double factor : {2.0, 0.5}) {
    const double weight = text.fields[0].weight * factor;
    moves.push_back(
        {"own",
         fmt::format("weight {:.2g} of {}'s own features", weight, text.fields[0].name),
         {},
         [weight](text::VectorizerOptions& options) { options.fields[0].weight = weight; }});
  }
  return moves;
}

std::vector<Move> head_moves(const LinearOptions& options, std::size_t num_labels) {
  std::vector<Move> moves;
  if (options.head != "cascade") return moves;
  const auto present_candidates = static_cast<std::int32_t>(options.cascade.candidates);
  for (const std::int32_t candidates : {0, 2 * present_candidates}) {
    moves.push_back({"candidates", fmt::format("{} candidates", candidates),
                     [candidates](LinearOptions& o) { o.candidates = candidates; }});
  }
  if (!options.lengths.empty()) return moves;
  const std::size_t present = leaf_of(options, num_labels);
  for (const std::size_t leaf : {present * 5 / 2, present / 2}) {
    moves.push_back(
        {"leaf", fmt::format("leaf {}", leaf), [leaf](LinearOptions& o) { o.leaf = leaf; }});
  }
  return moves;
}

// A search: the best settings so far, the data as they make it, and the clock.
class Search {
 public:
  Search(const Context& context, const data::ReadOptions& input, const LinearOptions& options,
         const TextRule& text_rule, const TuneOptions& how)
      : context_(context), input_(input), how_(how), tuned_{options, text_rule, {}} {
    read(text_rule);
    best_ = *attempt("as given", tuned_.options);
    tuned_.trials.back().kept = true;
  }

  Tuned run() && {
    if (!is_fixed("loss_weight")) try_loss_weights();
    if (vectorizer_) {
      for (const Move& move : text_moves(vectorizer_->options())) try_text(move);
      if (features_are_rejected_) read(tuned_.text_rule);
    }
    const LinearOptions complete = completed(tuned_.options, training_.features, num_labels_);
    for (const Move& move : head_moves(complete, num_labels_)) try_head(move);
    return std::move(tuned_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool is_fixed(const std::string& option) const {
    return how_.fixed.count(option) > 0;
  }
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

  void read(const TextRule& rule) {
    TrainingSet set = read_training_set(context_, input_,
                                        {.text = tuned_.options.text,
                                         .rule = rule,
                                         .ram_bytes = how_.ram_bytes,
                                         .label_text = tuned_.options.label_text});
    (void)trim_labels(set, tuned_.options.min_label_count);
    tuned_.options.feature_weights = weigh_features(context_, set, tuned_.options);
    if (how_.ram_bytes > 0) {
      const LinearOptions complete =
          completed(tuned_.options, set.examples.features, set.names.size());
      solvers_ = plan_linear(context_, set, complete, how_.ram_bytes).solvers;
    }
    num_labels_ = set.names.size();
    const auto share =
        static_cast<std::size_t>(kShareOfJudges * static_cast<double>(set.examples.rows()));
    judges_ = how_.valid ? read_more(context_, *how_.valid, set)
                         : hold_out(set.examples, std::min(kMostJudges, share), context_.seed());
    learn_from_names(set);
    training_ = std::move(set.examples);
    vectorizer_ = std::move(set.vectorizer);
  }

  // The gains of these options, or nothing if there is no time left for a trial.
  std::optional<Gains> attempt(const std::string& setting, const LinearOptions& options) {
    const double begin = seconds();
    if (!tuned_.trials.empty() && begin + longest_ > how_.seconds) return std::nullopt;
    context_.report({fmt::format("trying {}", setting), tuned_.trials.size(), 0, "trials"});
    LinearOptions complete = completed(options, training_.features, num_labels_);
    complete.cascade.solvers = solvers_;
    Gains gains = try_options(context_, training_, judges_, num_labels_, complete);
    const double took = seconds() - begin;
    longest_ = std::max(longest_, took);
    tuned_.trials.push_back({setting, mean_gain(gains), took, false});
    return gains;
  }

  void try_loss_weights() {
    LinearOptions options = tuned_.options;
    const float start =
        completed(options, training_.features, num_labels_).cascade.solver.loss_weight;
    const auto improves = [&](float weight) {
      options.loss_weight = weight;
      return keep_if_better(attempt(fmt::format("loss weight {:.2g}", weight), options));
    };
    float weight = climb(start, 0.5F, improves);
    if (weight == start) weight = climb(start, 2, improves);
    tuned_.options.loss_weight = weight;
  }

  void try_head(const Move& move) {
    if (is_fixed(move.option)) return;
    LinearOptions options = tuned_.options;
    move.change(options);
    if (keep_if_better(attempt(move.setting, options))) tuned_.options = options;
  }

  void try_text(const Move& move) {
    if (is_fixed(move.option)) return;
    if (seconds() + 2 * longest_ > how_.seconds) return;
    const TextRule rule = after(tuned_.text_rule, move.change_text);
    const double begin = seconds();
    read(rule);
    const bool better = keep_if_better(attempt(move.setting, tuned_.options));
    longest_ = std::max(longest_, seconds() - begin);
    if (better) tuned_.text_rule = rule;
    features_are_rejected_ = !better;
  }

  bool keep_if_better(const std::optional<Gains>& gains) {
    if (!gains || !is_better(*gains, best_)) return false;
    best_ = *gains;
    tuned_.trials.back().kept = true;
    return true;
  }

  const Context& context_;
  const data::ReadOptions& input_;
  const TuneOptions& how_;
  const Clock::time_point start_ = Clock::now();
  Tuned tuned_;
  Gains best_;
  double longest_ = 0;  // seconds of a trial
  std::size_t solvers_ = 0;
  std::size_t num_labels_ = 0;
  Examples training_;
  Examples judges_;
  std::optional<text::Vectorizer> vectorizer_;
  bool features_are_rejected_ = false;  // those at hand are of a text rule that was not kept
};

}  // namespace

bool should_choose_loss_weight(const SparseMatrix& features) noexcept {
  constexpr std::size_t kLittle = 1'000'000;  // nonzeros
  return features.nonzeros() <= kLittle || features.num_columns < features.rows();
}

std::uint64_t loss_weight_search_bytes(const SparseMatrix& features) noexcept {
  return 8 * std::min(QuickTrials::kSample, features.nonzeros());
}

float choose_loss_weight(const Context& context, const Examples& examples, std::size_t num_labels,
                         const LinearOptions& options) {
  // Downwards only: the fewer the rows, the larger the weight that suits them, so a sample would
  // say more than is good for all.
  constexpr float kStep = 1 / 3.0F;
  QuickTrials trials(context, examples, num_labels, "choosing the loss weight");
  if (!trials.are_enough()) return options.cascade.solver.loss_weight;
  const auto gains_with = [&](float weight) {
    LinearOptions trial = options;
    trial.cascade.solver.loss_weight = weight;
    return trials.gains_with(trial);
  };
  Gains best = gains_with(options.cascade.solver.loss_weight);
  return climb(options.cascade.solver.loss_weight, kStep, [&](float weight) {
    const Gains gains = gains_with(weight);
    if (!is_better(gains, best)) return false;
    best = gains;
    return true;
  });
}

LinearOptions decided(const Context& context, const LinearOptions& given, const Examples& examples,
                      std::size_t num_labels) {
  LinearOptions options = completed(given, examples.features, num_labels);
  if (given.loss_weight == 0 && should_choose_loss_weight(examples.features)) {
    options.cascade.solver.loss_weight = choose_loss_weight(context, examples, num_labels, options);
  }
  options.loss_weight = options.cascade.solver.loss_weight;
  options.prune = options.cascade.solver.prune;
  return options;
}

Tuned tune(const Context& context, const data::ReadOptions& input, const LinearOptions& options,
           const TextRule& text_rule, const TuneOptions& how) {
  if (data::is_stream(input.path)) {
    fail(ErrorCode::kInvalidArgument,
         "tuning reads the data several times; expected a file, found {}",
         input.path == "-" ? "standard input" : "a pipe, " + input.path);
  }
  return Search(context, input, options, text_rule, how).run();
}

}  // namespace mhe::train
