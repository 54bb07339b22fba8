// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/product_search.h"

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "heads/product_scorer.h"
#include "heads/product_targets.h"
#include "heads/registry.h"
#include "labels/product_decoder.h"

namespace mhe::heads {
namespace {

bool precedes(const ScoredLabel& a, const ScoredLabel& b) {
  return a.score != b.score ? a.score > b.score : a.label < b.label;
}

// Digits of positions.
class DigitsSearch final : public DenseSearch {
 public:
  DigitsSearch(const HeadSpec& spec, const FindTensor& find)
      : scorer_(spec, find),
        decoder_(product_space(spec), scorer_.layout().rank()),
        label_at_(find_label_at(find, spec.num_labels)) {}

  std::span<const ScoredLabel> search(std::span<const float> features, std::size_t k,
                                      std::size_t /*beam*/) override {
    scorer_.score(features);
    best_digits_ = scorer_.best_digits();
    phantom_mass_ = 0;
    for (std::size_t g = 0; g < scorer_.layout().rank(); ++g) {
      phantom_mass_ +=
          scorer_.gate(g) * labels::phantom_mass(decoder_.space(), scorer_.probabilities(g));
    }
    decode(k);
    const double scale = scorer_.layout().loss() == Loss::kSigmoid
                             ? std::exp(scorer_.log_scale())
                             : 1 / std::max(1 - phantom_mass_, 1e-30);
    found_.clear();
    for (const Decoded& item : decoded_) {
      found_.push_back({item.label, static_cast<float>(std::min(1.0, item.probability * scale))});
    }
    // Different probabilities may be the same float.
    std::sort(found_.begin(), found_.end(), precedes);
    return found_;
  }

  [[nodiscard]] std::span<const std::uint32_t> best_choices() const override {
    return best_digits_;
  }
  [[nodiscard]] double phantom_mass() const override { return phantom_mass_; }

 private:
  struct Decoded {
    double probability;
    LabelId label;
  };
  // With an order, what the decoder ranks by position must be ranked by label. So all that are as
  // good as the k-th are decoded, but for kMostTies: where more are equal, that is where the heads
  // know nothing, those of the first positions are taken.
  static constexpr std::size_t kMostTies = 1024;

  void decode(std::size_t k) {
    k = std::min<std::uint64_t>(k, *decoder_.space().num_labels());
    const auto decode_some = [&](std::size_t count) {
      return decoder_.decode(scorer_.probabilities(), scorer_.gates(), count);
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

  ProductScorer scorer_;
  labels::ProductDecoder decoder_;
  std::span<const std::uint32_t> label_at_;
  std::vector<Decoded> decoded_;
  std::vector<ScoredLabel> found_;
  std::span<const std::uint32_t> best_digits_;
  double phantom_mass_ = 0;
};

// Labels by their own probability, summed over all sets that hold them.
class PowersetSearch final : public DenseSearch {
 public:
  PowersetSearch(const HeadSpec& spec, const FindTensor& find)
      : scorer_(spec, find), decoder_(product_space(spec), scorer_.layout().rank()) {}

  std::span<const ScoredLabel> search(std::span<const float> features, std::size_t k,
                                      std::size_t /*beam*/) override {
    scorer_.score(features);
    best_digits_ = scorer_.best_digits();
    found_.clear();
    // The first label of a head is the most significant bit of its digits.
    const ProductLayout& layout = scorer_.layout();
    for (std::size_t h = 0; h < layout.num_heads(); ++h) {
      for (std::size_t bit = layout.length(h) >> 1U; bit > 0; bit >>= 1U) {
        found_.push_back({static_cast<LabelId>(found_.size()),
                          static_cast<float>(std::min(1.0, probability_of_bit(h, bit)))});
      }
    }
    std::sort(found_.begin(), found_.end(), precedes);
    return std::span(found_).first(std::min(k, found_.size()));
  }

  [[nodiscard]] std::span<const std::uint32_t> best_choices() const override {
    return best_digits_;
  }

  [[nodiscard]] std::vector<LabelSet> best_sets(std::size_t k) override {
    std::vector<LabelSet> sets(decoder_.decode(scorer_.probabilities(), scorer_.gates(), k));
    for (std::size_t rank = 0; rank < sets.size(); ++rank) {
      for (const std::uint32_t member : decoder_.space().set_members(decoder_.digits(rank))) {
        sets[rank].labels.push_back(LabelId{member});
      }
      sets[rank].probability = static_cast<float>(decoder_.probability(rank));
    }
    return sets;
  }

 private:
  [[nodiscard]] double probability_of_bit(std::size_t head, std::size_t bit) const {
    double sum = 0;
    for (std::size_t g = 0; g < scorer_.layout().rank(); ++g) {
      const std::span<const float> digits = scorer_.layout().head(scorer_.probabilities(g), head);
      double group = 0;
      for (std::size_t digit = 0; digit < digits.size(); ++digit) {
        if ((digit & bit) != 0) group += static_cast<double>(digits[digit]);
      }
      sum += scorer_.gate(g) * group;
    }
    return sum;
  }

  ProductScorer scorer_;
  labels::ProductDecoder decoder_;
  std::vector<ScoredLabel> found_;
  std::span<const std::uint32_t> best_digits_;
};

}  // namespace

std::unique_ptr<DenseSearch> make_product_search(const HeadSpec& spec, const FindTensor& find) {
  switch (std::get<ProductSpec>(spec.own).code) {
    case ProductCode::kTable:
      return make_product_table_search(spec, find);
    case ProductCode::kPowerset:
      return std::make_unique<PowersetSearch>(spec, find);
    case ProductCode::kDigits:
      break;
  }
  return std::make_unique<DigitsSearch>(spec, find);
}

}  // namespace mhe::heads
