// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// MHP: all heads are one matrix, so a step is three matrix products over the sum of the lengths
// however many labels there are. "table" and "bias" have the outputs as ProductLayout says;
// "label_at" is there with an order, "codes" [head][label] for kTable.
#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>

#include "base/parallel.h"
#include "heads/code_loss.h"
#include "heads/product_outputs.h"
#include "heads/product_targets.h"
#include "heads/registry.h"
#include "heads/row_table.h"
#include "kernels/gemm.h"
#include "kernels/rows.h"
#include "matrix/gemm.h"

namespace mhe::heads {
namespace {

// Rows of the table, and of the batch, that are worked on at a time: their gradients stay in cache.
constexpr std::size_t kRowsPerBlock = 64;
constexpr std::size_t kExamplesPerBlock = 32;

// Whether its softmax is over the labels that there are, and not one per head.
bool is_over_labels(const HeadSpec& spec) {
  return spec.has_code(ProductCode::kTable) && spec.loss == Loss::kSoftmax &&
         std::get<ProductSpec>(spec.own).rank == 1;
}

class ProductHead final : public DenseHead {
 public:
  ProductHead(const Context& context, HeadSpec spec, const HeadSetup& setup)
      : DenseHead(std::move(spec)),
        layout_(this->spec()),
        targets_(this->spec(), setup),
        optimizer_(setup.optimizer),
        table_(context, "", layout_.num_outputs(), this->spec().dim, optimizer_.rule) {
    if (is_over_labels(this->spec())) {
      code_loss_.emplace(targets_.codes(), this->spec().lengths);
    }
  }

  [[nodiscard]] std::vector<HeadTensor> tensors() const override {
    std::vector<HeadTensor> list;
    table_.add_tensors(list);
    if (!targets_.label_at().empty()) {
      list.push_back({"label_at", {spec().num_labels}, targets_.label_at()});
    }
    if (!targets_.codes().empty()) {
      list.push_back({"codes", {spec().lengths.size(), spec().num_labels}, targets_.codes()});
    }
    return list;
  }

  void visit_positives(const HeadBatch& batch,
                       const std::function<void(const TruePlaces&)>& visit) override {
    find_positives(batch);
    // The loss over labels sums a row of each head up, the others take heads one by one.
    const double parts = code_loss_ ? static_cast<double>(layout_.num_heads()) : 1.0;
    visit({.table = &table_, .positives = positives_, .trained = 1.0, .parts = parts});
  }

  void visit_state(const std::function<void(const StateArray&)>& visit) override {
    table_.visit_state(visit);
  }

  void release_scratch() override {
    if (code_loss_) code_loss_.emplace(targets_.codes(), spec().lengths);
    outputs_ = std::vector<float>();
    scratch_.clear();
  }

  void end_training() override {
    release_scratch();
    table_.end_training();
  }

 protected:
  double run(const Context& context, const HeadBatch& batch, const HeadStep& step,
             MatrixSpan gradient, Update update) override {
    if (batch.labels.empty()) return 0;
    batch_ = batch.features.num_rows;
    score(context, batch.features);
    const double loss = code_loss_ ? code_loss_->run(context, batch.labels, outputs_)
                                   : differentiate(context, batch.labels);
    multiply(context, output_gradients(), rows_of(table_.rows()), layout_.num_outputs(), gradient);
    if (update == Update::kYes) move_rows(context, batch.features, step);
    return loss;
  }

 private:
  // The outputs that are right for an example, of every group and once each. All gates are.
  void find_positives(const HeadBatch& batch) {
    positives_.clear();
    for (std::uint32_t example = 0; example < batch.labels.size(); ++example) {
      digits_.clear();
      targets_.append(batch.labels[example], digits_);
      for (std::size_t g = 0; g < layout_.rank(); ++g) {
        for (std::size_t i = 0; i < digits_.size(); ++i) {
          const std::size_t head = i % layout_.num_heads();
          positives_.push_back({static_cast<std::uint32_t>(g * layout_.group_size() +
                                                           layout_.begin(head) + digits_[i]),
                                example});
        }
      }
      for (std::size_t gate = layout_.rank() * layout_.group_size(); gate < layout_.num_outputs();
           ++gate) {
        positives_.push_back({static_cast<std::uint32_t>(gate), example});
      }
    }
    std::sort(positives_.begin(), positives_.end());
    positives_.erase(std::unique(positives_.begin(), positives_.end()), positives_.end());
  }

  // The code loss wants the outputs of all examples together, the others all outputs of an example.
  [[nodiscard]] kernels::GemmOperand output_gradients() const {
    if (code_loss_) return {outputs_.data(), batch_, kernels::Layout::kTransposed};
    return {outputs_.data(), layout_.num_outputs(), kernels::Layout::kRows};
  }

  // outputs_ = F W^T + bias, or its transpose.
  void score(const Context& context, const MatrixView& features) {
    const std::size_t outputs = layout_.num_outputs();
    outputs_.resize(batch_ * outputs);
    if (code_loss_) {
      for (std::size_t o = 0; o < outputs; ++o) {
        std::fill_n(outputs_.data() + o * batch_, batch_, table_.biases()[o]);
      }
      multiply(context, rows_of(table_.rows()), transpose_of(features), spec().dim,
               {outputs_.data(), outputs, batch_}, Sum::kAdd);
      return;
    }
    for (std::size_t i = 0; i < batch_; ++i) {
      std::copy_n(table_.biases().data(), outputs, outputs_.data() + i * outputs);
    }
    multiply(context, rows_of(features), transpose_of(table_.rows()), spec().dim,
             {outputs_.data(), batch_, outputs}, Sum::kAdd);
  }

