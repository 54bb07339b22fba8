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

#include "train/gradient_rules.h"
#include "train/linear_rules.h"
#include "train/member_fitter.h"
#include "train/member_options.h"
#include "train/options.h"
#include "train/quick_trials.h"

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
  std::function<void(TrainOptions&)> change = {};
  std::function<void(TextOptions&)> change_text = {};
};

TextRule after(TextRule rule, std::function<void(TextOptions&)> change) {
  return [rule = std::move(rule), change = std::move(change)](const TextSample& sample,
                                                              TextOptions& text) {
    rule(sample, text);
    change(text);
  };
}

std::vector<Move> text_moves(const TextOptions& text) {
  std::vector<Move> moves;
  const std::uint32_t ngrams = text.word_ngrams == 1 ? 2 : 1;
  moves.push_back({"word_ngrams",
                   fmt::format("word n-grams to {}", ngrams),
                   {},
                   [ngrams](TextOptions& options) { options.word_ngrams = ngrams; }});
  if (text.fields.empty() || !text.fields[0].own) return moves;
  for (const double factor : {2.0, 0.5}) {
    const double weight = text.fields[0].weight * factor;
    moves.push_back({"own",
                     fmt::format("weight {:.2g} of {}'s own features", weight, text.fields[0].name),
                     {},
                     [weight](TextOptions& options) { options.fields[0].weight = weight; }});
  }
  return moves;
}

std::vector<Move> linear_moves(const TrainOptions& resolved, const TrainOptions& options,
                               std::size_t num_labels) {
  std::vector<Move> moves;
  if (resolved.head != "cascade") return moves;
  for (const std::int32_t candidates : {0, 2 * resolved.candidates}) {
    moves.push_back({"candidates", fmt::format("{} candidates", candidates),
                     [candidates](TrainOptions& o) { o.candidates = candidates; }});
  }
  if (!options.lengths.empty()) return moves;
  const std::size_t present = leaf_of(resolved, num_labels);
  for (const std::size_t leaf : {present * 5 / 2, present / 2}) {
    moves.push_back(
        {"leaf", fmt::format("leaf {}", leaf), [leaf](TrainOptions& o) { o.leaf = leaf; }});
  }
  return moves;
}

std::vector<Move> gradient_moves(const TrainOptions& resolved) {
  std::vector<Move> moves;
  for (const float factor : {2.0F, 0.5F}) {
    const float rate = resolved.learning_rate * factor;
    moves.push_back({"learning_rate", fmt::format("learning rate {:.2g}", rate),
                     [rate](TrainOptions& o) { o.learning_rate = rate; }});
  }
  for (const std::size_t epochs : {resolved.epochs * 3 / 2, (resolved.epochs + 1) / 2}) {
    moves.push_back({"epochs", fmt::format("{} epochs", epochs),
                     [epochs](TrainOptions& o) { o.epochs = epochs; }});
  }
  const float dropout = resolved.dropout > 0.1F ? resolved.dropout - 0.2F : resolved.dropout + 0.2F;
  moves.push_back({"dropout", fmt::format("dropout {:.2g}", dropout),
                   [dropout](TrainOptions& o) { o.dropout = dropout; }});
  return moves;
}

// A search: the best settings so far, the data as they make it, and the clock.
class Search {
 public:
  Search(const Context& context, const TrainOptions& options, const TextRule& text_rule,
         const ReadTrialRows& read, double seconds)
      : context_(context),
        encoder_(encoders_of(options.encoder).front()),
        read_(read),
        allowed_seconds_(seconds),
        tuned_{options, text_rule, {}} {
    read_rows(text_rule);
    best_ = *attempt("as given", tuned_.options);
    tuned_.trials.back().kept = true;
  }

