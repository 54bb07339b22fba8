// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// A beam over the levels of a cascade with dense rows.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "base/checked.h"
#include "heads/best_labels.h"
#include "heads/cascade_nodes.h"
#include "heads/find_tensor.h"
#include "heads/registry.h"
#include "kernels/gemm.h"
#include "kernels/losses.h"

namespace mhe::heads {
namespace {

class CascadeSearch final : public DenseSearch {
 public:
  CascadeSearch(const HeadSpec& spec, const FindTensor& find)
      : spec_(spec),
        cascade_(std::get<CascadeSpec>(spec.own)),
        nodes_(spec),
        label_at_(find_label_at(find, nodes_.num_positions())) {
    for (std::size_t level = 0; level < nodes_.num_levels(); ++level) {
      const std::string name = "level" + std::to_string(level + 1) + ".";
      const std::size_t width = level == 0 ? spec.dim : spec.inner_width();
      tables_.push_back(find_table(find, name, nodes_.num_nodes(level), width));
      if (level > 0 && width != spec.dim) {
        const std::uint64_t size =
            checked_mul<std::uint64_t>(width, spec.dim, "the weights of a projection");
        projections_.push_back(find_floats(find, name + "projection", size).data());
      }
    }
    if (label_at_.empty()) return;
    std::size_t end = label_at_.size();
    while (end > 1 && label_at_[end - 1] >= spec.num_labels) --end;
    nodes_.set_end(end);
  }

  std::span<const ScoredLabel> search(std::span<const float> features, std::size_t k,
                                      std::size_t beam) override {
    if (beam == 0) beam = cascade_.candidates;
    beam_.assign(1, {0.0F, 0});  // the root, whose children are the nodes of level 1
    best_nodes_.clear();
    const std::size_t last = nodes_.num_levels() - 1;
    for (std::size_t level = 0; level < last; ++level) {
      score_level(features, level);
      best_.reset(std::min(beam, nodes_.num_used(level)));
      for_each_child(level, [&](std::size_t node, float score) {
        if (best_.may_enter(score)) best_.offer({score, static_cast<std::uint32_t>(node)});
      });
      const std::span<const Scored> best = best_.sort();
      beam_.assign(best.begin(), best.end());
      if (!best.empty()) best_nodes_.push_back(best.front().id);
    }
    score_level(features, last);
    best_.reset(std::min<std::size_t>(k, spec_.num_labels));
    BestPosition top;
    for_each_child(last, [&](std::size_t position, float score) {
      if (!best_.may_enter(score)) return;
      const std::size_t label = label_at_.empty() ? position : label_at_[position];
      if (label >= spec_.num_labels) return;
      const Scored item = {score, static_cast<std::uint32_t>(label)};
      best_.offer(item);
      top.offer(item, position);
    });
    if (top.is_set) best_nodes_.push_back(top.position);
    found_.clear();
    for (const Scored& item : best_.sort()) {
      found_.push_back({LabelId{item.id}, std::exp(item.score)});
    }
    return found_;
  }

  [[nodiscard]] std::span<const std::uint32_t> best_choices() const override { return best_nodes_; }

 private:
  // Where the best label stands.
  struct BestPosition {
    Scored label = {};
    std::uint32_t position = 0;
    bool is_set = false;

    void offer(const Scored& item, std::size_t at) {
      if (is_set && !is_better(item, label)) return;
      label = item;
      position = static_cast<std::uint32_t>(at);
      is_set = true;
    }
  };

  // The log of the score of the path of each child of the beam, as [parent][child].
  void score_level(std::span<const float> features, std::size_t level) {
    const std::size_t length = nodes_.length(level);
    scores_.resize(beam_.size() * length);
    const float* inner = project(features, level);
    for (std::size_t i = 0; i < beam_.size(); ++i) {
      tables_[level].score(inner, beam_[i].id * length, length, scores_.data() + i * length);
    }
    float log_sum = 0;
    if (spec_.loss == Loss::kSigmoid) {
      kernels::log_sigmoid(scores_.data(), scores_.size());
    } else {
      const kernels::MaxSum all = kernels::max_sum(scores_.data(), scores_.size());
      log_sum = all.max + std::log(all.sum);
    }
    for (std::size_t i = 0; i < beam_.size(); ++i) {
      const float add = (level == 0 ? 0 : cascade_.parent_power * beam_[i].score) - log_sum;
      for (std::size_t j = 0; j < length; ++j) scores_[i * length + j] += add;
    }
  }

  const float* project(std::span<const float> features, std::size_t level) {
    if (level == 0 || projections_.empty()) return features.data();
    const std::size_t width = spec_.inner_width();
    projected_.resize(width);
    kernels::dot_rows({projections_[level - 1], spec_.dim, width, features.data(), spec_.dim, 1,
                       spec_.dim, projected_.data(), 1, 1});
    return projected_.data();
  }

  template <class Body>
  void for_each_child(std::size_t level, const Body& body) const {
    const std::size_t length = nodes_.length(level);
    const std::size_t used = nodes_.num_used(level);
    for (std::size_t i = 0; i < beam_.size(); ++i) {
      const std::size_t first = beam_[i].id * length;
      for (std::size_t j = 0; j < length && first + j < used; ++j) {
        body(first + j, scores_[i * length + j]);
      }
    }
  }

  HeadSpec spec_;
  CascadeSpec cascade_;
  CascadeNodes nodes_;
  std::span<const std::uint32_t> label_at_;
  std::vector<SearchTable> tables_;
  std::vector<const float*> projections_;
  std::vector<float> projected_;
  std::vector<float> scores_;
  std::vector<Scored> beam_;
  BestK best_;
  std::vector<ScoredLabel> found_;
  std::vector<std::uint32_t> best_nodes_;  // [level]
};

}  // namespace

std::unique_ptr<DenseSearch> make_cascade_search(const HeadSpec& spec, const FindTensor& find) {
  return std::make_unique<CascadeSearch>(spec, find);
}

}  // namespace mhe::heads
