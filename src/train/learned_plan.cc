// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/learned_plan.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <mhe/context.h>
#include <mhe/plan.h>

#include "base/check.h"
#include "base/memory.h"
#include "encoders/registry.h"
#include "heads/code_loss.h"
#include "heads/flat_pass.h"
#include "labels/product_codes.h"
#include "train/label_codes.h"
#include "train/member_trainer.h"
#include "train/memory_plan.h"

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

heads::Loss choose_loss(const LearnedOptions& options, const Ragged<LabelId>& labels) {
  if (options.loss == "softmax") return heads::Loss::kSoftmax;
  if (options.loss == "sigmoid") return heads::Loss::kSigmoid;
  if (options.powerset) return heads::Loss::kSoftmax;  // a set is one digit of each head
  if (options.rank > 1)
    return heads::Loss::kSoftmax;  // sums of products are no product of sigmoids
  for (std::size_t row = 0; row < labels.rows(); ++row) {
    if (labels[row].size() > 1) return heads::Loss::kSigmoid;
  }
  return heads::Loss::kSoftmax;
}

encoders::EncoderSpec make_encoder_spec(const TrainingSet& set, const LearnedOptions& options) {
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
      type, options.network,
      examples.are_dense() ? examples.dense.num_columns : examples.features.num_columns);
}

PlanOptions head_options(const TrainingSet& set, const LearnedOptions& options, std::size_t dim) {
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
  return plan;
}

heads::HeadSpec make_head_spec(const Plan& plan, const TrainingSet& set,
                               const LearnedOptions& options) {
  heads::HeadSpec spec;
  spec.kind = plan.head;
  spec.num_labels = set.names.size();
  spec.lengths.assign(plan.space.lengths().begin(), plan.space.lengths().end());
  spec.dim = plan.dim;
  spec.inner_dim = plan.inner_dim;
  spec.loss = choose_loss(options, set.examples.labels);
  if (plan.head == HeadKind::kCascade) {
    spec.candidates = options.candidates > 0
                          ? static_cast<std::size_t>(options.candidates)
                          : std::min<std::size_t>(plan.candidates, spec.lengths.front());
    if (spec.loss == heads::Loss::kSigmoid) spec.parent_power = kSigmoidParentPower;
  }
  if (options.parent_power > 0) spec.parent_power = options.parent_power;
  spec.extra_groups = options.extra_groups;
  spec.groups_per_example = options.groups_per_example;
  spec.rank = options.rank;
  if (options.order == "product" || options.redundant_heads > 0) {
    spec.code = heads::ProductCode::kTable;
  }
  if (options.powerset) spec.code = heads::ProductCode::kPowerset;
  return spec;
}

std::uint64_t code_bytes(const heads::HeadSpec& spec) {
  if (spec.code != heads::ProductCode::kTable) return 0;
  return sizeof(std::uint32_t) * spec.num_labels * spec.lengths.size();
}

// One-hot rows that digits come from, while they are learned beside an encoder of their own.
std::uint64_t code_training_bytes(const LearnedPlan& plan, std::size_t batch) {
  const heads::HeadSpec& spec = plan.head;
  using heads::FlatPass;
  const std::uint64_t row = sizeof(float) * (spec.dim + 2);  // its bias and its state, too
  const bool keeps_scores = spec.loss == heads::Loss::kSoftmax;
  return plan.encoder_bytes + row * spec.num_labels +
         FlatPass::work_bytes(1, spec.num_labels, spec.dim, batch) +
         (keeps_scores ? FlatPass::score_bytes(1, spec.num_labels, spec.dim, batch) : 0);
}

// What is there before the heads are: the one-hot head that digits come from, or centroids; then
// these rows, what of them earlier heads left, and the digits.
std::uint64_t code_work_bytes(const LearnedPlan& plan, const Examples& examples,
                              const LearnedOptions& options) {
  const heads::HeadSpec& spec = plan.head;
  if (spec.code != heads::ProductCode::kTable) return 0;
  constexpr std::uint64_t kPlaceOfCodes = 64;  // a label's place, leaning, and code in a hash table
  const std::uint64_t digits = spec.num_labels * kPlaceOfCodes + code_bytes(spec);
  if (options.code_epochs == 0 && options.order == "random") return digits;
  const std::size_t width = options.code_epochs > 0 ? spec.dim : kCentroidWidth;
  const std::uint64_t row = sizeof(float) * width;
  const std::uint64_t left =
      sizeof(float) * std::min(width, labels::ProductCodeOptions().max_width);
  const std::uint64_t coding = spec.num_labels * (row + left) + digits;
  if (options.code_epochs == 0) {
    return std::max(coding, clustering_bytes(examples, spec) + spec.num_labels * row);
  }
  const std::uint64_t learned = encoders::parameter_bytes(plan.encoder);
  return std::max({code_training_bytes(plan, options.batch),
                   2 * (learned + spec.num_labels * row) + code_bytes(spec), learned + coding});
}

