// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/head_targets.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "heads/find_tensor.h"

namespace mhe::model {
namespace {

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

std::uint64_t product_of(std::span<const std::uint32_t> lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{1}, std::multiplies<>());
}

}  // namespace

std::optional<HeadTargets> HeadTargets::of(const heads::HeadSpec& spec,
                                           const heads::FindTensor& find, std::size_t num_labels) {
  HeadTargets targets(spec.lengths, std::min<std::size_t>(num_labels, spec.num_labels));
  if (spec.kind() == HeadKind::kProduct) {
    targets.product_.emplace(spec, find);
    return targets;
  }
  if (spec.kind() != HeadKind::kCascade) return std::nullopt;
  targets.place_labels(heads::find_label_at(find, product_of(spec.lengths)));
  return targets;
}

HeadTargets::HeadTargets(std::span<const std::uint32_t> lengths,
                         std::span<const std::uint32_t> label_at, std::size_t num_labels)
    : HeadTargets({lengths.begin(), lengths.end()}, num_labels) {
  place_labels(label_at);
}

void HeadTargets::place_labels(std::span<const std::uint32_t> label_at) {
  if (label_at.empty()) return;
  position_of_.assign(num_labels_, kNowhere);
  for (std::size_t position = 0; position < label_at.size(); ++position) {
    const std::uint32_t label = label_at[position];
    if (label < num_labels_) position_of_[label] = static_cast<std::uint32_t>(position);
  }
}

std::vector<std::uint64_t> HeadTargets::choices() const {
  std::vector<std::uint64_t> choices(lengths_.begin(), lengths_.end());
  if (!are_digits()) {
    std::partial_sum(choices.begin(), choices.end(), choices.begin(), std::multiplies<>());
  }
  return choices;
}

// H for each label, or of sets of labels H for the row.
void HeadTargets::append(std::span<const LabelId> labels,
                         std::vector<std::uint32_t>& wanted) const {
  if (product_) return product_->append(labels, wanted);
  for (const LabelId label : labels) {
    const std::uint64_t position =
        position_of_.empty() ? index_of(label) : position_of_[index_of(label)];
    std::uint64_t stride = product_of(lengths_);
    for (const std::uint32_t length : lengths_) {
      stride /= length;
      // What lies nowhere is a number that no node has.
      wanted.push_back(position == kNowhere ? kNowhere
                                            : static_cast<std::uint32_t>(position / stride));
    }
  }
}

bool HeadTargets::compare(std::span<const LabelId> labels, std::span<const std::uint32_t> chosen,
                          std::span<std::uint8_t> right) const {
  std::vector<LabelId> known;
  std::copy_if(labels.begin(), labels.end(), std::back_inserter(known),
               [&](LabelId label) { return index_of(label) < num_labels_; });
  if (known.empty() && !are_sets()) return false;
  std::vector<std::uint32_t> wanted;
  append(known, wanted);
  std::fill(right.begin(), right.end(), std::uint8_t{0});
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::size_t head = i % num_heads();
    // A search that found nothing chose nothing.
    if (head < chosen.size() && chosen[head] == wanted[i]) right[head] = 1;
  }
  return true;
}

}  // namespace mhe::model
