// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/product_search.h"

#include <algorithm>
#include <cmath>

#include "heads/make_heads.h"
#include "heads/product_targets.h"

namespace mhe::heads {
namespace {

bool precedes(const FoundLabel& a, const FoundLabel& b) {
  return a.score != b.score ? a.score > b.score : a.label < b.label;
}

// Digits of positions.
class DigitsSearch final : public DenseSearch {
 public:
  DigitsSearch(const HeadSpec& spec, const FindTensor& find)
      : scorer_(spec, find),
        decoder_(product_space(spec), spec.rank),
        label_at_(find_label_at(find, spec.num_labels)) {}

  std::span<const FoundLabel> search(std::span<const float> features, std::size_t k,
                                     std::size_t /*beam*/) override {
    scorer_.score(features);
    best_digits_ = scorer_.best_digits();
    phantom_mass_ = 0;
    for (std::size_t g = 0; g < scorer_.layout().rank(); ++g) {
      phantom_mass_ +=
          scorer_.gate(g) * labels::phantom_mass(decoder_.space(), scorer_.probabilities(g));
    }
    const std::size_t found = decoder_.decode(scorer_.probabilities(), scorer_.gates(), k);
    const double scale = scorer_.layout().loss() == Loss::kSigmoid
                             ? std::exp(scorer_.log_scale())
                             : 1 / std::max(1 - phantom_mass_, 1e-30);
    found_.clear();
    for (std::size_t rank = 0; rank < found; ++rank) {
      const std::uint64_t position = decoder_.space().label(decoder_.digits(rank));
      const std::uint64_t label = label_at_.empty() ? position : label_at_[position];
      if (label >= *decoder_.space().num_labels()) continue;  // a damaged file
      found_.push_back({static_cast<LabelId>(label),
                        static_cast<float>(std::min(1.0, decoder_.probability(rank) * scale))});
    }
    // The decoder ranks equal ones by position.
    if (!label_at_.empty()) std::sort(found_.begin(), found_.end(), precedes);
    return found_;
  }

  [[nodiscard]] std::span<const std::uint32_t> best_choices() const override {
    return best_digits_;
  }
  [[nodiscard]] double phantom_mass() const override { return phantom_mass_; }

 private:
  ProductScorer scorer_;
  labels::ProductDecoder decoder_;
  std::span<const std::uint32_t> label_at_;
  std::vector<FoundLabel> found_;
  std::span<const std::uint32_t> best_digits_;
  double phantom_mass_ = 0;
};

}  // namespace

PowersetSearch::PowersetSearch(const HeadSpec& spec, const FindTensor& find)
    : scorer_(spec, find), decoder_(product_space(spec), spec.rank) {}

std::span<const FoundLabel> PowersetSearch::search(std::span<const float> features, std::size_t k,
                                                   std::size_t /*beam*/) {
  scorer_.score(features);
  best_digits_ = scorer_.best_digits();
  found_.clear();
  // The first label of a head is the most significant bit of its digits.
  const ProductLayout& layout = scorer_.layout();
  for (std::size_t h = 0; h < layout.num_heads(); ++h) {
    for (std::size_t bit = layout.length(h) >> 1U; bit > 0; bit >>= 1U) {
      double sum = 0;
      for (std::size_t g = 0; g < layout.rank(); ++g) {
        const std::span<const float> head = layout.head(scorer_.probabilities(g), h);
        double group = 0;
        for (std::size_t digit = 0; digit < head.size(); ++digit) {
          if ((digit & bit) != 0) group += static_cast<double>(head[digit]);
        }
        sum += scorer_.gate(g) * group;
      }
      found_.push_back(
          {static_cast<LabelId>(found_.size()), static_cast<float>(std::min(1.0, sum))});
    }
  }
  std::sort(found_.begin(), found_.end(), precedes);
  return std::span(found_).first(std::min(k, found_.size()));
}

std::vector<PowersetSearch::FoundSet> PowersetSearch::best_sets(std::size_t k) {
  std::vector<FoundSet> sets(decoder_.decode(scorer_.probabilities(), scorer_.gates(), k));
  for (std::size_t rank = 0; rank < sets.size(); ++rank) {
    sets[rank] = {decoder_.space().set_members(decoder_.digits(rank)), decoder_.probability(rank)};
  }
  return sets;
}

std::unique_ptr<DenseSearch> make_product_search(const HeadSpec& spec, const FindTensor& find) {
  switch (spec.code) {
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
