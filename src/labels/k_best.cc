// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "labels/k_best.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/check.h"

namespace mhe::labels {
namespace {

// The log of a positive float is within +-2^7: 64 heads sum to 2^53 units, without overflow.
constexpr double kUnitsPerLog = 0x1.0p40;
constexpr std::uint32_t kBoundaryRow = std::numeric_limits<std::uint32_t>::max();

std::int64_t log_units(float probability) {
  return std::llrint(std::log(static_cast<double>(probability)) * kUnitsPerLog);
}

void check_scores(std::span<const float> scores) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < scores.size(); ++i) {  // the condition is false for NaN
    require(scores[i] >= 0 && scores[i] < kInfinity,
            "score {} is {}; expected a finite probability of 0 or more", i, scores[i]);
  }
}

}  // namespace

KBestDecoder::KBestDecoder(LabelSpace space)
    : space_(std::move(space)), levels_(space_.num_heads()), boundary_(space_.num_heads()) {
  head_begin_.push_back(0);
  for (const std::uint32_t length : space_.lengths()) {
    head_begin_.push_back(head_begin_.back() + length);
  }
  tuple_.resize(space_.num_heads());
}

std::size_t KBestDecoder::decode(std::span<const float> scores, std::size_t k) {
  result_digits_.clear();
  log_probs_.clear();
  require(scores.size() == head_begin_.back(), "heads of lengths {} need {} scores, got {}",
          space_.describe(), head_begin_.back(), scores.size());
  check_scores(scores);
  if (space_.num_labels()) k = std::min<std::uint64_t>(k, *space_.num_labels());
  require(k < kBoundaryRow, "at most {} labels can be decoded at once, asked for {}",
          kBoundaryRow - 1, k);
  if (k == 0) return 0;
  scores_ = scores;
  find_possible(k);
  emit_possible(k);
  if (size() < k) emit_impossible(k);
  scores_ = {};
  return size();
}

void KBestDecoder::find_possible(std::size_t k) {
  boundary_possible_ = true;
  for (std::size_t head = 0; head < space_.num_heads(); ++head) {
    select_digits(head, space_.lengths()[head], k, digits_);
    boundary_digits_.clear();
    if (boundary_possible_) select_digits(head, space_.last_label()[head], k, boundary_digits_);
    extend(head, k);
    advance_boundary(head);
  }
}

// The k best digits below `bound`, best first, without those of probability 0. They are chosen
// without taking a logarithm: the bits of positive floats rise with their values, and neighbours
// lie some 2^16 units of log-probability apart.
void KBestDecoder::select_digits(std::size_t head, std::uint32_t bound, std::size_t k,
                                 std::vector<Digit>& out) const {
  const auto better = [](const Digit& a, const Digit& b) {
    return a.score != b.score ? a.score > b.score : a.digit < b.digit;
  };
  const std::span<const float> scores = scores_.subspan(head_begin_[head], bound);
  out.clear();
  for (std::uint32_t digit = 0; digit < bound; ++digit) {
    if (scores[digit] == 0) continue;
    const Digit candidate = {std::bit_cast<std::int32_t>(scores[digit]), digit};
    if (out.size() == k) {  // a heap with the worst of the k best on top
      if (!better(candidate, out.front())) continue;
      std::pop_heap(out.begin(), out.end(), better);
      out.back() = candidate;
      std::push_heap(out.begin(), out.end(), better);
    } else {
      out.push_back(candidate);
      if (out.size() == k) std::make_heap(out.begin(), out.end(), better);
    }
  }
  std::sort(out.begin(), out.end(), better);
  for (Digit& d : out) d.score = log_units(scores[d.digit]);
}

bool KBestDecoder::later(const Pair& a, const Pair& b) noexcept {
  if (a.score != b.score) return a.score < b.score;
  if (a.row_rank != b.row_rank) return a.row_rank > b.row_rank;
  return a.digit > b.digit;
}

