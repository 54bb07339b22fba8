// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/gradient_rules.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include <mhe/plan.h>

#include "base/check.h"
#include "encoders/registry.h"
#include "heads/head_spec.h"
#include "labels/head_lengths.h"
#include "train/options.h"

namespace mhe::train {
namespace {

void require_one_of(const char* what, const std::string& value,
                    std::initializer_list<std::string_view> names) {
  require(std::find(names.begin(), names.end(), value) != names.end(),
          "{} \"{}\"; expected one of {}", what, value, fmt::join(names, ", "));
}

template <class T>
void require_within(const char* what, T value, T low, T high) {
  require(value >= low && value <= high, "{} {}; expected {} to {}", what, value, low, high);
}

void require_positive(const char* what, float value) {
  require(value > 0 && std::isfinite(value), "{} {}; expected more than 0", what, value);
}

void check_codes(const TrainOptions& options, HeadKind kind) {
  const bool redundant = options.redundant_heads > 0;
  require(options.order != "product" || kind == HeadKind::kProduct,
          "the order \"product\" belongs to product heads");
  require(options.order != "trained" || kind == HeadKind::kCascade || kind == HeadKind::kSampling,
          "the order \"trained\" belongs to cascades and sampling heads; product heads have the "
          "order \"product\" with code epochs");
  require(options.order_epochs == 0 || options.order == "trained",
          "order epochs are for the order \"trained\"");
  require_within<std::size_t>("order epochs", options.order_epochs, 0, 1'000'000);
  require(!redundant || (options.heads == 0 && options.lengths.empty()),
          "redundant heads have lengths of their own; leave out heads and lengths");
  require(!redundant || options.order == "auto" || options.order == "product" ||
              options.order == "random",
          "redundant heads take the order product or random, not {}", options.order);
  require_within<std::size_t>("redundant heads", options.redundant_heads, 0, LabelSpace::kMaxHeads);
  require(options.code_epochs == 0 || options.order == "product" ||
              (redundant && options.order != "random"),
          "code epochs are for the order \"product\" and for redundant heads");
}

void check_powerset(const TrainOptions& options) {
  if (!options.powerset) return;
  require(options.redundant_heads == 0, "a powerset has no redundant heads");
  require(options.order == "auto" || options.order == "identity",
          "labels of a powerset are bits; an order \"{}\" does not apply", options.order);
}

void check_head(const TrainOptions& options) {
  const bool is_open = options.head == "auto";
  const HeadKind kind = is_open ? HeadKind::kCascade : parse_head_kind(options.head);
  require(options.lengths.empty() || options.heads == 0 ||
              options.heads == options.lengths.size() || kind == HeadKind::kSampling,
          "{} heads and {} lengths", options.heads, options.lengths.size());
  require_within<std::size_t>("rank", options.rank, 1, heads::kMaxRank);
  require(options.candidates == -1 ||
              (options.candidates >= 1 && options.candidates <= heads::kMaxParents),
          "candidates {}; expected 1 to {}, or -1", options.candidates, heads::kMaxParents);
  require_one_of("loss", options.loss, {"auto", "softmax", "sigmoid"});
  require_one_of("init", options.init, {"auto", "random", "biases", "centroids"});
  require(options.init != "centroids" || options.rank == 1,
          "groups of heads that all begin at the same centroids stay the same: rank {} needs the "
          "init random or biases",
          options.rank);
  check_codes(options, kind);
  check_powerset(options);
}

// What was measured: docs/decisions/0009-learned-encoders.md.
const char* start_from_rows(const TrainOptions& options, heads::Loss loss) {
  switch (parse_head_kind(options.head)) {
    case HeadKind::kCascade:
      return "centroids";
    case HeadKind::kOneHot:
    case HeadKind::kSampling:
      return "biases";
    case HeadKind::kProduct:
      if (options.powerset) return "biases";
      return loss == heads::Loss::kSoftmax && options.rank == 1 ? "centroids" : "random";
  }
  return "random";
}

// Whether most of very many labels occur in no row: their places do not matter, and an order of
// them takes 20 bytes each, many times what product heads do.
bool are_mostly_unseen(std::size_t num_labels, std::size_t num_rows) {
  constexpr std::size_t kVeryMany = 1'000'000;  // of fewer an order takes 20 MB at most
  constexpr std::size_t kLabelsPerRow = 10;     // that occur for the first time: a generous guess
  return num_labels > kVeryMany && num_labels / kLabelsPerRow > num_rows;
}

// By what users call them.
constexpr std::pair<std::string_view, TableRule> kTableRules[] = {
    {"adagrad", TableRule::kAdagrad},   {"adam", TableRule::kAdam},
    {"sgd", TableRule::kSgd},           {"momentum", TableRule::kMomentum},
    {"nesterov", TableRule::kNesterov}, {"adamw", TableRule::kAdamW}};
constexpr std::pair<std::string_view, LayerRule> kLayerRules[] = {
    {"adamw", LayerRule::kAdamW}, {"sgd", LayerRule::kSgd}, {"nesterov", LayerRule::kNesterov}};

template <class Rule, std::size_t Count>
Rule rule_named(const char* what, const std::pair<std::string_view, Rule> (&rules)[Count],
                std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& [own_name, rule] : rules) {
    if (own_name == name) return rule;
    names.push_back(own_name);
  }
  fail(ErrorCode::kInvalidArgument, "{} \"{}\"; expected one of {}", what, name,
       fmt::join(names, ", "));
}

bool has_momentum(const TrainOptions& options, bool has_layers) {
  return options.table_rule == "momentum" || options.table_rule == "nesterov" ||
         (has_layers && (options.layer_rule == "sgd" || options.layer_rule == "nesterov"));
}

// Options that would change nothing beside the others.
void refuse_idle(const TrainOptions& options) {
  const auto asked = asked_for(options);
  const bool has_features_only = options.encoder == "dense" && options.hidden_layers == 0;
  const bool has_layers = !has_features_only || options.inner_dim > 0;
  require(!asked.contains("momentum") || has_momentum(options, has_layers),
          "momentum does nothing here: it belongs to the table rules momentum and nesterov, and to "
          "the layer rules sgd and nesterov of layers");
  if (!has_features_only) return;
  for (const char* name : {"dim", "activation"}) {
    require(!asked.contains(name),
            "{} does nothing with hidden layers 0, where the features are the inputs", name);
  }
  for (const char* name : {"layer_rule", "layer_rate"}) {
    require(has_layers || !asked.contains(name),
            "{} does nothing: with hidden layers 0 and without an inner dim there is no layer",
            name);
  }
}

}  // namespace

