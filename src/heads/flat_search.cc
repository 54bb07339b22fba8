// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The best of all labels, each with an output of its own.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "heads/best_labels.h"
#include "heads/find_tensor.h"
#include "heads/registry.h"
#include "kernels/losses.h"
#include "kernels/rows.h"

namespace mhe::heads {
namespace {

// Scores that are made, then looked at while they are in cache.
constexpr std::size_t kSearchRows = 512;

class FlatSearch final : public DenseSearch {
 public:
  FlatSearch(const HeadSpec& spec, const FindTensor& find)
      : loss_(spec.loss),
        table_(find_table(find, "", spec.num_labels, spec.dim)),
        label_at_(find_label_at(find, spec.num_labels)),
        scores_(kSearchRows) {}

  std::span<const ScoredLabel> search(std::span<const float> features, std::size_t k,
                                      std::size_t /*beam*/) override {
    best_.reset(std::min(k, table_.num_rows));
    // The sum of all exponentials so far, as sum * exp(max).
    float max = std::numeric_limits<float>::lowest();
    double sum = 0;
    for (std::size_t begin = 0; begin < table_.num_rows; begin += kSearchRows) {
      const std::size_t size = std::min(kSearchRows, table_.num_rows - begin);
      table_.score(features.data(), begin, size, scores_.data());
      offer(begin, size);
      if (loss_ == Loss::kSigmoid) continue;
      const kernels::MaxSum block = kernels::max_sum(scores_.data(), size);
      const float larger = std::max(max, block.max);
      sum = sum * std::exp(static_cast<double>(max) - static_cast<double>(larger)) +
            static_cast<double>(block.sum) *
                std::exp(static_cast<double>(block.max) - static_cast<double>(larger));
      max = larger;
    }
    found_.clear();
    for (const Scored& item : best_.sort()) {
      const double score = item.score;
      const double probability = loss_ == Loss::kSigmoid
                                     ? 1 / (1 + std::exp(-score))
                                     : std::exp(score - static_cast<double>(max)) / sum;
      found_.push_back({LabelId{item.id}, static_cast<float>(probability)});
    }
    return found_;
  }

 private:
  void offer(std::size_t begin, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      if (!best_.may_enter(scores_[i])) continue;
      const std::size_t label = label_at_.empty() ? begin + i : label_at_[begin + i];
      if (label >= table_.num_rows) continue;  // of a damaged file
      best_.offer({scores_[i], static_cast<std::uint32_t>(label)});
    }
  }

  Loss loss_;
  SearchTable table_;
  std::span<const std::uint32_t> label_at_;
  std::vector<float> scores_;
  BestK best_;
  std::vector<ScoredLabel> found_;
};

}  // namespace

std::unique_ptr<DenseSearch> make_flat_search(const HeadSpec& spec, const FindTensor& find) {
  return std::make_unique<FlatSearch>(spec, find);
}

}  // namespace mhe::heads