// The k best prefixes of heads 0 .. head that lie before the last label's, so that whatever follows
// is a label: any digit after such a prefix of the level above, or a digit below the last label's
// after the boundary. Prefixes past the boundary are phantoms and never arise.
void KBestDecoder::extend(std::size_t head, std::size_t k) {
  std::vector<Prefix>& level = levels_[head];
  level.clear();
  frontier_.clear();
  if (head > 0 && !levels_[head - 1].empty() && !digits_.empty()) {
    const Prefix& best = levels_[head - 1].front();
    frontier_.push_back({best.score + digits_[0].score, 0, 0, best.label_rank, digits_[0].digit});
  }
  const std::int64_t boundary_score = head > 0 ? boundary_[head - 1].score : 0;
  const auto push_boundary = [&](std::uint32_t column) {
    if (column >= boundary_digits_.size()) return;
    const Digit& d = boundary_digits_[column];
    frontier_.push_back({boundary_score + d.score, kBoundaryRow, column, kBoundaryRow, d.digit});
    std::push_heap(frontier_.begin(), frontier_.end(), later);
  };
  push_boundary(0);
  while (!frontier_.empty() && level.size() < k) {
    std::pop_heap(frontier_.begin(), frontier_.end(), later);
    const Pair pair = frontier_.back();
    frontier_.pop_back();
    level.push_back({pair.score, pair.row, pair.digit, 0});
    if (pair.row == kBoundaryRow) {
      push_boundary(pair.column + 1);
      continue;
    }
    const std::vector<Prefix>& above = levels_[head - 1];
    const auto push = [&](std::uint32_t row, std::uint32_t column) {
      if (row >= above.size() || column >= digits_.size()) return;
      const Digit& d = digits_[column];
      frontier_.push_back(
          {above[row].score + d.score, row, column, above[row].label_rank, d.digit});
      std::push_heap(frontier_.begin(), frontier_.end(), later);
    };
    push(pair.row, pair.column + 1);
    if (pair.column == 0) push(pair.row + 1, 0);  // each pair has one predecessor: none comes twice
  }
  if (head + 1 < space_.num_heads()) rank_by_label(head);
}

void KBestDecoder::advance_boundary(std::size_t head) {
  const std::uint32_t digit = space_.last_label()[head];
  const float score = scores_[head_begin_[head] + digit];
  boundary_possible_ = boundary_possible_ && score > 0;
  if (!boundary_possible_) return;
  boundary_[head] = {(head > 0 ? boundary_[head - 1].score : 0) + log_units(score), kBoundaryRow,
                     digit, kBoundaryRow};
}

void KBestDecoder::rank_by_label(std::size_t head) {
  std::vector<Prefix>& level = levels_[head];
  const auto parent_rank = [&](const Prefix& prefix) {
    return prefix.parent == kBoundaryRow ? kBoundaryRow
                                         : levels_[head - 1][prefix.parent].label_rank;
  };
  by_label_.resize(level.size());
  std::iota(by_label_.begin(), by_label_.end(), 0U);
  std::sort(by_label_.begin(), by_label_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(parent_rank(level[a]), level[a].digit) <
           std::pair(parent_rank(level[b]), level[b].digit);
  });
  for (std::uint32_t rank = 0; rank < by_label_.size(); ++rank) {
    level[by_label_[rank]].label_rank = rank;
  }
}

// The last level is the answer, but for the last label itself, which lies on the boundary.
void KBestDecoder::emit_possible(std::size_t k) {
  const std::size_t heads = space_.num_heads();
  const std::vector<Prefix>& best = levels_.back();
  const auto log_of = [](std::int64_t units) { return static_cast<double>(units) / kUnitsPerLog; };
  bool boundary_pending = boundary_possible_;
  for (std::size_t i = 0; i <= best.size() && size() < k; ++i) {
    if (boundary_pending && (i == best.size() || best[i].score < boundary_.back().score)) {
      emit(space_.last_label(), log_of(boundary_.back().score));
      boundary_pending = false;
      if (size() == k) return;
    }
    if (i == best.size()) return;
    std::uint32_t row = static_cast<std::uint32_t>(i);
    for (std::size_t head = heads; head-- > 0;) {
      tuple_[head] = row == kBoundaryRow ? space_.last_label()[head] : levels_[head][row].digit;
      if (row != kBoundaryRow) row = levels_[head][row].parent;
    }
    emit(tuple_, log_of(best[i].score));
  }
}

// Fewer than k labels have a probability above 0, and all of them are out. The others follow in
// label order; passing over the former costs at most k steps.
void KBestDecoder::emit_impossible(std::size_t k) {
  std::fill(tuple_.begin(), tuple_.end(), 0);
  const std::span<const std::uint32_t> last = space_.last_label();
  while (size() < k) {
    bool possible = true;
    for (std::size_t head = 0; head < tuple_.size(); ++head) {
      possible = possible && scores_[head_begin_[head] + tuple_[head]] > 0;
    }
    if (!possible) emit(tuple_, -std::numeric_limits<double>::infinity());
    if (std::equal(tuple_.begin(), tuple_.end(), last.begin())) return;
    std::size_t head = tuple_.size() - 1;
    while (++tuple_[head] == space_.lengths()[head]) tuple_[head--] = 0;
  }
}

void KBestDecoder::emit(std::span<const std::uint32_t> digits, double log_prob) {
  result_digits_.insert(result_digits_.end(), digits.begin(), digits.end());
  log_probs_.push_back(log_prob);
}

std::span<const std::uint32_t> KBestDecoder::digits(std::size_t rank) const {
  require(rank < size(), "rank {} is out of range; {} labels were decoded", rank, size());
  return std::span(result_digits_).subspan(rank * space_.num_heads(), space_.num_heads());
}

double KBestDecoder::log_prob(std::size_t rank) const {
  require(rank < size(), "rank {} is out of range; {} labels were decoded", rank, size());
  return log_probs_[rank];
}

}  // namespace mhe::labels
