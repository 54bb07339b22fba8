// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/neighbours.h"

#include <algorithm>
#include <string_view>

#include "text/term_table.h"
#include "train/validation.h"

namespace mhe::train {
namespace {

// The first letters of a word that words of one stem share; nothing if it is too short to have one.
std::string_view stem_of(std::string_view word) {
  constexpr std::size_t kLetters = 4;
  constexpr std::size_t kShortest = 3;
  std::size_t letters = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(word[i]) & 0xC0U) != 0x80U;  // UTF-8
    if (begins && letters++ == kLetters) return word.substr(0, i);
  }
  return letters < kShortest ? std::string_view() : word;
}

// The words among the terms of the first part, which are sorted by their bytes: those of one stem
// follow each other.
std::vector<heads::NeighbourFeature> words_of(const text::VectorizerView& view) {
  const text::TermTable table(view.slots, view.part_offsets, view.term_begins, view.terms);
  std::vector<heads::NeighbourFeature> words;
  std::string_view last_stem;
  std::uint32_t num_stems = 0;
  for (std::uint64_t column = 0; column < view.part_offsets[1]; ++column) {
    const std::string_view term = table.spelling(column);
    // Pairs of words hold a space, character n-grams begin with a #.
    if (term.starts_with('#') || term.find(' ') != std::string_view::npos) continue;
    const std::string_view stem = stem_of(term);
    if (!stem.empty() && stem != last_stem) {
      last_stem = stem;
      ++num_stems;
    }
    words.push_back(
        {static_cast<std::uint32_t>(column), stem.empty() ? heads::kNoStem : num_stems - 1});
  }
  return words;
}

// Nonzeros by which rows are found.
std::uint64_t count_used(const SparseMatrix& features,
                         const std::vector<heads::NeighbourFeature>& used) {
  std::vector<bool> is_used(features.num_columns, false);
  for (const heads::NeighbourFeature& feature : used) is_used[feature.feature] = true;
  return static_cast<std::uint64_t>(
      std::count_if(features.columns.begin(), features.columns.end(),
                    [&](std::uint32_t column) { return is_used[column]; }));
}

}  // namespace

std::vector<heads::NeighbourFeature> neighbour_features(const TrainingSet& set) {
  if (set.vectorizer) {
    const text::VectorizerView& view = set.vectorizer->view();
    if (!view.term_begins.empty() && view.part_offsets.size() > 1) return words_of(view);
  }
  std::vector<heads::NeighbourFeature> all(set.examples.features.num_columns);
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i].feature = i;
  return all;
}

bool should_try_neighbours(const TrainingSet& set, const TrainOptions& options) {
  constexpr std::uint64_t kMostFeatures = 64;  // of a row, on the mean
  if (options.neighbours >= 0) return options.neighbours > 0;
  return count_used(set.examples.features, neighbour_features(set)) <=
         kMostFeatures * set.examples.rows();
}

std::uint64_t neighbour_bytes(const TrainingSet& set) {
  const std::vector<heads::NeighbourFeature> used = neighbour_features(set);
  const bool has_stems = std::any_of(
      used.begin(), used.end(), [](const auto& feature) { return feature.stem != heads::kNoStem; });
  const std::uint64_t postings = count_used(set.examples.features, used) * (has_stems ? 2 : 1);
  return 4 * postings + 24 * used.size() + 12 * set.examples.rows() +
         4 * set.examples.labels.items.size();
}

float choose_neighbour_weight(const Context& context, const model::LinearMember& member,
                              const Examples& rows) {
  constexpr std::size_t kEnough = 100;  // fewer rows would choose by chance
  constexpr float kWeights[] = {0.2F, 0.35F, 0.5F, 0.65F, 0.8F};
  if (rows.rows() < kEnough) return 0;
  const auto gains_with = [&](float weight) {
    const std::span<const model::Cascade> cascades = member.cascades();
    const model::LinearMember trial({cascades.begin(), cascades.end()},
                                    {member.neighbours().index, weight});
    return discounted_gains(context, ranking_of(trial, rows));
  };
  const std::vector<double> without = gains_with(0);
  std::vector<double> best_gains = without;
  float best = 0;
  for (const float weight : kWeights) {
    std::vector<double> gains = gains_with(weight);
    if (mean_gain(gains) <= mean_gain(best_gains)) break;
    best_gains = std::move(gains);
    best = weight;
  }
  constexpr double kStandardErrors = 2;
  return is_better(best_gains, without, kStandardErrors) ? best : 0;
}

}  // namespace mhe::train
