// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/gradient_plan.h"

#include <algorithm>
#include <string>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <mhe/context.h>
#include <mhe/plan.h>

#include "base/check.h"
#include "base/memory.h"
#include "encoders/registry.h"
#include "heads/registry.h"
#include "train/label_codes.h"
#include "train/label_order.h"
#include "train/linear_plan.h"
#include "train/trained_order.h"

namespace mhe::train {
namespace {

// Of a path whose nodes are scored one by one. Its level sees the rivals of a label, so that the
// parent has little to add: docs/decisions/0009 has other values.
constexpr float kSigmoidParentPower = 0.3F;
// Bytes a label: what a head keeps of an order, positions and the labels at them, and the order
// itself, which is there until the head is made.
constexpr std::uint64_t kPlaceBytes = 8;
constexpr std::uint64_t kOrderBytes = 12;
constexpr std::uint64_t kCountBytes = 4;  // how often it occurs, for the file
// Code, stacks and tables that a process touches first when it trains, as measured.
constexpr std::uint64_t kLearningBytes = std::uint64_t{2} << 20U;
// The program before it reads anything, and what reading leaves in the allocator, as measured.
constexpr std::uint64_t kProgramBytes = std::uint64_t{11} << 20U;

encoders::EncoderSpec make_encoder_spec(const TrainingSet& set, const TrainOptions& options) {
  const Examples& examples = set.examples;
  const encoders::EncoderType& type = encoders::encoder_named(options.encoder);
  const InputKind input = examples.are_dense() ? InputKind::kDense : InputKind::kSparse;
  if (input != type.input) {
    const auto name_of = [](InputKind kind) {  // text was made into sparse vectors
      return kind == InputKind::kSparse ? "text or sparse vectors" : kind_name(kind);
    };
    fail(ErrorCode::kInvalidData, "the encoder {} takes {}; the data is {}", options.encoder,
         name_of(type.input), name_of(input));
  }
  return encoders::make_spec(
      type, network_of(options),
      examples.are_dense() ? examples.dense.num_columns : examples.features.num_columns);
}

PlanOptions head_options(const TrainingSet& set, const TrainOptions& options, std::size_t dim) {
  PlanOptions plan;
  if (options.powerset) {
    plan.num_binary_labels = set.names.size();
  } else {
    plan.num_labels = set.names.size();
  }
  plan.head = parse_head_kind(options.head);
  plan.num_heads = options.heads;
  plan.lengths = options.redundant_heads > 0
                     ? redundant_lengths(set.names.size(), options.redundant_heads)
                     : options.lengths;
  plan.dim = dim;
  if (options.inner_dim > 0) plan.inner_dim = options.inner_dim;
  if (options.candidates > 0) plan.candidates = static_cast<std::uint64_t>(options.candidates);
  plan.batch = options.batch;
  const TableRule rule = table_optimizer(options).rule;
  plan.state_vectors = !keeps_vectors(rule) ? 0 : rule == TableRule::kAdamW ? 2 : 1;
  return plan;
}

heads::HeadSpec make_head_spec(const Plan& plan, const TrainingSet& set,
                               const TrainOptions& options) {
  heads::HeadSpec spec;
  spec.num_labels = set.names.size();
  spec.lengths.assign(plan.space.lengths().begin(), plan.space.lengths().end());
  spec.dim = plan.dim;
  spec.loss = choose_loss(options, most_labels(set.examples.labels));
  spec.own = heads::head_type(plan.head).own;
  if (auto* product = spec.as<heads::ProductSpec>()) {
    product->rank = options.rank;
    const bool has_table = options.order == "product" || options.redundant_heads > 0;
    product->code = options.powerset ? heads::ProductCode::kPowerset
                    : has_table      ? heads::ProductCode::kTable
                                     : heads::ProductCode::kDigits;
  }
  if (auto* cascade = spec.as<heads::CascadeSpec>()) {
    cascade->inner_dim = plan.inner_dim;
    cascade->candidates = options.candidates > 0
                              ? static_cast<std::size_t>(options.candidates)
                              : std::min<std::size_t>(plan.candidates, spec.lengths.front());
    if (spec.loss == heads::Loss::kSigmoid) cascade->parent_power = kSigmoidParentPower;
    if (options.parent_weight > 0) cascade->parent_power = options.parent_weight;
  }
  if (auto* sampling = spec.as<heads::SamplingSpec>()) {
    sampling->extra_groups = options.extra_groups;
    sampling->groups_per_example = options.groups_per_example;
    require(options.weigh_groups || spec.loss == heads::Loss::kSoftmax,
            "weigh_groups does nothing with sigmoids, which weigh no groups");
  }
  return spec;
}

bool has_order(const TrainOptions& options) {
  return options.head != "onehot" && options.order != "identity" && options.order != "product" &&
         options.redundant_heads == 0 && !options.powerset;
}

// Scores of a batch that the plan of a head counts, as softmax keeps them. Sigmoids of all labels
// are made block by block.
std::uint64_t unkept_score_bytes(const PlanOptions& options, heads::Loss loss) {
  if (options.head != HeadKind::kOneHot || loss != heads::Loss::kSigmoid) return 0;
  return sizeof(float) * options.num_labels * options.batch;
}

std::uint64_t name_bytes(const TrainingSet& set) {
  std::uint64_t bytes = 4 * set.names.size();
  for (std::size_t label = set.names.num_numbered(); label < set.names.size(); ++label) {
    bytes += 8 + set.names.name(LabelId{static_cast<std::uint32_t>(label)}).size();
  }
  if (!set.vectorizer) return bytes;
  const text::VectorizerView& view = set.vectorizer->view();
  return bytes + view.part_offsets.size_bytes() + view.term_begins.size_bytes() +
         view.terms.size_bytes() + view.df.size_bytes() + view.idf.size_bytes() +
         view.slots.size_bytes();
}

std::uint64_t example_bytes(const Examples& examples) {
  const auto bytes_of = [](const auto& values) { return values.size() * sizeof(values[0]); };
  const SparseMatrix& features = examples.features;
  return bytes_of(features.offsets) + bytes_of(features.columns) + bytes_of(features.values) +
         bytes_of(examples.dense.values) + bytes_of(examples.labels.offsets) +
         bytes_of(examples.labels.items);
}

// What the process holds with the data read, by count. What it really holds differs from thread to
// thread and from run to run, and what is chosen by it would too.
std::uint64_t counted_bytes(const TrainingSet& set, const Examples* validation) {
  return kProgramBytes + example_bytes(set.examples) + example_bytes(set.name_rows) +
         (validation == nullptr ? 0 : example_bytes(*validation)) + name_bytes(set);
}

}  // namespace

GradientPlan plan_gradient(const TrainingSet& set, const TrainOptions& options,
                           std::uint64_t ram_bytes, const Examples* validation) {
  GradientPlan plan;
  plan.encoder = make_encoder_spec(set, options);
  release_free_memory();
  plan.data_bytes = process_memory().resident + kLearningBytes;
  plan.encoder_bytes =
      encoders::training_bytes(plan.encoder, options.batch, table_optimizer(options).rule);
  const std::uint64_t encoder_parameters = encoders::parameter_bytes(plan.encoder);
  const std::uint64_t ordered_labels = has_order(options) ? set.names.size() : 0;
  const std::uint64_t place_bytes = kPlaceBytes * ordered_labels;
  const bool has_copy = options.swa > 0 || options.patience > 0;
  PlanOptions head = head_options(set, options, plan.encoder.dim);
  const std::uint64_t unkept =
      unkept_score_bytes(head, choose_loss(options, most_labels(set.examples.labels)));
  const auto finished = static_cast<double>(options.ensemble - 1);
  if (ram_bytes > 0) {
    const std::uint64_t data_bytes = counted_bytes(set, validation) + kLearningBytes;
    const double others = static_cast<double>(data_bytes + plan.encoder_bytes) +
                          static_cast<double>((kPlaceBytes + kOrderBytes) * ordered_labels) +
                          (finished + (has_copy ? 1 : 0)) * static_cast<double>(encoder_parameters);
    check_budget(static_cast<std::uint64_t>(kReserve * others), ram_bytes,
                 ordered_labels == 0
                     ? "the data and the encoder alone"
                     : "the data, the encoder and an order of labels (identity needs none) alone");
    // Finished members and copies hold a head's weights again.
    const double heads_held = 1 + finished + (has_copy ? 1 : 0);
    head.ram_bytes =
        unkept + static_cast<std::uint64_t>((static_cast<double>(ram_bytes) / kReserve - others) /
                                            heads_held);
  }
  const Plan planned = make_plan(head);
  plan.head = make_head_spec(planned, set, options);
  plan.order_file = set.order_file ? &*set.order_file : nullptr;
  plan.notes = planned.notes;
  const std::uint64_t head_parameters = heads::weight_bytes(plan.head);
  const std::uint64_t clustering = options.order == "clustered" && ordered_labels > 0
                                       ? clustering_bytes(set.examples, plan.head)
                                       : 0;
  const std::uint64_t features = sizeof(float) * 2 * options.batch * plan.head.dim;
  const std::uint64_t step =
      features + heads::training_bytes(plan.head, {set.examples.labels, options.batch,
                                                   table_optimizer(options).rule});
  const std::uint64_t training_order =
      options.order == "trained" ? trained_order_bytes(plan, step + place_bytes, encoder_parameters)
                                 : 0;
  plan.head_bytes = std::max({step + place_bytes, clustering, training_order,
                              head_parameters + place_bytes + kOrderBytes * ordered_labels,
                              head_parameters + place_bytes + kCountBytes * set.names.size(),
                              code_work_bytes(set.examples, plan, options, encoder_parameters)});
  plan.member_bytes = encoder_parameters + head_parameters + place_bytes;
  plan.copy_bytes = has_copy ? encoder_parameters + head_parameters : 0;
  plan.train_bytes = plan.data_bytes + plan.encoder_bytes + plan.head_bytes + plan.copy_bytes +
                     (options.ensemble - 1) * plan.member_bytes;
  // The file has the labels at positions only.
  plan.model_bytes = options.ensemble * (plan.member_bytes - place_bytes / 2) + name_bytes(set);
  if (ram_bytes > 0) check_budget(plan.train_bytes, ram_bytes, "training");
  // Reading dense rows may have taken more than training will.
  plan.train_bytes = std::max(plan.train_bytes, process_memory().peak);
  return plan;
}

std::string describe_shape(const GradientPlan& plan) {
  const encoders::EncoderSpec& encoder = plan.encoder;
  std::string text = fmt::format("{}", encoder.num_inputs);
  const auto* mlp = std::get_if<encoders::MlpSpec>(&encoder.own);
  if (mlp != nullptr && mlp->layers == 0) {
    text += " scaled inputs";
  } else {
    text += fmt::format(" inputs to {} features", encoder.dim);
    const std::size_t hidden = mlp == nullptr ? 0 : mlp->layers - 1;
    if (hidden > 0) text += fmt::format(", {} residual layer{}", hidden, hidden == 1 ? "" : "s");
  }
  text += fmt::format(", {} head of {}", head_kind_name(plan.head.kind()),
                      fmt::join(plan.head.lengths, " x "));
  if (plan.head.kind() == HeadKind::kCascade && plan.head.inner_width() != plan.head.dim) {
    text += fmt::format(", inner width {}", plan.head.inner_width());
  }
  return text;
}

}  // namespace mhe::train
