// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "labels/product_codes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_set>
#include <utility>

#include <mhe/label_space.h>

#include "base/check.h"
#include "base/parallel.h"
#include "base/random.h"
#include "labels/digit_vectors.h"
#include "matrix/gemm.h"

namespace mhe::labels {
namespace {

// Labels [begin, end) of the arrangement share the digits [first, last) of the head at hand.
struct DigitRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

// A label's place along the direction of a split; equal ones by where they stand, which is random.
struct Leaning {
  float score = 0;
  std::uint32_t place = 0;

  friend bool operator<(const Leaning& a, const Leaning& b) {
    return a.score != b.score ? a.score < b.score : a.place < b.place;
  }
};

// Clusters the labels for one head after another.
class Coder {
 public:
  Coder(const Context& context, std::size_t num_labels, MatrixView embeddings,
        std::span<const std::uint32_t> lengths, const ProductCodeOptions& options)
      : context_(context),
        embeddings_(embeddings),
        lengths_(lengths),
        options_(options),
        width_(std::min(embeddings.num_columns, options.max_width)),
        codes_(num_labels * lengths.size()),
        points_(num_labels * width_),
        labels_(num_labels),
        groups_(num_labels),
        leanings_(num_labels),
        marks_(num_labels) {}

  // `all_heads_count`: labels are told apart by all their digits and no fewer.
  std::vector<std::uint32_t> run(bool all_heads_count) {
    take_points();
    for (std::size_t head = 0; head < lengths_.size(); ++head) {
      arrange(head, all_heads_count);
      cluster(head);
      // What the next head has to tell: how labels differ from others of the same digit.
      (void)subtract_means({points_.data(), labels_.size(), width_}, codes_, head, lengths_);
      context_.report({"choosing digits", head + 1, lengths_.size(), "heads"});
    }
    if (all_heads_count) return std::move(codes_);
    if (width_ > 0) {
      take_points();
      improve_codes(context_, {points_.data(), labels_.size(), width_}, codes_, lengths_);
    }
    if (!part_equal_labels()) return run(true);
    return std::move(codes_);
  }

 private:
  [[nodiscard]] std::span<std::uint32_t> code(std::size_t label) {
    return std::span(codes_).subspan(label * lengths_.size(), lengths_.size());
  }
  [[nodiscard]] std::span<const float> point(std::size_t label) const {
    return std::span(points_).subspan(label * width_, width_);
  }

  // The embeddings, or if they are wide a projection that keeps distances: signs at random do
  // that as well as anything (Achlioptas 2003).
  void take_points() {
    if (width_ == embeddings_.num_columns) {
      std::copy_n(embeddings_.data, points_.size(), points_.begin());
      return;
    }
    std::vector<float> signs(embeddings_.num_columns * width_);
    RandomStream random(context_.seed(), "codes.project");
    for (float& sign : signs) sign = (random() >> 63U) != 0 ? 1.0F : -1.0F;
    multiply(context_, rows_of(embeddings_),
             rows_of(MatrixView{signs.data(), embeddings_.num_columns, width_}),
             embeddings_.num_columns, {points_.data(), labels_.size(), width_});
  }

  // Labels in a random order, those with equal digits so far together if all heads count.
  void arrange(std::size_t head, bool all_heads_count) {
    std::iota(labels_.begin(), labels_.end(), 0U);
    RandomStream(context_.seed(), "codes.arrange", head).shuffle(std::span(labels_));
    std::fill(groups_.begin(), groups_.end(), 0U);
    if (!all_heads_count || head == 0) return;
    const auto prefix = [&](std::uint32_t label) { return code(label).first(head); };
    std::stable_sort(labels_.begin(), labels_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::lexicographical_compare(prefix(a).begin(), prefix(a).end(), prefix(b).begin(),
                                          prefix(b).end());
    });
    for (std::size_t i = 1; i < labels_.size(); ++i) {
      const bool same = std::equal(prefix(labels_[i]).begin(), prefix(labels_[i]).end(),
                                   prefix(labels_[i - 1]).begin());
      groups_[labels_[i]] = groups_[labels_[i - 1]] + (same ? 0 : 1);
    }
  }

