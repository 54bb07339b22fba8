// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/checked.h"
#include "heads/best_labels.h"
#include "heads/product_scorer.h"
#include "heads/product_search.h"
#include "heads/product_targets.h"
#include "kernels/code_sums.h"
#include "kernels/losses.h"
#include "kernels/rows.h"

namespace mhe::heads {
namespace {

// What a digit that no head has counts: below anything that 64 heads can sum up to.
constexpr float kNoDigit = -1e9F;
constexpr float kLeast = -1e8F;

// Nothing is impossible: 64 heads times this is far above kLeast.
float log_of(double probability) {
  constexpr double kLeastProbability = std::numeric_limits<float>::min();
  return static_cast<float>(kernels::portable_log(std::max(probability, kLeastProbability)));
}

// log(e^a + e^b)
float add_logs(float a, float b) {
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

class TableSearch final : public DenseSearch {
 public:
  TableSearch(const HeadSpec& spec, const FindTensor& find)
      : scorer_(spec, find),
        lengths_(spec.lengths),
        codes_(find_codes(find, checked_mul<std::uint64_t>(spec.num_labels, spec.lengths.size(),
                                                           "the digits of all labels"))),
        table_{codes_, lengths_, spec.num_labels},
        sums_(spec.num_labels) {}

  std::span<const ScoredLabel> search(std::span<const float> features, std::size_t k,
                                      std::size_t /*beam*/) override {
    scorer_.score(features);
    best_digits_ = scorer_.best_digits();
    sum_groups();
    keep_best(k);
    normalize();
    return found_;
  }

  [[nodiscard]] std::span<const std::uint32_t> best_choices() const override {
    return best_digits_;
  }
  [[nodiscard]] double phantom_mass() const override { return phantom_mass_; }

 private:
  // sums_[label] = log of its probability.
  void sum_groups() {
    for (std::size_t g = 0; g < scorer_.layout().rank(); ++g) {
      take_logs(g);
      if (g == 0) {
        kernels::sum_codes(table_, logs_, 0, sums_);
        continue;
      }
      group_sums_.resize(sums_.size());
      kernels::sum_codes(table_, logs_, 0, group_sums_);
      for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] = add_logs(sums_[i], group_sums_[i]);
    }
  }

  // Logs of a group's probabilities, and after each head what a damaged digit counts; the first
  // head bears the gate.
  void take_logs(std::size_t group) {
    const ProductLayout& layout = scorer_.layout();
    const float gate = log_of(scorer_.gate(group));
    logs_.clear();
    for (std::size_t h = 0; h < layout.num_heads(); ++h) {
      for (const float p : layout.head(scorer_.probabilities(group), h)) {
        logs_.push_back(log_of(static_cast<double>(p)) + (h == 0 ? gate : 0));
      }
      logs_.push_back(kNoDigit);
    }
  }

  void keep_best(std::size_t k) {
    best_.reset(std::min(k, sums_.size()));
    for (std::size_t label = 0;; ++label) {
      label += kernels::count_not_above(sums_.data() + label, sums_.size() - label, best_.bound());
      if (label == sums_.size()) break;
      if (sums_[label] > kLeast) best_.offer({sums_[label], static_cast<std::uint32_t>(label)});
    }
    found_.clear();
    for (const Scored& item : best_.sort()) found_.push_back({LabelId{item.id}, item.score});
  }

  // From logs to probabilities.
  void normalize() {
    phantom_mass_ = 1;
    if (found_.empty()) return;
    constexpr float kNegligible = 30;  // 10^8 labels so far below the best sum to 10^-5 of it
    const float best = found_.front().score;
    double sum = 0;
    for (const float log_p : sums_) {
      if (log_p > best - kNegligible) sum += static_cast<double>(std::exp(log_p - best));
    }
    phantom_mass_ = std::max(0.0, 1 - sum * std::exp(static_cast<double>(best)));
    const double scale = scorer_.layout().loss() == Loss::kSigmoid
                             ? std::exp(static_cast<double>(best) + scorer_.log_scale())
                             : 1 / sum;
    for (ScoredLabel& found : found_) {
      found.score = static_cast<float>(
          std::min(1.0, scale * static_cast<double>(std::exp(found.score - best))));
    }
  }

  ProductScorer scorer_;
  std::vector<std::uint32_t> lengths_;
  std::span<const std::uint32_t> codes_;
  kernels::CodeTable table_;
  std::vector<float> logs_;
  std::vector<float> sums_;        // [label]
  std::vector<float> group_sums_;  // [label]: of a group after the first
  BestK best_;
  std::vector<ScoredLabel> found_;
  std::span<const std::uint32_t> best_digits_;
  double phantom_mass_ = 0;
};

}  // namespace

std::unique_ptr<DenseSearch> make_product_table_search(const HeadSpec& spec,
                                                       const FindTensor& find) {
  (void)product_space(spec);  // checks the lengths
  return std::make_unique<TableSearch>(spec, find);
}

}  // namespace mhe::heads
