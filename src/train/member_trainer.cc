// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/member_trainer.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/parallel.h"
#include "base/random.h"
#include "encoders/registry.h"
#include "heads/centroid_start.h"
#include "train/label_codes.h"
#include "train/label_order.h"
#include "train/trained_order.h"

namespace mhe::train {
namespace {

constexpr std::uint64_t kNoEpoch = std::numeric_limits<std::uint64_t>::max();

// Digits as a head keeps them, [head][label], as it is given them, [label][head].
std::vector<std::uint32_t> by_label(std::span<const std::uint32_t> codes,
                                    const heads::HeadSpec& head) {
  std::vector<std::uint32_t> turned(codes.size());
  const std::size_t num_heads = head.lengths.size();
  for (std::size_t i = 0; i < codes.size(); ++i) {
    turned[i % head.num_labels * num_heads + i / head.num_labels] = codes[i];
  }
  return turned;
}

}  // namespace

encoders::LabelledBatch ExampleBatches::gather(std::span<const std::uint32_t> rows) {
  sparse_.clear();
  dense_.clear();
  labels_.clear();
  for (const std::uint32_t row : rows) {
    if (examples_.are_dense()) {
      dense_.push_back(examples_.dense[row]);
    } else {
      sparse_.push_back(examples_.features[row]);
    }
    labels_.push_back(examples_.labels[row]);
  }
  if (examples_.are_dense()) return {DenseRows{dense_}, labels_};
  return {SparseRows{sparse_}, labels_};
}

bool has_diverged(double loss, double first_loss) noexcept {
  constexpr double kTimesFirst = 1000;
  return !std::isfinite(loss) || loss > kTimesFirst * std::max(1.0, first_loss);
}

std::string find_not_finite(const Context& context, std::span<const NamedArray> arrays) {
  constexpr std::size_t kGrain = std::size_t{1} << 16U;  // a quarter of a megabyte: about L2
  for (const NamedArray& array : arrays) {
    std::atomic<bool> is_bad = false;
    parallel_blocks(context, array.values.size(), kGrain, [&](const Block& block) {
      // One more than the largest exponent, that of infinities and of what is no number, reaches
      // the sign bit. No branch, so that it goes about as fast as memory does.
      constexpr std::uint32_t kExponent = 0x7f800000;
      constexpr std::uint32_t kOne = 0x00800000;
      std::uint32_t seen = 0;
      for (std::size_t i = block.begin; i < block.end; ++i) {
        seen |= (std::bit_cast<std::uint32_t>(array.values[i]) & kExponent) + kOne;
      }
      if ((seen >> 31U) != 0) is_bad = true;
    });
    if (is_bad) return array.name;
  }
  return {};
}

MemberTrainer::MemberTrainer(const Context& context, const Examples& examples,
                             const GradientPlan& plan, const TrainOptions& options,
                             const MemberStart& start)
    : context_(context.with_seed(start.seed)),
      own_batches_(examples),
      batches_(start.batches == nullptr ? own_batches_ : *start.batches),
      options_(options),
      encoder_(encoders::make_encoder(
          context_, plan.encoder, {table_optimizer(options), layer_optimizer(options)}, batches_)),
      steps_per_epoch_((batches_.rows() + options.batch - 1) / options.batch),
      total_steps_(steps_per_epoch_ * options.epochs),
      schedule_(make_schedule(options, total_steps_)),
      shuffled_epoch_(kNoEpoch),
      rows_(batches_.rows()) {
  LabelCodes codes = start.resumed ? LabelCodes{.codes = by_label(start.resumed->codes, plan.head)}
                                   : make_label_codes(context_, examples, plan, options);
  std::optional<LabelOrder> order = order_labels(examples, plan, start);
  context_.check_stop();
  head_ = heads::make_dense_head(context_, plan.head,
                                 {.optimizer = table_optimizer(options),
                                  .layers = layer_optimizer(options),
                                  .order = std::move(order),
                                  .codes = std::move(codes.codes),
                                  .weigh_groups = options.weigh_groups});
  if (!codes.rows.empty()) {
    init_encoder(codes.encoder);
    init_rows(codes.rows);
  }
  if (options.init != "random" && !start.resumed) init_head();
  if (plan.head.has_code(heads::ProductCode::kTable)) {
    head_share_ = 1 / std::sqrt(static_cast<float>(plan.head.lengths.size()));
  }
}

std::optional<LabelOrder> MemberTrainer::order_labels(const Examples& examples,
                                                      const GradientPlan& plan,
                                                      const MemberStart& start) {
  if (options_.order != "trained") return make_label_order(context_, examples, plan, options_);
  if (start.resumed) {
    const std::span<const std::uint32_t> positions = start.resumed->positions;
    trained_positions_.assign(positions.begin(), positions.end());
    return LabelOrder(plan.head.lengths, {positions.begin(), positions.end()});
  }
  TrainedOrder found = train_order(context_, examples, plan, options_);
  trained_positions_.assign(found.order.positions().begin(), found.order.positions().end());
  init_encoder(found.encoder);
  return std::move(found.order);
}

void MemberTrainer::init_encoder(const std::vector<std::vector<float>>& parameters) {
  std::size_t next = 0;
  encoder_->visit_state([&](const encoders::Encoder::StateArray& array) {
    if (!array.is_parameter) return;
    const std::vector<float>& values = parameters.at(next++);
    MHE_ASSERT(values.size() == array.values.size());
    std::copy(values.begin(), values.end(), array.values.begin());
  });
}

void MemberTrainer::init_rows(std::span<const float> rows) {
  head_->visit_state([&](const heads::DenseHead::StateArray& array) {
    if (array.name != "table") return;
    MHE_ASSERT(rows.size() == array.values.size());
    std::copy(rows.begin(), rows.end(), array.values.begin());
  });
}

MatrixView MemberTrainer::encode(const InputBatch& inputs, std::uint64_t step) {
  return encoder_->forward(context_, inputs, {.dropout = 0, .number = step});
}

template <class Use>
void MemberTrainer::for_each_batch(const char* progress, const Use& use) {
  for (std::uint64_t step = 0; step < steps_per_epoch_; ++step) {
    context_.report({progress, step, steps_per_epoch_, "batches"});
    use(step, gather(step));
  }
}

void MemberTrainer::visit_features(const std::function<void(const heads::HeadBatch&)>& use) {
  for_each_batch("summing up features", [&](std::uint64_t step, const auto& batch) {
    use({.features = encode(batch.inputs, step), .labels = batch.labels});
  });
}

void MemberTrainer::init_head() {
  const bool needs_features = options_.init == "centroids";
  heads::CentroidStart start(
      *head_, needs_features ? heads::StartRows::kCentroids : heads::StartRows::kAsTheyAre);
  for_each_batch("summing up rows", [&](std::uint64_t step, const auto& batch) {
    const MatrixView features = needs_features ? encode(batch.inputs, step) : MatrixView();
    start.add(context_, {.features = features, .labels = batch.labels});
  });
  start.finish(context_);
}

void MemberTrainer::shuffle(std::uint64_t epoch) {
  if (epoch == shuffled_epoch_) return;
  shuffled_epoch_ = epoch;
  std::iota(rows_.begin(), rows_.end(), 0U);
  RandomStream random(context_.seed(), "train.shuffle", epoch);
  random.shuffle(std::span<std::uint32_t>(rows_));
}

std::span<const std::uint32_t> MemberTrainer::rows_of(std::uint64_t step) {
  shuffle(step / steps_per_epoch_);
  const std::size_t begin = (step % steps_per_epoch_) * options_.batch;
  return std::span(rows_).subspan(begin, std::min(options_.batch, rows_.size() - begin));
}

encoders::LabelledBatch MemberTrainer::gather(std::uint64_t step) {
  return batches_.gather(rows_of(step));
}

double MemberTrainer::train_step(std::uint64_t step) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point last = Clock::now();
  const auto add_to = [&](double& seconds) {
    const Clock::time_point now = Clock::now();
    seconds += std::chrono::duration<double>(now - std::exchange(last, now)).count();
  };
  const auto [inputs, labels] = gather(step);
  add_to(seconds_.batch);
  const float factor = schedule_(step);
  const encoders::EncoderStep encoder_step = {.table_rate = factor * options_.learning_rate,
                                              .layer_rate = factor * options_.layer_rate,
                                              .dropout = options_.dropout,
                                              .number = step};
  const MatrixView features = encoder_->forward(context_, inputs, encoder_step);
  add_to(seconds_.forward);
  gradient_.resize(features.size());
  const MatrixSpan gradient = {gradient_.data(), features.num_rows, features.num_columns};
  const double loss = head_->step(context_, {.features = features, .labels = labels},
                                  {.learning_rate = head_share_ * encoder_step.table_rate,
                                   .layer_rate = encoder_step.layer_rate,
                                   .number = step},
                                  gradient);
  add_to(seconds_.head);
  encoder_->backward(context_, gradient, encoder_step);
  add_to(seconds_.backward);
  return loss;
}