  // Halves ranges of digits, level by level; nodes of a level share nothing.
  void cluster(std::size_t head) {
    std::vector<DigitRange> nodes = {{0, labels_.size(), 0, lengths_[head]}};
    while (!nodes.empty()) {
      std::vector<std::size_t> cuts(nodes.size());
      parallel_blocks(context_, nodes.size(), 1, [&](const Block& block) {
        cuts[block.begin] = split(nodes[block.begin], head);
      });
      std::vector<DigitRange> children;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const std::uint32_t middle = nodes[i].first + (nodes[i].last - nodes[i].first) / 2;
        keep(head, {nodes[i].begin, cuts[i], nodes[i].first, middle}, children);
        keep(head, {cuts[i], nodes[i].end, middle, nodes[i].last}, children);
      }
      nodes = std::move(children);
    }
  }

  // A node of one digit is done.
  void keep(std::size_t head, const DigitRange& node, std::vector<DigitRange>& nodes) {
    if (node.last - node.first > 1 && node.end > node.begin) {
      nodes.push_back(node);
      return;
    }
    for (std::size_t i = node.begin; i < node.end; ++i) code(labels_[i])[head] = node.first;
  }

  // Parts a node's labels, those of the lower digits first; returns where the others begin.
  std::size_t split(const DigitRange& node, std::size_t head) {
    if (node.last - node.first < 2) return node.end;
    const std::span<std::uint32_t> members =
        std::span(labels_).subspan(node.begin, node.end - node.begin);
    std::vector<float> direction = first_direction(members, node, head);
    for (std::int32_t iteration = 0;; ++iteration) {
      const bool changed = choose_sides(node, direction);  // of the first it says nothing
      if ((!changed && iteration > 0) || iteration + 1 >= options_.max_iterations) break;
      direction = mean_difference(node);
    }
    const auto left = std::stable_partition(members.begin(), members.end(),
                                            [&](std::uint32_t l) { return marks_[l] != 0; });
    return node.begin + static_cast<std::size_t>(left - members.begin());
  }

  // From one label, drawn at random, to another.
  [[nodiscard]] std::vector<float> first_direction(std::span<const std::uint32_t> members,
                                                   const DigitRange& node, std::size_t head) const {
    RandomStream random(context_.seed(), "codes.split",
                        head << 40U | std::uint64_t{node.first} << 8U |
                            static_cast<std::uint64_t>(std::bit_width(node.last - node.first)));
    const std::span<const float> a = point(members[random.below(members.size())]);
    const std::span<const float> b = point(members[random.below(members.size())]);
    std::vector<float> direction(width_);
    for (std::size_t j = 0; j < width_; ++j) direction[j] = b[j] - a[j];
    return direction;
  }

  // Of every group its share of labels that lean back most goes left; the shares are rounded so
  // that they add up. Says whether anything changed.
  bool choose_sides(const DigitRange& node, std::span<const float> direction) {
    const std::uint64_t digits = node.last - node.first;
    const auto left_before = [&](std::size_t i) {
      return (i - node.begin) * (digits / 2) / digits;
    };
    bool changed = false;
    for (std::size_t begin = node.begin; begin < node.end;) {
      std::size_t end = begin;
      for (; end < node.end && groups_[labels_[end]] == groups_[labels_[begin]]; ++end) {
        const std::span<const float> p = point(labels_[end]);
        leanings_[end] = {std::inner_product(p.begin(), p.end(), direction.begin(), 0.0F),
                          static_cast<std::uint32_t>(end)};
      }
      const std::size_t left = left_before(end) - left_before(begin);
      const auto first = leanings_.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto cut = first + static_cast<std::ptrdiff_t>(left);
      const auto last = leanings_.begin() + static_cast<std::ptrdiff_t>(end);
      if (cut != last) std::nth_element(first, cut, last);
      for (auto it = first; it != last; ++it) {
        std::uint8_t& side = marks_[labels_[it->place]];
        const std::uint8_t now = it < cut ? 1 : 0;
        changed = changed || side != now;
        side = now;
      }
      begin = end;
    }
    return changed;
  }