  Tuned run() && {
    const bool is_linear = encoder_ == "linear";
    if (is_linear && !is_fixed("loss_weight")) try_loss_weights();
    if (rows_.set.vectorizer) {
      for (const Move& move : text_moves(rows_.set.vectorizer->options())) try_text(move);
      if (features_are_rejected_) read_rows(tuned_.text_rule);
    }
    const TrainOptions resolved = resolve(tuned_.options);
    for (const Move& move : is_linear ? linear_moves(resolved, tuned_.options, num_labels())
                                      : gradient_moves(resolved)) {
      try_setting(move);
    }
    return std::move(tuned_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool is_fixed(const std::string& option) const {
    return tuned_.options.given.contains(option);
  }
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }
  [[nodiscard]] std::size_t num_labels() const { return rows_.set.names.size(); }

  [[nodiscard]] TrainOptions resolve(const TrainOptions& options) const {
    return encoder_ == "linear" ? resolve_linear(options, rows_.set.examples.features, num_labels())
                                : resolve_gradient(options, rows_.rows_with_held_out, num_labels(),
                                                   most_labels(rows_.set.examples.labels));
  }

  void read_rows(const TextRule& rule) {
    rows_ = {};
    rows_ = read_(rule);
    tuned_.options.feature_weights = rows_.feature_weights;
  }

  // The gains of these options, or nothing if there is no time left for a trial.
  std::optional<Gains> attempt(const std::string& setting, const TrainOptions& options) {
    const double begin = seconds();
    if (!tuned_.trials.empty() && begin + longest_ > allowed_seconds_) return std::nullopt;
    context_.report({fmt::format("trying {}", setting), tuned_.trials.size(), 0, "trials"});
    const auto fitter = MemberFitter::make(resolve(options));
    const FitData data = {context_, rows_.set, rows_.validation, rows_.rows_with_held_out};
    if (context_.ram_bytes() > 0) (void)fitter->plan(data, context_.ram_bytes());
    Gains gains = fitter->try_out(data);
    const double took = seconds() - begin;
    longest_ = std::max(longest_, took);
    tuned_.trials.push_back({setting, mean_gain(gains), took, false});
    return gains;
  }

  void try_loss_weights() {
    TrainOptions options = tuned_.options;
    const float init = resolve(options).loss_weight;
    const auto improves = [&](float weight) {
      options.loss_weight = weight;
      return keep_if_better(attempt(fmt::format("loss weight {:.2g}", weight), options));
    };
    float weight = climb(init, 0.5F, improves);
    if (weight == init) weight = climb(init, 2, improves);
    tuned_.options.loss_weight = weight;
  }

  void try_setting(const Move& move) {
    if (is_fixed(move.option)) return;
    TrainOptions options = tuned_.options;
    move.change(options);
    if (keep_if_better(attempt(move.setting, options))) tuned_.options = options;
  }

  void try_text(const Move& move) {
    if (is_fixed(move.option)) return;
    if (seconds() + 2 * longest_ > allowed_seconds_) return;
    const TextRule rule = after(tuned_.text_rule, move.change_text);
    const double begin = seconds();
    read_rows(rule);
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
  std::string encoder_;
  const ReadTrialRows& read_;
  double allowed_seconds_;
  const Clock::time_point start_ = Clock::now();
  Tuned tuned_;
  Gains best_;
  double longest_ = 0;  // seconds of a trial
  TrialRows rows_;
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

float choose_loss_weight(const Context& context, const Examples& examples,
                         const OrderedLabels& labels, const TrainOptions& options) {
  // Downwards only: the fewer the rows, the larger the weight that suits them, so a sample would
  // say more than is good for all.
  constexpr float kStep = 1 / 3.0F;
  QuickTrials trials(context, examples, labels, "choosing the loss weight");
  if (!trials.are_enough()) return options.loss_weight;
  const auto gains_with = [&](float weight) {
    TrainOptions trial = options;
    trial.loss_weight = weight;
    return trials.gains_with(trial);
  };
  Gains best = gains_with(options.loss_weight);
  return climb(options.loss_weight, kStep, [&](float weight) {
    const Gains gains = gains_with(weight);
    if (!is_better(gains, best)) return false;
    best = gains;
    return true;
  });
}

TrainOptions resolve_with_trials(const Context& context, const TrainOptions& given,
                                 const Examples& examples, const OrderedLabels& labels) {
  TrainOptions options = resolve_linear(given, examples.features, labels.count);
  if (given.loss_weight == 0 && should_choose_loss_weight(examples.features)) {
    options.loss_weight = choose_loss_weight(context, examples, labels, options);
  }
  return options;
}

Tuned tune(const Context& context, const TrainOptions& options, const TextRule& text_rule,
           const ReadTrialRows& read, double seconds) {
  return Search(context, options, text_rule, read, seconds).run();
}

}  // namespace mhe::train
