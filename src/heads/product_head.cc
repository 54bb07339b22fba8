// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/product_head.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/parallel.h"
#include "base/random.h"
#include "heads/product_outputs.h"
#include "heads/product_targets.h"
#include "kernels/gemm.h"

namespace mhe::heads {
namespace {

// Rows of the matrix or of the batch that are worked on at a time: enough to make a matrix product
// of it, and enough blocks for all threads.
constexpr std::size_t kRowsPerBlock = 64;
constexpr std::size_t kExamplesPerBlock = 32;

class ProductHead : public DenseHead {
 public:
  ProductHead(const Context& context, HeadSpec spec, const HeadSetup& setup)
      : DenseHead(std::move(spec)),
        layout_(this->spec()),
        targets_(this->spec(), setup),
        optimizer_(setup.optimizer),
        table_(layout_.num_outputs() * this->spec().dim),
        bias_(layout_.num_outputs()),
        row_state_(optimizer_.rule == TableRule::kSgd ? 0 : layout_.num_outputs()) {
    // Features of about unit size then give scores of about 0.1.
    const double scale = 0.1 * std::sqrt(3.0 / static_cast<double>(this->spec().dim));
    parallel_blocks(context, layout_.num_outputs(), kRowsPerBlock, [&](const Block& block) {
      for (std::size_t row = block.begin; row < block.end; ++row) {
        RandomStream random(context.seed(), "product.table", row);
        for (float& w : row_of(row)) w = static_cast<float>(scale * (2 * random.uniform() - 1));
      }
    });
  }

  [[nodiscard]] std::vector<HeadTensor> tensors() const override {
    const std::uint64_t outputs = layout_.num_outputs();
    std::vector<HeadTensor> list = {
        {"table", {outputs, spec().dim}, std::span<const float>(table_)},
        {"bias", {outputs}, std::span<const float>(bias_)}};
    if (!targets_.label_at().empty()) {
      list.push_back({"label_at", {spec().num_labels}, targets_.label_at()});
    }
    if (!targets_.codes().empty()) {
      list.push_back({"codes", {spec().lengths.size(), spec().num_labels}, targets_.codes()});
    }
    return list;
  }

  void visit_state(const std::function<void(const StateArray&)>& visit) override {
    visit({"table", table_});
    visit({"bias", bias_});
    if (!row_state_.empty()) visit({"row_state", row_state_, false});
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
  [[nodiscard]] std::span<float> row_of(std::size_t row) {
    return std::span(table_).subspan(row * spec().dim, spec().dim);
  }

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
        std::copy(bias_.data() + block.begin, bias_.data() + block.end,
                  outputs_.data() + i * outputs + block.begin);
      }
      kernels::gemm({.m = features.num_rows,
                     .n = block.end - block.begin,
                     .k = dim,
                     .a = {features.data, dim},
                     .b = {table_.data() + block.begin * dim, dim, kernels::Layout::kTransposed},
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
                     .b = {table_.data(), dim},
                     .out = gradient.data + block.begin * dim,
                     .out_stride = dim});
    });
  }

  void move_rows(const Context& context, const MatrixView& features, const HeadStep& step) {
    const std::size_t outputs = layout_.num_outputs();
    const std::size_t dim = spec().dim;
    scratch_.resize(context.threads());
    parallel_blocks(context, outputs, kRowsPerBlock, [&](const Block& block) {
      std::vector<float>& rows = scratch_[block.worker];
      rows.resize(kRowsPerBlock * dim);
      kernels::gemm({.m = block.end - block.begin,
                     .n = dim,
                     .k = features.num_rows,
                     .a = {outputs_.data() + block.begin, outputs, kernels::Layout::kTransposed},
                     .b = {features.data, dim},
                     .out = rows.data(),
                     .out_stride = dim});
      for (std::size_t row = block.begin; row < block.end; ++row) {
        double bias_gradient = 0;
        for (std::size_t i = 0; i < features.num_rows; ++i) {
          bias_gradient += static_cast<double>(outputs_[i * outputs + row]);
        }
        move_row(row, std::span(rows).subspan((row - block.begin) * dim, dim),
                 static_cast<float>(bias_gradient), step);
      }
    });
  }

  void move_row(std::size_t row, std::span<const float> gradient, float bias_gradient,
                const HeadStep& step) {
    float rate = step.learning_rate;
    if (!row_state_.empty()) {
      double squares = static_cast<double>(bias_gradient) * static_cast<double>(bias_gradient);
      for (const float g : gradient) squares += static_cast<double>(g) * static_cast<double>(g);
      row_state_[row] += static_cast<float>(squares / static_cast<double>(gradient.size() + 1));
      rate /= std::sqrt(row_state_[row]) + optimizer_.epsilon;
    }
    const std::span<float> weights = row_of(row);
    const float keep = 1 - step.learning_rate * optimizer_.weight_decay;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      weights[j] = keep * weights[j] - rate * gradient[j];
    }
    bias_[row] -= rate * bias_gradient;
  }

  ProductLayout layout_;
  ProductTargets targets_;
  TableOptimizer optimizer_;
  std::vector<float> table_;  // [output][dim]
  std::vector<float> bias_;
  std::vector<float> row_state_;

  // Of the batch at hand.
  std::vector<std::uint32_t> digits_;
  std::vector<std::size_t> digits_begin_;  // [example], and the end
  std::vector<float> outputs_;             // [example][output]: scores, then gradients
  std::vector<double> losses_;
  std::vector<std::vector<float>> scratch_;  // [worker]: gradients of rows
};

}  // namespace

std::unique_ptr<DenseHead> make_product_head(const Context& context, HeadSpec spec,
                                             HeadSetup setup) {
  return std::make_unique<ProductHead>(context, std::move(spec), setup);
}

}  // namespace mhe::heads