// Gradients of the outputs, one set a part of the labels.
std::uint64_t code_loss_bytes(const heads::HeadSpec& spec, std::size_t batch) {
  const bool over_labels = spec.loss == heads::Loss::kSoftmax && spec.rank == 1;
  if (spec.code != heads::ProductCode::kTable || !over_labels) return 0;
  std::uint64_t outputs = 0;
  for (const std::uint32_t length : spec.lengths) outputs += length;
  return sizeof(float) * outputs * batch * heads::CodeLoss::kParts;
}

bool has_order(const LearnedOptions& options) {
  return options.head != "onehot" && options.order != "identity" && options.order != "product" &&
         options.redundant_heads == 0 && !options.powerset;
}

// Parents of an example at a level of so many nodes, in the mean over rows and orders: K, or all
// true ones if these are more.
double mean_parents(const heads::HeadSpec& spec, const Ragged<LabelId>& labels, double num_nodes) {
  double sum = 0;
  for (std::size_t row = 0; row < labels.rows(); ++row) {
    const auto num_labels = static_cast<double>(labels[row].size());
    const double true_nodes = -num_nodes * std::expm1(num_labels * std::log1p(-1 / num_nodes));
    sum += std::max(static_cast<double>(spec.candidates), true_nodes);
  }
  return sum / static_cast<double>(labels.rows());
}

// What a step of a cascade holds for pairs of an example and a parent, and the first scores again,
// by example. The scores of K parents are counted with the head.
std::uint64_t pair_bytes(const heads::HeadSpec& spec, const Ragged<LabelId>& labels,
                         std::size_t batch) {
  if (spec.kind != HeadKind::kCascade) return 0;
  double floats = spec.lengths[0];
  double num_nodes = 1;
  for (std::size_t level = 1; level < spec.lengths.size(); ++level) {
    num_nodes *= spec.lengths[level - 1];
    const double parents = mean_parents(spec, labels, num_nodes);
    const bool keeps_scores = spec.loss == heads::Loss::kSoftmax || level + 1 < spec.lengths.size();
    floats += parents * static_cast<double>(spec.inner_dim);
    if (keeps_scores) {
      floats += (parents - static_cast<double>(spec.candidates)) * spec.lengths[level];
    }
  }
  return static_cast<std::uint64_t>(sizeof(float) * static_cast<double>(batch) * floats);
}

// Rows that a batch is scored on at once, side by side.
struct ScoredRows {
  std::size_t ranges = 0;
  std::size_t rows_per_range = 0;
};

// Of a sampling head the groups of the batch's labels, in the mean over batches and orders, and the
// extra ones.
ScoredRows sampled_rows(const heads::HeadSpec& spec, const Ragged<LabelId>& labels,
                        std::size_t batch) {
  const auto hit = [](double chance, double times) {
    return -std::expm1(times * std::log1p(-chance));
  };
  double seen = 0;  // different labels of a batch
  for (const std::uint32_t count : count_labels(labels, spec.num_labels)) {
    seen += hit(static_cast<double>(count) / static_cast<double>(labels.rows()),
                static_cast<double>(std::min(batch, labels.rows())));
  }
  const double all = spec.lengths[0];
  const double share = hit(seen / static_cast<double>(spec.num_labels), spec.lengths[1]);
  const double groups =
      std::min(all, std::ceil(all * share) + static_cast<double>(spec.extra_groups));
  // Neighbours make one range: it begins where the group before was not drawn.
  const double ranges = std::ceil(groups * (all - groups + 1) / all);
  return {static_cast<std::size_t>(ranges),
          static_cast<std::size_t>(std::ceil(groups / ranges * spec.lengths[1]))};
}

ScoredRows scored_rows(const heads::HeadSpec& spec, const Ragged<LabelId>& labels,
                       std::size_t batch) {
  if (spec.kind == HeadKind::kSampling) return sampled_rows(spec, labels, batch);
  return {1, spec.kind == HeadKind::kOneHot ? spec.num_labels : spec.lengths[0]};
}

// Scores of a batch that the plan of a head counts, as softmax keeps them. Sigmoids of all labels
// are made block by block.
std::uint64_t unkept_score_bytes(const PlanOptions& options, heads::Loss loss) {
  if (options.head != HeadKind::kOneHot || loss != heads::Loss::kSigmoid) return 0;
  return sizeof(float) * options.num_labels * options.batch;
}

// The scores that the plan of such a head counts: of one group an example, and always kept.
std::uint64_t counted_score_bytes(const heads::HeadSpec& spec, std::size_t batch) {
  const std::uint64_t rows =
      spec.kind == HeadKind::kOneHot
          ? spec.num_labels
          : std::min<std::uint64_t>(spec.lengths[0], batch) * spec.lengths[1];
  return sizeof(float) * batch * rows;
}

