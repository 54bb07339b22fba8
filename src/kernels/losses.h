// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// From scores to probabilities, losses and their gradients. Exponentials are polynomials of our own
// in fused multiply-adds, and sums over a row are sixteen chains as in dot_rows(): with FMA the
// same bits for every width of vectors. Relative errors are below 2^-21. Any alignment.
#pragma once

#include <cstddef>

namespace mhe::kernels {

/// The largest of some scores and the sum of exp(score - largest), which is NaN if one of
/// them is none.
struct MaxSum {
  float max = 0;
  float sum = 0;
};

/// Of a row of at least one score.
[[nodiscard]] MaxSum max_sum(const float* scores, std::size_t size) noexcept;

/// Of every column of `scores` [row][stride], rows in ascending order; at least one row.
void max_sum_columns(const float* scores, std::size_t stride, std::size_t rows, std::size_t columns,
                     float* max, float* sum) noexcept;

/// score -> scale * exp(score - shift). With the logarithm of the sum of exponentials as shift: the
/// gradient of a softmax but for the true labels.
void scale_exp(float* scores, std::size_t size, float shift, float scale) noexcept;

/// The same with a shift and a scale for each score.
void scale_exp_each(float* scores, std::size_t size, const float* shift,
                    const float* scale) noexcept;

/// score -> scale / (1 + exp(-score)), the gradient of a binary cross-entropy but for the true
/// labels. Returns the sum of log(1 + exp(score)), the loss but for them, which is NaN if one
/// of the scores is none.
float scale_sigmoid(float* scores, std::size_t size, float scale) noexcept;

/// score -> log(1 / (1 + exp(-score))).
void log_sigmoid(float* scores, std::size_t size) noexcept;

/// Natural logarithm by arithmetic only: the same bits on every machine, unlike std::log. Relative
/// error below 2^-45; `x` must be positive and normal.
[[nodiscard]] double portable_log(double x) noexcept;

}  // namespace mhe::kernels
