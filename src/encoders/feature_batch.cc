// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "encoders/feature_batch.h"

#include <algorithm>

#include "base/parallel.h"

namespace mhe::encoders {
namespace {

// Enough for the threads of one machine; a part of a usual vocabulary's places stays in L1.
constexpr std::size_t kParts = 16;

}  // namespace

// About as many entries for each part, by those of the first batch: later ones are much the same.
void FeatureBatch::cut_ranges(std::span<const SparseRow> inputs) {
  std::vector<std::uint32_t> columns;
  for (const SparseRow& input : inputs) {
    columns.insert(columns.end(), input.columns.begin(), input.columns.end());
  }
  if (columns.empty()) return;
  std::sort(columns.begin(), columns.end());
  for (std::size_t part = 1; part < kParts; ++part) {
    ends_.push_back(columns[part * columns.size() / kParts]);
  }
  ends_.push_back(static_cast<std::uint32_t>(places_.size()));
  parts_.resize(kParts);
}

void FeatureBatch::fill_part(std::span<const SparseRow> inputs, std::size_t index) {
  Part& part = parts_[index];
  part.features.clear();
  part.cuts.clear();
  const std::uint32_t first = index == 0 ? 0 : ends_[index - 1];
  std::uint32_t total = 0;
  for (const SparseRow& input : inputs) {
    const auto begin = std::lower_bound(input.columns.begin(), input.columns.end(), first);
    auto at = begin;
    for (; at != input.columns.end() && *at < ends_[index]; ++at) {
      if (places_[*at]++ == 0) part.features.push_back(*at);
    }
    part.cuts.push_back(static_cast<std::uint32_t>(begin - input.columns.begin()));
    part.cuts.push_back(static_cast<std::uint32_t>(at - input.columns.begin()));
    total += static_cast<std::uint32_t>(at - begin);
  }
  std::sort(part.features.begin(), part.features.end());
  part.begins.assign(1, 0);
  for (const std::uint32_t feature : part.features) {
    const std::uint32_t begin = part.begins.back();
    part.begins.push_back(begin + places_[feature]);
    places_[feature] = begin;
  }
  part.examples.resize(total);
  part.values.resize(total);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (std::size_t j = part.cuts[2 * i]; j < part.cuts[2 * i + 1]; ++j) {
      const std::uint32_t place = places_[inputs[i].columns[j]]++;
      part.examples[place] = static_cast<std::uint32_t>(i);
      part.values[place] = inputs[i].values[j];
    }
  }
  for (const std::uint32_t feature : part.features) places_[feature] = 0;
}

void FeatureBatch::assign(const Context& context, std::span<const SparseRow> inputs) {
  if (ends_.empty()) cut_ranges(inputs);
  parallel_blocks(context, parts_.size(), 1,
                  [&](const Block& block) { fill_part(inputs, block.index); });
}

}  // namespace mhe::encoders
