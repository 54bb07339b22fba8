// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The best labels of product heads, exactly. Scores are probabilities given that the answer is a
// label: what the heads gave to phantoms is taken out. (Heads of sigmoids: the product of the
// sigmoids, which need not sum to 1.)
//
// Equal scores go to the smaller label. Two limits keep the time of flat predictions bounded: with
// an order of labels, where more than a thousand are equal at the k-th place, those of the first
// positions are taken; and of several groups over more labels than ProductDecoder looks at, its
// best.
#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>
#include <vector>

#include "base/checked.h"
#include "heads/best_labels.h"
#include "heads/find_tensor.h"
#include "heads/product_outputs.h"
#include "heads/product_targets.h"
#include "heads/registry.h"
#include "heads/set_calibration.h"
#include "kernels/code_sums.h"
#include "kernels/losses.h"
#include "kernels/rows.h"
#include "labels/product_decoder.h"

namespace mhe::heads {
namespace {

bool precedes(const ScoredLabel& a, const ScoredLabel& b) {
  return a.score != b.score ? a.score > b.score : a.label < b.label;
}

// Scores an example: what follows from the probabilities of digits is up to the code of labels.
class ProductSearch : public DenseSearch {
 public:
  ProductSearch(const HeadSpec& spec, const FindTensor& find)
      : layout_(spec),
        table_(find_table(find, "", layout_.num_outputs(), spec.dim)),
        calibration_(spec, find),
        outputs_(layout_.num_outputs()),
        best_digits_(layout_.num_heads()) {}

  std::span<const ScoredLabel> search(std::span<const float> features, std::size_t k,
                                      std::size_t /*beam*/) final {
    require(features.size() == table_.dim, "the head expects {} features, got {}", table_.dim,
            features.size());
    table_.score(features.data(), 0, outputs_.size(), outputs_.data());
    if (calibration_.is_none()) {
      log_scale_ = product_probabilities(layout_, outputs_);
    } else {
      calibration_.make_probabilities(layout_, outputs_);
    }
    find_best_digits();
    found_.clear();
    find_labels(k);
    return found_;
  }

  [[nodiscard]] std::span<const std::uint32_t> best_choices() const final { return best_digits_; }
  [[nodiscard]] double phantom_mass() const final { return phantom_mass_; }

 protected:
  // The k best, to found_.
  virtual void find_labels(std::size_t k) = 0;

  // Of the last example: each head sums to 1. [group][head][digit]
  [[nodiscard]] std::span<const float> probabilities() const {
    return std::span(outputs_).first(layout_.rank() * layout_.group_size());
  }
  [[nodiscard]] std::span<const float> probabilities(std::size_t group) const {
    return layout_.group(std::span<const float>(outputs_), group);
  }
  // One a group; none if there is one group.
  [[nodiscard]] std::span<const float> gates() const {
    return layout_.gates(std::span<const float>(outputs_));
  }
  [[nodiscard]] double gate(std::size_t group) const {
    return layout_.rank() == 1 ? 1.0 : static_cast<double>(gates()[group]);
  }

  const ProductLayout layout_;
  double log_scale_ = 0;  // added to the log of a product of probabilities: that of the sigmoids
  double phantom_mass_ = 0;
  std::vector<ScoredLabel> found_;

 private:
  // Each head's best digit, summed over the groups.
  void find_best_digits() {
    for (std::size_t h = 0; h < layout_.num_heads(); ++h) {
      double best = -1;
      for (std::uint32_t digit = 0; digit < layout_.length(h); ++digit) {
        double sum = 0;
        for (std::size_t g = 0; g < layout_.rank(); ++g) {
          sum += gate(g) * static_cast<double>(layout_.head(probabilities(g), h)[digit]);
        }
        if (sum > best) {
          best = sum;
          best_digits_[h] = digit;
        }
      }
    }
  }

  SearchTable table_;
  SetCalibrationView calibration_;
  std::vector<float> outputs_;
  std::vector<std::uint32_t> best_digits_;
};

// Digits of positions.
class DigitsSearch final : public ProductSearch {
 public:
  DigitsSearch(const HeadSpec& spec, const FindTensor& find)
      : ProductSearch(spec, find),
        decoder_(product_space(spec), layout_.rank()),
        label_at_(find_label_at(find, spec.num_labels)) {}

 private:
  struct Decoded {
    double probability;
    LabelId label;
  };
  // With an order, what the decoder ranks by position must be ranked by label. So all that are as
  // good as the k-th are decoded, but for kMostTies: where more are equal, that is where the heads
  // know nothing, those of the first positions are taken.
  static constexpr std::size_t kMostTies = 1024;

  void find_labels(std::size_t k) override {
    phantom_mass_ = 0;
    for (std::size_t g = 0; g < layout_.rank(); ++g) {
      phantom_mass_ += gate(g) * labels::phantom_mass(decoder_.space(), probabilities(g));
    }
    decode(k);
    const double scale = layout_.loss() == Loss::kSigmoid ? std::exp(log_scale_)
                                                          : 1 / std::max(1 - phantom_mass_, 1e-30);
    for (const Decoded& item : decoded_) {
      found_.push_back({item.label, static_cast<float>(std::min(1.0, item.probability * scale))});
    }
    // Different probabilities may be the same float.
    std::sort(found_.begin(), found_.end(), precedes);
  }