TableOptimizer table_optimizer(const TrainOptions& options) {
  return {.rule = rule_named("table rule", kTableRules, options.table_rule),
          .weight_decay = options.weight_decay,
          .momentum = options.momentum};
}

LayerOptimizer layer_optimizer(const TrainOptions& options) {
  return {.rule = rule_named("layer rule", kLayerRules, options.layer_rule),
          .weight_decay = options.weight_decay,
          .momentum = options.momentum};
}

void validate_gradient(const TrainOptions& options) {
  check_head(options);
  refuse_idle(options);
  encoders::validate(network_of(options));
  (void)Schedule::parse(options.schedule);
  if (options.table_rule != "auto") (void)table_optimizer(options);
  (void)layer_optimizer(options);
  require(options.dropout == -1 || (options.dropout >= 0 && options.dropout < 1),
          "dropout {}; expected 0 to less than 1, or -1 for the rule", options.dropout);
  require_within<std::size_t>("epochs", options.epochs, 0, 1'000'000);
  require_within<std::size_t>("batch", options.batch, 1, 65536);
  require(options.learning_rate >= 0 && std::isfinite(options.learning_rate),
          "learning rate {}; expected more than 0, or 0 for the rule", options.learning_rate);
  require_positive("layer rate", options.layer_rate);
  require(options.momentum >= 0 && options.momentum < 1, "momentum {}; expected 0 to less than 1",
          options.momentum);
  require(options.weight_decay >= 0 && std::isfinite(options.weight_decay),
          "weight decay {}; expected 0 or more", options.weight_decay);
  require(options.warmup == -1 || (options.warmup >= 0 && options.warmup <= 1),
          "warmup {}; expected 0 to 1, or -1 for the rule", options.warmup);
  require_within("swa", options.swa, 0.0, 1.0);
  require(options.swa == 0 || options.patience == 0,
          "averaging the last epochs and stopping at the best one exclude each other");
}