  // In the order of the arrangement, so that sums do not depend on the library's nth_element.
  [[nodiscard]] std::vector<float> mean_difference(const DigitRange& node) const {
    std::vector<double> sums(2 * width_);
    std::size_t counts[2] = {};
    for (std::size_t i = node.begin; i < node.end; ++i) {
      const std::size_t side = marks_[labels_[i]] != 0 ? 0 : 1;
      ++counts[side];
      const std::span<const float> p = point(labels_[i]);
      for (std::size_t j = 0; j < width_; ++j) sums[side * width_ + j] += static_cast<double>(p[j]);
    }
    std::vector<float> difference(width_);
    if (counts[0] == 0 || counts[1] == 0) return difference;
    for (std::size_t j = 0; j < width_; ++j) {
      difference[j] = static_cast<float>(sums[width_ + j] / static_cast<double>(counts[1]) -
                                         sums[j] / static_cast<double>(counts[0]));
    }
    return difference;
  }

  // Hashes stand for codes: two codes with one hash only part labels that were apart already.
  [[nodiscard]] static std::uint64_t hash_of(std::span<const std::uint32_t> code) {
    std::uint64_t hash = 0;
    for (const std::uint32_t digit : code) hash = RandomStream(hash, "codes.hash", digit)();
    return hash;
  }

  // A label with the digits of an earlier one changes a digit. False if that leads nowhere, as it
  // may with few labels.
  bool part_equal_labels() {
    std::unordered_set<std::uint64_t> taken;
    std::vector<std::uint32_t> equal;
    for (std::uint32_t label = 0; label < labels_.size(); ++label) {
      if (!taken.insert(hash_of(code(label))).second) equal.push_back(label);
    }
    RandomStream random(context_.seed(), "codes.part");
    return std::all_of(equal.begin(), equal.end(), [&](std::uint32_t label) {
      return change_digit(code(label), random, taken);
    });
  }

  bool change_digit(std::span<std::uint32_t> code, RandomStream& random,
                    std::unordered_set<std::uint64_t>& taken) const {
    constexpr int kMaxTries = 1000;  // half of all codes are free: each try has a fair chance
    for (int i = 0; i < kMaxTries; ++i) {
      const std::size_t head = random.below(lengths_.size());
      const std::uint32_t old = code[head];
      code[head] = static_cast<std::uint32_t>(random.below(lengths_[head]));
      if (taken.insert(hash_of(code)).second) return true;
      code[head] = old;
    }
    return false;
  }

  const Context& context_;
  MatrixView embeddings_;
  std::span<const std::uint32_t> lengths_;
  const ProductCodeOptions& options_;
  std::size_t width_;
  std::vector<std::uint32_t> codes_;   // [label][head]
  std::vector<float> points_;          // [label][width]: what earlier heads left
  std::vector<std::uint32_t> labels_;  // the arrangement
  std::vector<std::uint32_t> groups_;  // [label]: labels that must be told apart from here on
  std::vector<Leaning> leanings_;      // by place
  std::vector<std::uint8_t> marks_;    // [label]: on the left of a split
};

// Whether labels can be told apart even without the longest head.
bool has_spare_head(std::size_t num_labels, std::span<const std::uint32_t> lengths) {
  const auto longest = std::max_element(lengths.begin(), lengths.end());
  std::uint64_t covered = 1;
  for (auto it = lengths.begin(); it != lengths.end() && covered < num_labels; ++it) {
    if (it != longest) covered *= *it;  // below 2^32 * 2^32
  }
  return covered >= num_labels;
}

}  // namespace

std::vector<std::uint32_t> product_codes(const Context& context, std::size_t num_labels,
                                         MatrixView embeddings,
                                         std::span<const std::uint32_t> lengths,
                                         const ProductCodeOptions& options) {
  const LabelSpace space(num_labels, {lengths.begin(), lengths.end()});  // checks the lengths
  require(num_labels <= std::numeric_limits<std::uint32_t>::max(),
          "codes are for at most 2^32 - 1 labels, got {}", num_labels);
  require(embeddings.num_columns == 0 || embeddings.num_rows == num_labels,
          "expected an embedding for each of {} labels, got {}", num_labels, embeddings.num_rows);
  for (std::size_t i = 0; i < embeddings.size(); ++i) {
    require(std::isfinite(embeddings.data[i]), "number {} of the embedding of label {} is {}",
            i % embeddings.num_columns, i / embeddings.num_columns, embeddings.data[i]);
  }
  require(options.max_width >= 1 && options.max_iterations >= 1,
          "codes need a width and iterations of at least 1, got {} and {}", options.max_width,
          options.max_iterations);
  return Coder(context, num_labels, embeddings, lengths, options)
      .run(!has_spare_head(num_labels, lengths));
}

}  // namespace mhe::labels