  void decode(std::size_t k) {
    k = std::min<std::uint64_t>(k, *decoder_.space().num_labels());
    const auto decode_some = [&](std::size_t count) {
      return decoder_.decode(probabilities(), gates(), count);
    };
    std::size_t found = decode_some(label_at_.empty() || k == 0 ? k : k + 1);
    for (std::size_t ties = 1; found == k + ties && ties < kMostTies;) {
      if (decoder_.probability(found - 1) < decoder_.probability(k - 1)) break;
      ties *= 4;
      found = decode_some(k + ties);
    }
    decoded_.clear();
    for (std::size_t rank = 0; rank < found; ++rank) {
      const std::uint64_t position = decoder_.space().label(decoder_.digits(rank));
      const std::uint64_t label = label_at_.empty() ? position : label_at_[position];
      if (label >= *decoder_.space().num_labels()) continue;  // a damaged file
      decoded_.push_back({decoder_.probability(rank), static_cast<LabelId>(label)});
    }
    if (label_at_.empty()) return;
    std::sort(decoded_.begin(), decoded_.end(), [](const Decoded& a, const Decoded& b) {
      return a.probability != b.probability ? a.probability > b.probability : a.label < b.label;
    });
    decoded_.resize(std::min(k, decoded_.size()));
  }

  labels::ProductDecoder decoder_;
  std::span<const std::uint32_t> label_at_;
  std::vector<Decoded> decoded_;
};

// Labels by their own probability, summed over all sets that hold them.
class PowersetSearch final : public ProductSearch {
 public:
  PowersetSearch(const HeadSpec& spec, const FindTensor& find)
      : ProductSearch(spec, find), decoder_(product_space(spec), layout_.rank()) {}

  [[nodiscard]] std::vector<LabelSet> best_sets(std::size_t k) override {
    std::vector<LabelSet> sets(decoder_.decode(probabilities(), gates(), k));
    for (std::size_t rank = 0; rank < sets.size(); ++rank) {
      for (const std::uint32_t member : decoder_.space().set_members(decoder_.digits(rank))) {
        sets[rank].labels.push_back(LabelId{member});
      }
      sets[rank].probability = static_cast<float>(decoder_.probability(rank));
    }
    return sets;
  }

 private:
  void find_labels(std::size_t k) override {
    // The first label of a head is the most significant bit of its digits.
    for (std::size_t h = 0; h < layout_.num_heads(); ++h) {
      for (std::size_t bit = layout_.length(h) >> 1U; bit > 0; bit >>= 1U) {
        found_.push_back({static_cast<LabelId>(found_.size()),
                          static_cast<float>(std::min(1.0, probability_of_bit(h, bit)))});
      }
    }
    std::sort(found_.begin(), found_.end(), precedes);
    found_.resize(std::min(k, found_.size()));
  }

  [[nodiscard]] double probability_of_bit(std::size_t head, std::size_t bit) const {
    double sum = 0;
    for (std::size_t g = 0; g < layout_.rank(); ++g) {
      const std::span<const float> digits = layout_.head(probabilities(g), head);
      double group = 0;
      for (std::size_t digit = 0; digit < digits.size(); ++digit) {
        if ((digit & bit) != 0) group += static_cast<double>(digits[digit]);
      }
      sum += gate(g) * group;
    }
    return sum;
  }

  labels::ProductDecoder decoder_;
};

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

// For ProductCode::kTable: scores every label by its digits, which takes H gathers a label and no
// arithmetic on features.
class TableSearch final : public ProductSearch {
 public:
  TableSearch(const HeadSpec& spec, const FindTensor& find)
      : ProductSearch(spec, find),
        lengths_(spec.lengths),
        codes_(find_codes(find, checked_mul<std::uint64_t>(spec.num_labels, spec.lengths.size(),
                                                           "the digits of all labels"))),
        code_table_{codes_, lengths_, spec.num_labels},
        sums_(spec.num_labels) {}

 private:
  void find_labels(std::size_t k) override {
    sum_groups();
    keep_best(k);
    normalize();
  }

  // sums_[label] = log of its probability.
  void sum_groups() {
    for (std::size_t g = 0; g < layout_.rank(); ++g) {
      take_logs(g);
      if (g == 0) {
        kernels::sum_codes(code_table_, logs_, 0, sums_);
        continue;
      }
      group_sums_.resize(sums_.size());
      kernels::sum_codes(code_table_, logs_, 0, group_sums_);
      for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] = add_logs(sums_[i], group_sums_[i]);
    }
  }

  // Logs of a group's probabilities, and after each head what a damaged digit counts; the first
  // head bears the gate.
  void take_logs(std::size_t group) {
    const float log_gate = log_of(gate(group));
    logs_.clear();
    for (std::size_t h = 0; h < layout_.num_heads(); ++h) {
      for (const float p : layout_.head(probabilities(group), h)) {
        logs_.push_back(log_of(static_cast<double>(p)) + (h == 0 ? log_gate : 0));
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
    const double scale = layout_.loss() == Loss::kSigmoid
                             ? std::exp(static_cast<double>(best) + log_scale_)
                             : 1 / sum;
    for (ScoredLabel& found : found_) {
      found.score = static_cast<float>(
          std::min(1.0, scale * static_cast<double>(std::exp(found.score - best))));
    }
  }

  std::vector<std::uint32_t> lengths_;
  std::span<const std::uint32_t> codes_;
  kernels::CodeTable code_table_;
  std::vector<float> logs_;
  std::vector<float> sums_;        // [label]
  std::vector<float> group_sums_;  // [label]: of a group after the first
  BestK best_;
};

}  // namespace

std::unique_ptr<DenseSearch> make_product_search(const HeadSpec& spec, const FindTensor& find) {
  switch (std::get<ProductSpec>(spec.own).code) {
    case ProductCode::kTable:
      (void)product_space(spec);  // checks the lengths
      return std::make_unique<TableSearch>(spec, find);
    case ProductCode::kPowerset:
      return std::make_unique<PowersetSearch>(spec, find);
    case ProductCode::kDigits:
      break;
  }
  return std::make_unique<DigitsSearch>(spec, find);
}

}  // namespace mhe::heads