std::size_t most_labels(const Ragged<LabelId>& labels) noexcept {
  std::size_t most = 0;
  for (std::size_t row = 0; row < labels.rows(); ++row) most = std::max(most, labels[row].size());
  return most;
}

heads::Loss choose_loss(const TrainOptions& options, std::size_t labels_per_row) {
  if (options.loss == "softmax") return heads::Loss::kSoftmax;
  if (options.loss == "sigmoid") return heads::Loss::kSigmoid;
  if (options.powerset) return heads::Loss::kSoftmax;  // a set is one digit of each head
  // Sums of products are no product of sigmoids.
  if (options.rank > 1) return heads::Loss::kSoftmax;
  return labels_per_row > 1 ? heads::Loss::kSigmoid : heads::Loss::kSoftmax;
}

TrainOptions resolve_gradient(TrainOptions options, std::size_t num_rows, std::size_t num_labels,
                              std::size_t labels_per_row) {
  if (options.head == "auto") {
    const bool has_levels = !options.lengths.empty() || labels::max_heads(num_labels) > 1;
    options.head = head_kind_name(has_levels ? HeadKind::kCascade : HeadKind::kOneHot);
  }
  if (options.epochs == 0) {
    constexpr std::size_t kSteps = 1000;
    const std::size_t steps_per_epoch = (num_rows + options.batch - 1) / options.batch;
    options.epochs =
        std::clamp<std::size_t>(kSteps / std::max<std::size_t>(1, steps_per_epoch), 10, 60);
  }
  const encoders::DefaultRules& rules = encoders::encoder_named(options.encoder).rules;
  if (options.table_rule == "auto") options.table_rule = rules.table_rule;
  if (options.learning_rate == 0) {  // "adam" and "adamw", or the others
    options.learning_rate = options.table_rule.starts_with("adam") ? 0.0005F : 0.1F;
  }
  // A row's first steps of adagrad are as long as all those before are few.
  if (options.warmup < 0) options.warmup = options.table_rule == "adagrad" ? 0.1 : 0.0;
  if (options.init == "auto") {
    options.init = rules.fits_head_to_rows
                       ? start_from_rows(options, choose_loss(options, labels_per_row))
                       : "random";
  }
  if (options.dropout < 0) options.dropout = rules.dropout;
  if (options.order == "trained" && options.order_epochs == 0) options.order_epochs = 3;
  if (options.order == "auto" && options.redundant_heads == 0) {
    switch (parse_head_kind(options.head)) {
      case HeadKind::kOneHot:
        options.order = "identity";
        break;
      case HeadKind::kCascade:
        options.order = rules.cascade_order;
        break;
      case HeadKind::kProduct:
        options.order =
            options.powerset || are_mostly_unseen(num_labels, num_rows) ? "identity" : "random";
        break;
      case HeadKind::kSampling:
        options.order = "random";
        break;
    }
  }
  return options;
}

Schedule make_schedule(const TrainOptions& options, std::uint64_t steps) {
  return {Schedule::parse(options.schedule), steps,
          static_cast<std::uint64_t>(options.warmup * static_cast<double>(steps))};
}

encoders::EncoderOptions network_of(const TrainOptions& options) {
  return {.dim = options.dim,
          .hidden_layers = options.hidden_layers,
          .activation = options.activation,
          .normalize = options.normalize};
}

}  // namespace mhe::train