  // Outputs become gradients of the mean loss.
  double differentiate(const Context& context, std::span<const std::span<const LabelId>> labels) {
    digits_.clear();
    digits_begin_.assign(1, 0);
    for (const std::span<const LabelId> row : labels) {
      targets_.append(row, digits_);
      digits_begin_.push_back(digits_.size());
    }
    const std::size_t outputs = layout_.num_outputs();
    const float weight = 1 / static_cast<float>(batch_);
    losses_.resize(batch_);
    parallel_blocks(context, batch_, kExamplesPerBlock, [&](const Block& block) {
      for (std::size_t i = block.begin; i < block.end; ++i) {
        const std::span<const std::uint32_t> digits =
            std::span(digits_).subspan(digits_begin_[i], digits_begin_[i + 1] - digits_begin_[i]);
        losses_[i] = product_loss(layout_, digits, weight,
                                  std::span(outputs_).subspan(i * outputs, outputs));
      }
    });
    return std::accumulate(losses_.begin(), losses_.end(), 0.0) / static_cast<double>(batch_);
  }

  void move_rows(const Context& context, const MatrixView& features, const HeadStep& step) {
    const std::size_t dim = spec().dim;
    scratch_.resize(context.threads());
    parallel_blocks(context, layout_.num_outputs(), kRowsPerBlock, [&](const Block& block) {
      Scratch& scratch = scratch_[block.worker];
      scratch.rows.resize(kRowsPerBlock * dim);
      const std::size_t num_rows = block.end - block.begin;
      kernels::gemm({.m = num_rows,
                     .n = dim,
                     .k = batch_,
                     .a = row_gradients(block.begin),
                     .b = {features.data, dim},
                     .out = scratch.rows.data(),
                     .out_stride = dim});
      sum_biases(block, scratch.biases);
      table_.update(block.begin, {scratch.rows.data(), num_rows, dim}, scratch.biases, optimizer_,
                    step.learning_rate);
    });
  }

  // output_gradients() transposed, from an output on.
  [[nodiscard]] kernels::GemmOperand row_gradients(std::size_t begin) const {
    if (code_loss_) return {outputs_.data() + begin * batch_, batch_, kernels::Layout::kRows};
    return {outputs_.data() + begin, layout_.num_outputs(), kernels::Layout::kTransposed};
  }

  void sum_biases(const Block& block, std::vector<float>& biases) const {
    biases.assign(block.end - block.begin, 0);
    if (code_loss_) {
      for (std::size_t o = block.begin; o < block.end; ++o) {
        biases[o - block.begin] = kernels::sum(outputs_.data() + o * batch_, batch_);
      }
      return;
    }
    for (std::size_t i = 0; i < batch_; ++i) {
      kernels::add_row(biases.data(), outputs_.data() + i * layout_.num_outputs() + block.begin,
                       biases.size());
    }
  }

  struct Scratch {
    std::vector<float> rows;
    std::vector<float> biases;
  };

  ProductLayout layout_;
  ProductTargets targets_;
  TableOptimizer optimizer_;
  RowTable table_;
  std::optional<CodeLoss> code_loss_;

  // Of the batch at hand.
  std::size_t batch_ = 0;
  std::vector<std::uint32_t> digits_;
  std::vector<std::size_t> digits_begin_;  // [example], and the end
  std::vector<float> outputs_;             // scores, then gradients
  std::vector<double> losses_;
  std::vector<Positive> positives_;
  std::vector<Scratch> scratch_;  // [worker]: gradients of rows
};

std::uint64_t code_bytes(const HeadSpec& spec) {
  if (!spec.has_code(ProductCode::kTable)) return 0;
  return sizeof(std::uint32_t) * spec.num_labels * spec.lengths.size();
}

// Gates, a row per group, are not counted.
std::uint64_t product_weight_bytes(const HeadSpec& spec) {
  const ProductLayout layout(spec);
  return layout.rank() * RowTable::weight_bytes(layout.group_size(), spec.dim) + code_bytes(spec);
}

std::uint64_t product_training_bytes(const HeadSpec& spec, const BatchShape& shape) {
  const ProductLayout layout(spec);
  const std::uint64_t outputs = sizeof(float) * shape.batch * layout.group_size();
  const std::uint64_t loss =
      is_over_labels(spec) ? CodeLoss::work_bytes(layout.group_size(), shape.batch) : 0;
  return layout.rank() *
             (RowTable::training_bytes(layout.group_size(), spec.dim, shape.rule) + outputs) +
         loss + code_bytes(spec);
}

std::unique_ptr<DenseHead> make_product_head(const Context& context, HeadSpec spec,
                                             const HeadSetup& setup) {
  return std::make_unique<ProductHead>(context, std::move(spec), setup);
}

}  // namespace

constexpr std::string_view kProductOptions[] = {
    "heads", "lengths", "rank", "redundant_heads", "code_epochs", "powerset", "order"};

const HeadType kProductHead = {.own = ProductSpec(),
                               .options = kProductOptions,
                               .make = make_product_head,
                               .open = make_product_search,
                               .weight_bytes = product_weight_bytes,
                               .training_bytes = product_training_bytes};

}  // namespace mhe::heads