void MemberTrainer::end_training() {
  encoder_->end_training();
  head_->end_training();
  gradient_ = std::vector<float>();
}

std::vector<NamedArray> MemberTrainer::arrays() {
  std::vector<NamedArray> arrays;
  encoder_->visit_state([&](const encoders::Encoder::StateArray& array) {
    arrays.push_back({"encoder." + std::string(array.name), array.values, array.is_parameter});
  });
  head_->visit_state([&](const heads::DenseHead::StateArray& array) {
    arrays.push_back({"head." + std::string(array.name), array.values, array.is_parameter});
  });
  return arrays;
}

LabelPlaces MemberTrainer::places() const {
  LabelPlaces places = {.positions = trained_positions_};
  for (const heads::HeadTensor& tensor : head_->tensors()) {
    if (tensor.name == "codes")
      places.codes = std::get<std::span<const std::uint32_t>>(tensor.data);
  }
  return places;
}

model::DenseParts MemberTrainer::view() {
  return {encoder_->view(), head_->spec(), head_->tensors()};
}

void WeightCopy::assign(std::span<const NamedArray> arrays) {
  count_ = 0;
  add(arrays);
}

void WeightCopy::add(std::span<const NamedArray> arrays) {
  std::vector<NamedArray> own = own_arrays(arrays, "");
  ++count_;
  const float share = 1 / static_cast<float>(count_);
  std::size_t next = 0;
  for (const NamedArray& array : arrays) {
    if (!array.is_parameter) continue;
    const std::span<float> mean = own[next++].values;
    for (std::size_t i = 0; i < mean.size(); ++i) {
      mean[i] = count_ == 1 ? array.values[i] : mean[i] + share * (array.values[i] - mean[i]);
    }
  }
}

void WeightCopy::restore(std::span<const NamedArray> arrays) const {
  MHE_ASSERT(count_ > 0);
  std::size_t next = 0;
  for (const NamedArray& array : arrays) {
    if (!array.is_parameter) continue;
    const std::vector<float>& copy = values_[next++];
    std::copy(copy.begin(), copy.end(), array.values.begin());
  }
}

std::vector<NamedArray> WeightCopy::own_arrays(std::span<const NamedArray> arrays,
                                               const std::string& prefix) {
  std::vector<NamedArray> own;
  std::size_t next = 0;
  for (const NamedArray& array : arrays) {
    if (!array.is_parameter) continue;
    if (next == values_.size()) values_.emplace_back(array.values.size());
    own.push_back({prefix + array.name, values_[next++]});
  }
  return own;
}

}  // namespace mhe::train
