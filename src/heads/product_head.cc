// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "heads/make_heads.h"
#include "heads/product_outputs.h"
#include "heads/product_targets.h"
#include "heads/row_table.h"
#include "kernels/gemm.h"
#include "kernels/rows.h"

namespace mhe::heads {
namespace {

// Rows of the matrix or of the batch that are worked on at a time: enough to make a matrix product
// of it, and enough blocks for all threads.
constexpr std::size_t kRowsPerBlock = 64;
constexpr std::size_t kExamplesPerBlock = 32;

class ProductHead final : public DenseHead {
 public:
  ProductHead(const Context& context, HeadSpec spec, const HeadSetup& setup)
      : DenseHead(std::move(spec)),
        layout_(this->spec()),
        targets_(this->spec(), setup),
        optimizer_(setup.optimizer),
        table_(context, "", layout_.num_outputs(), this->spec().dim) {}

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

  void visit_state(const std::function<void(const StateArray&)>& visit) override {
    table_.visit_state(visit);
  }

 protected:
  double run(const Context& context, const HeadBatch& batch, const HeadStep& step,
             MatrixSpan gradient, Update update) override {
    find_digits(batch);
    score(context, batch.features);
    const double loss = differentiate(context, batch.features.num_rows);
    pass_back(context, gradient);
    if (update == Update::kYes) move_rows(context, batch.features, step);
    return loss;
  }

 private:
  void find_digits(const HeadBatch& batch) {
    digits_.clear();
    digits_begin_.assign(1, 0);
    for (const std::span<const LabelId> labels : batch.labels) {
      targets_.append(labels, digits_);
      digits_begin_.push_back(digits_.size());
    }
  }

  // outputs_[example][output] = F W^T + bias.
  void score(const Context& context, const MatrixView& features) {
    const std::size_t outputs = layout_.num_outputs();
    const std::size_t dim = spec().dim;
    outputs_.resize(features.num_rows * outputs);
    parallel_blocks(context, outputs, kRowsPerBlock, [&](const Block& block) {
      for (std::size_t i = 0; i < features.num_rows; ++i) {
        std::copy_n(table_.biases().data() + block.begin, block.end - block.begin,
                    outputs_.data() + i * outputs + block.begin);
      }
      kernels::gemm({.m = features.num_rows,
                     .n = block.end - block.begin,
                     .k = dim,
                     .a = {features.data, dim},
                     .b = {table_.row(block.begin), dim, kernels::Layout::kTransposed},
                     .out = outputs_.data() + block.begin,
                     .out_stride = outputs,
                     .accumulate = true});
    });
  }

  // Outputs become gradients of the mean loss.
  double differentiate(const Context& context, std::size_t num_examples) {
    const std::size_t outputs = layout_.num_outputs();
    const float weight = 1 / static_cast<float>(num_examples);
    losses_.resize(num_examples);
    parallel_blocks(context, num_examples, kExamplesPerBlock, [&](const Block& block) {
      for (std::size_t i = block.begin; i < block.end; ++i) {
        const std::span<const std::uint32_t> digits =
            std::span(digits_).subspan(digits_begin_[i], digits_begin_[i + 1] - digits_begin_[i]);
        losses_[i] = product_loss(layout_, digits, weight,
                                  std::span(outputs_).subspan(i * outputs, outputs));
      }
    });
    double sum = 0;
    for (const double loss : losses_) sum += loss;
    return sum / static_cast<double>(num_examples);
  }

  void pass_back(const Context& context, const MatrixSpan& gradient) const {
    const std::size_t outputs = layout_.num_outputs();
    const std::size_t dim = spec().dim;
    parallel_blocks(context, gradient.num_rows, kExamplesPerBlock, [&](const Block& block) {
      kernels::gemm({.m = block.end - block.begin,
                     .n = dim,
                     .k = outputs,
                     .a = {outputs_.data() + block.begin * outputs, outputs},
                     .b = {table_.row(0), dim},
                     .out = gradient.data + block.begin * dim,
                     .out_stride = dim});
    });
  }

  void move_rows(const Context& context, const MatrixView& features, const HeadStep& step) {
    const std::size_t outputs = layout_.num_outputs();
    const std::size_t dim = spec().dim;
    scratch_.resize(context.threads());
    parallel_blocks(context, outputs, kRowsPerBlock, [&](const Block& block) {
      Scratch& scratch = scratch_[block.worker];
      scratch.rows.resize(kRowsPerBlock * dim);
      const std::size_t num_rows = block.end - block.begin;
      kernels::gemm({.m = num_rows,
                     .n = dim,
                     .k = features.num_rows,
                     .a = {outputs_.data() + block.begin, outputs, kernels::Layout::kTransposed},
                     .b = {features.data, dim},
                     .out = scratch.rows.data(),
                     .out_stride = dim});
      scratch.biases.assign(num_rows, 0);
      for (std::size_t i = 0; i < features.num_rows; ++i) {
        kernels::add_row(scratch.biases.data(), outputs_.data() + i * outputs + block.begin,
                         num_rows);
      }
      table_.update(block.begin, {scratch.rows.data(), num_rows, dim}, scratch.biases, optimizer_,
                    step.learning_rate);
    });
  }

  struct Scratch {
    std::vector<float> rows;
    std::vector<float> biases;
  };

  ProductLayout layout_;
  ProductTargets targets_;
  TableOptimizer optimizer_;
  RowTable table_;

  // Of the batch at hand.
  std::vector<std::uint32_t> digits_;
  std::vector<std::size_t> digits_begin_;  // [example], and the end
  std::vector<float> outputs_;             // [example][output]: scores, then gradients
  std::vector<double> losses_;
  std::vector<Scratch> scratch_;  // [worker]: gradients of rows
};

}  // namespace

std::unique_ptr<DenseHead> make_product_head(const Context& context, HeadSpec spec,
                                             HeadSetup setup) {
  return std::make_unique<ProductHead>(context, std::move(spec), setup);
}

}  // namespace mhe::heads