// What a step holds for pairs of an example and a group that is scored for it alone.
std::uint64_t own_group_bytes(const heads::HeadSpec& spec, const Ragged<LabelId>& labels,
                              std::size_t batch) {
  // Labels of an example in groups of their own, which is nearly all if there are many groups.
  const double own = static_cast<double>(labels.items.size()) / static_cast<double>(labels.rows());
  const double groups =
      std::min<double>(spec.lengths[0], own + static_cast<double>(spec.groups_per_example) - 1);
  const double kept = spec.loss == heads::Loss::kSoftmax ? spec.lengths[1] : 0;
  return static_cast<std::uint64_t>(sizeof(float) * groups * static_cast<double>(batch) *
                                    (static_cast<double>(spec.dim) + kept));
}

// Scores and sums of a step that the plan of a head does not count, or counts for nothing.
std::int64_t pass_bytes(const heads::HeadSpec& spec, const Ragged<LabelId>& labels,
                        std::size_t batch) {
  if (spec.kind == HeadKind::kProduct) return 0;
  if (spec.groups_per_example > 0) {
    return static_cast<std::int64_t>(own_group_bytes(spec, labels, batch)) -
           static_cast<std::int64_t>(counted_score_bytes(spec, batch));
  }
  const auto [ranges, rows] = scored_rows(spec, labels, batch);
  auto bytes =
      static_cast<std::int64_t>(heads::FlatPass::work_bytes(ranges, rows, spec.dim, batch));
  if (spec.kind == HeadKind::kCascade) return bytes;
  bytes -= static_cast<std::int64_t>(counted_score_bytes(spec, batch));
  if (spec.loss == heads::Loss::kSigmoid) return bytes;  // made block by block
  return bytes +
         static_cast<std::int64_t>(heads::FlatPass::score_bytes(ranges, rows, spec.dim, batch));
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
std::uint64_t counted_bytes(const TrainingSet& set, const Examples* judged) {
  return kProgramBytes + example_bytes(set.examples) + example_bytes(set.name_rows) +
         (judged == nullptr ? 0 : example_bytes(*judged)) + name_bytes(set);
}

// One head in training; groups of heads have tables and outputs of their own, on the same features.
std::uint64_t step_bytes(const heads::HeadSpec& spec, const HeadCost& cost,
                         const Ragged<LabelId>& labels, std::size_t batch) {
  const std::uint64_t features = sizeof(float) * 2 * batch * spec.dim;
  const auto one = static_cast<std::uint64_t>(cost.train_bytes);
  return one + (spec.rank - 1) * (one - features) + code_loss_bytes(spec, batch) +
         pair_bytes(spec, labels, batch) +
         static_cast<std::uint64_t>(pass_bytes(spec, labels, batch));
}

}  // namespace

LearnedPlan plan_learned(const TrainingSet& set, const LearnedOptions& options,
                         std::uint64_t ram_bytes, const Examples* judged) {
  LearnedPlan plan;
  plan.encoder = make_encoder_spec(set, options);
  release_free_memory();
  plan.data_bytes = process_memory().resident + kLearningBytes;
  plan.encoder_bytes = encoders::training_bytes(plan.encoder, options.batch);
  const std::uint64_t encoder_parameters = encoders::parameter_bytes(plan.encoder);
  const std::uint64_t ordered_labels = has_order(options) ? set.names.size() : 0;
  const std::uint64_t place_bytes = kPlaceBytes * ordered_labels;
  const bool has_copy = options.swa > 0 || options.patience > 0;
  PlanOptions head = head_options(set, options, plan.encoder.dim);
  const std::uint64_t unkept = unkept_score_bytes(head, choose_loss(options, set.examples.labels));
  const auto finished = static_cast<double>(options.ensemble - 1);
  if (ram_bytes > 0) {
    const std::uint64_t data_bytes = counted_bytes(set, judged) + kLearningBytes;
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
  plan.notes = planned.notes;
  const std::uint64_t head_parameters =
      options.rank * static_cast<std::uint64_t>(planned.cost.model_bytes) + code_bytes(plan.head);
  const std::uint64_t clustering = options.order == "clustered" && ordered_labels > 0
                                       ? clustering_bytes(set.examples, plan.head)
                                       : 0;
  const std::uint64_t step =
      step_bytes(plan.head, planned.cost, set.examples.labels, options.batch);
  plan.head_bytes = std::max({step + code_bytes(plan.head) + place_bytes, clustering,
                              head_parameters + place_bytes + kOrderBytes * ordered_labels,
                              head_parameters + place_bytes + kCountBytes * set.names.size(),
                              code_work_bytes(plan, set.examples, options)});
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

}  // namespace mhe::train
