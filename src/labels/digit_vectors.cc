// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "labels/digit_vectors.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "base/parallel.h"
#include "matrix/gemm.h"

namespace mhe::labels {
namespace {

// Sweeps over the heads. Most is gained in the first few.
constexpr std::size_t kSweeps = 8;
// Labels whose distances to all vectors of a head are held at a time.
constexpr std::size_t kLabelsAtOnce = 8192;
constexpr std::size_t kVectorsPerBlock = 64;

// What labels' embeddings are beyond the sums of their digits' vectors.
class Residual {
 public:
  Residual(MatrixSpan left, std::span<const std::uint32_t> lengths)
      : left_(left), lengths_(lengths) {
    for (const std::uint32_t length : lengths) begins_.push_back(begins_.back() + length);
    vectors_.resize(begins_.back() * left.num_columns);
  }

  [[nodiscard]] std::vector<float>& vectors() noexcept { return vectors_; }

  // Moves the vectors of a head to where they leave least.
  void fit(std::size_t head, std::span<const std::uint32_t> codes) {
    const std::vector<float> moves = subtract_means(left_, codes, head, lengths_);
    float* vectors = vectors_.data() + begins_[head] * left_.num_columns;
    for (std::size_t i = 0; i < moves.size(); ++i) vectors[i] += moves[i];
  }

  // Gives every label the digit of a head that leaves least.
  void choose(const Context& context, std::size_t head, std::span<std::uint32_t> codes) {
    const std::vector<float> half_squares = half_squares_of(head);
    std::vector<float> products;
    for (std::size_t begin = 0; begin < left_.num_rows; begin += kLabelsAtOnce) {
      const std::size_t count = std::min(kLabelsAtOnce, left_.num_rows - begin);
      const MatrixSpan rows = {left_[begin].data(), count, left_.num_columns};
      move(head, codes, begin, count, 1);
      products.resize(count * lengths_[head]);
      multiply(context, rows_of(MatrixView(rows)), transpose_of(vectors_of(head)),
               left_.num_columns, {products.data(), count, lengths_[head]});
      parallel_blocks(context, count, kVectorsPerBlock, [&](const Block& block) {
        for (std::size_t i = block.begin; i < block.end; ++i) {
          codes[(begin + i) * lengths_.size() + head] =
              nearest({products.data() + i * lengths_[head], lengths_[head]}, half_squares);
        }
      });
      move(head, codes, begin, count, -1);
    }
  }

 private:
  [[nodiscard]] MatrixView vectors_of(std::size_t head) const {
    const std::size_t width = left_.num_columns;
    return {vectors_.data() + begins_[head] * width, lengths_[head], width};
  }

  [[nodiscard]] std::vector<float> half_squares_of(std::size_t head) const {
    std::vector<float> halves;
    for (std::size_t digit = 0; digit < lengths_[head]; ++digit) {
      double sum = 0;
      for (const float x : vectors_of(head)[digit]) {
        sum += static_cast<double>(x) * static_cast<double>(x);
      }
      halves.push_back(static_cast<float>(sum / 2));
    }
    return halves;
  }

  // |r - v|^2 is least where r v - |v|^2 / 2 is greatest.
  static std::uint32_t nearest(std::span<const float> products, std::span<const float> halves) {
    std::uint32_t best = 0;
    float most = std::numeric_limits<float>::lowest();
    for (std::uint32_t digit = 0; digit < products.size(); ++digit) {
      const float value = products[digit] - halves[digit];
      if (value > most) {
        most = value;
        best = digit;
      }
    }
    return best;
  }

  // Adds the vectors of the labels' digits to what is left, or takes them away.
  void move(std::size_t head, std::span<const std::uint32_t> codes, std::size_t begin,
            std::size_t count, float sign) {
    for (std::size_t label = begin; label < begin + count; ++label) {
      const std::span<const float> v = vectors_of(head)[codes[label * lengths_.size() + head]];
      for (std::size_t j = 0; j < v.size(); ++j) left_[label][j] += sign * v[j];
    }
  }

  MatrixSpan left_;
  std::span<const std::uint32_t> lengths_;
  std::vector<std::size_t> begins_ = {0};  // [head]: its first vector
  std::vector<float> vectors_;
};

}  // namespace

std::vector<float> subtract_means(MatrixSpan points, std::span<const std::uint32_t> codes,
                                  std::size_t head, std::span<const std::uint32_t> lengths) {
  const std::size_t width = points.num_columns;
  std::vector<double> sums(lengths[head] * width);
  std::vector<std::size_t> counts(lengths[head]);
  for (std::size_t label = 0; label < points.num_rows; ++label) {
    const std::uint32_t digit = codes[label * lengths.size() + head];
    ++counts[digit];
    for (std::size_t j = 0; j < width; ++j) {
      sums[digit * width + j] += static_cast<double>(points[label][j]);
    }
  }
  std::vector<float> means(sums.size());
  for (std::size_t digit = 0; digit < counts.size(); ++digit) {
    if (counts[digit] == 0) continue;
    for (std::size_t i = digit * width; i < (digit + 1) * width; ++i) {
      means[i] = static_cast<float>(sums[i] / static_cast<double>(counts[digit]));
    }
  }
  for (std::size_t label = 0; label < points.num_rows; ++label) {
    const float* const mean = means.data() + codes[label * lengths.size() + head] * width;
    for (std::size_t j = 0; j < width; ++j) points[label][j] -= mean[j];
  }
  return means;
}

std::vector<float> digit_vectors(MatrixView embeddings, std::span<const std::uint32_t> codes,
                                 std::span<const std::uint32_t> lengths) {
  require(codes.size() == embeddings.num_rows * lengths.size(),
          "{} embeddings and {} heads need {} digits, got {}", embeddings.num_rows, lengths.size(),
          embeddings.num_rows * lengths.size(), codes.size());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    require(codes[i] < lengths[i % lengths.size()], "digit {} of label {} is out of range",
            codes[i], i / lengths.size());
  }
  std::vector<float> left(embeddings.data, embeddings.data + embeddings.size());
  Residual residual({left.data(), embeddings.num_rows, embeddings.num_columns}, lengths);
  for (std::size_t sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t head = 0; head < lengths.size(); ++head) residual.fit(head, codes);
  }
  return std::move(residual.vectors());
}

void improve_codes(const Context& context, MatrixSpan embeddings, std::span<std::uint32_t> codes,
                   std::span<const std::uint32_t> lengths) {
  Residual residual(embeddings, lengths);
  for (std::size_t head = 0; head < lengths.size(); ++head) residual.fit(head, codes);
  for (std::size_t sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t head = 0; head < lengths.size(); ++head) {
      residual.choose(context, head, codes);
      residual.fit(head, codes);
    }
  }
}

}  // namespace mhe::labels
