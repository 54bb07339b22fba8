// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/definition_rows.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/ascii.h"
#include "base/parallel.h"
#include "tasks/lines.h"
#include "text/hash.h"

namespace mhe::tasks {
namespace {

constexpr std::size_t kMostWords = 80;
constexpr std::size_t kFewestWords = 2;
constexpr std::size_t kMostWordsPerText = 10;
constexpr std::uint64_t kFewestRows = 2;  // a label of one row is never predicted right

using Rows = std::vector<DefinitionRow>;

std::uint64_t hash_of_words(std::span<const PlacedWord> words) {
  std::uint64_t hash = 0;
  for (const PlacedWord& word : words) {
    hash = text::join_hashes(hash, text::hash_bytes(word.word));
  }
  return hash;
}

// Removes the rows that are marked and returns their number.
std::uint64_t remove_marked(Rows& rows, const std::vector<char>& marked) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (marked[i] != 0) continue;
    if (kept != i) rows[kept] = std::move(rows[i]);
    ++kept;
  }
  const std::uint64_t removed = rows.size() - kept;
  rows.resize(kept);
  return removed;
}

std::uint64_t clean_texts(const Context& context, const WordForms& forms, Rows& rows) {
  std::vector<char> too_short(rows.size(), 0);
  constexpr std::size_t kGrain = 1000;
  parallel_blocks(context, rows.size(), kGrain, [&](const Block& block) {
    for (std::size_t i = block.begin; i < block.end; ++i) {
      DefinitionRow& row = rows[i];
      row.text = forms.remove_forms(row.text, row.labels);
      const std::vector<PlacedWord> words = placed_words(row.text);
      row.words_hash = hash_of_words(std::span(words).first(std::min(words.size(), kMostWords)));
      if (words.size() > kMostWords) row.text.resize(words[kMostWords - 1].end);
      too_short[i] = words.size() < kFewestWords ? 1 : 0;
    }
  });
  return remove_marked(rows, too_short);
}

std::uint64_t remove_repeated(Rows& rows) {
  std::unordered_set<std::uint64_t> seen;
  std::vector<char> repeated(rows.size(), 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::uint64_t hash = rows[i].words_hash;
    for (const std::string& label : rows[i].labels) {
      hash = text::join_hashes(hash, text::hash_bytes(label));
    }
    repeated[i] = seen.insert(hash).second ? 0 : 1;
  }
  return remove_marked(rows, repeated);
}

std::uint64_t remove_ambiguous(Rows& rows) {
  std::unordered_map<std::uint64_t, std::unordered_set<std::string_view>> labels_of_text;
  for (const DefinitionRow& row : rows) {
    for (const std::string& label : row.labels) labels_of_text[row.words_hash].insert(label);
  }
  std::vector<char> ambiguous(rows.size(), 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // A synset may have more words than that; all of them are right.
    const std::size_t limit = std::max(kMostWordsPerText, rows[i].labels.size());
    ambiguous[i] = labels_of_text[rows[i].words_hash].size() > limit ? 1 : 0;
  }
  return remove_marked(rows, ambiguous);
}

// train is compared with dev and test, dev with test.
bool is_compared(Split split, Split held_out) {
  return held_out != Split::kTrain && split != held_out && split != Split::kTest;
}

std::uint64_t remove_near_duplicates(const Context& context, Rows& rows) {
  std::unordered_map<std::string_view, std::vector<std::size_t>> held_out;  // rows by label
  std::vector<std::vector<std::uint64_t>> hashes(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].split == Split::kTrain) continue;
    hashes[i] = word_hashes(rows[i].text);
    for (const std::string& label : rows[i].labels) held_out[label].push_back(i);
  }
  std::vector<char> marked(rows.size(), 0);
  constexpr std::size_t kGrain = 1000;
  parallel_blocks(context, rows.size(), kGrain, [&](const Block& block) {
    std::vector<std::uint64_t> words;
    for (std::size_t i = block.begin; i < block.end; ++i) {
      words.clear();
      for (const std::string& label : rows[i].labels) {
        const auto found = held_out.find(label);
        if (found == held_out.end()) continue;
        if (words.empty()) words = word_hashes(rows[i].text);
        for (const std::size_t other : found->second) {
          if (is_compared(rows[i].split, rows[other].split) &&
              are_near_duplicates(words, hashes[other])) {
            marked[i] = 1;
          }
        }
      }
    }
  });
  return remove_marked(rows, marked);
}

std::uint64_t remove_rare_labels(Rows& rows) {
  std::unordered_map<std::string, std::uint64_t> counts;
  std::unordered_set<std::string> removed;
  for (const DefinitionRow& row : rows) {
    if (row.split != Split::kTrain) continue;
    for (const std::string& label : row.labels) ++counts[label];
  }
  std::vector<char> empty(rows.size(), 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::erase_if(rows[i].labels, [&](const std::string& label) {
      const auto found = counts.find(label);
      const bool rare = found == counts.end() || found->second < kFewestRows;
      if (rare) removed.insert(label);
      return rare;
    });
    empty[i] = rows[i].labels.empty() ? 1 : 0;
  }
  remove_marked(rows, empty);
  return removed.size();
}

}  // namespace

std::string label_of_word(std::string_view word) {
  std::string label = squeeze_blanks(word);
  if (label.find(',') != std::string::npos || placed_words(label).empty()) return {};
  std::transform(label.begin(), label.end(), label.begin(), to_lower);
  return label;
}

std::vector<std::uint64_t> word_hashes(std::string_view text) {
  std::vector<std::uint64_t> hashes;
  for (const PlacedWord& word : placed_words(text)) hashes.push_back(text::hash_bytes(word.word));
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  return hashes;
}

bool are_near_duplicates(const std::vector<std::uint64_t>& words,
                         const std::vector<std::uint64_t>& other_words) {
  std::size_t shared = 0;
  for (auto a = words.begin(), b = other_words.begin();
       a != words.end() && b != other_words.end();) {
    if (*a == *b) {
      ++shared;
      ++a;
      ++b;
    } else if (*a < *b) {
      ++a;
    } else {
      ++b;
    }
  }
  const std::size_t all = words.size() + other_words.size() - shared;
  const std::size_t shorter = std::min(words.size(), other_words.size());
  constexpr std::size_t kFewestToContain = 5;
  return (shared > 0 && 10 * shared >= 7 * all) ||
         (shorter >= kFewestToContain && 10 * shared >= 9 * shorter);
}

DefinitionLosses guard_definitions(const Context& context, const WordForms& forms,
                                   std::vector<DefinitionRow>& rows) {
  DefinitionLosses losses;
  losses.too_short = clean_texts(context, forms, rows);
  losses.repeated = remove_repeated(rows);
  losses.ambiguous = remove_ambiguous(rows);
  losses.near_duplicates = remove_near_duplicates(context, rows);
  losses.rare_labels = remove_rare_labels(rows);
  return losses;
}

}  // namespace mhe::tasks
