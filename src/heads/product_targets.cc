// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/product_targets.h"

#include <algorithm>
#include <numeric>
#include <variant>

#include "base/check.h"
#include "base/checked.h"
#include "heads/find_tensor.h"

namespace mhe::heads {

LabelSpace product_space(const HeadSpec& spec) {
  if (!spec.has_code(ProductCode::kPowerset)) return {spec.num_labels, spec.lengths};
  LabelSpace space = LabelSpace::full(spec.lengths);
  require(space.num_binary_labels() == spec.num_labels,
          "heads of lengths {} hold {} labels as bits, not {}", space.describe(),
          space.num_binary_labels(), spec.num_labels);
  return space;
}

ProductTargets::ProductTargets(const HeadSpec& spec, const HeadSetup& setup)
    : space_(product_space(spec)),
      code_(std::get<ProductSpec>(spec.own).code),
      num_labels_(spec.num_labels) {
  require(code_ == ProductCode::kDigits || !setup.order,
          "an order of labels is for digits of positions");
  require((code_ == ProductCode::kTable) == !setup.codes.empty(),
          "codes of labels are for product heads with a table of codes, and needed there");
  if (setup.order) take_order(*setup.order);
  if (code_ == ProductCode::kTable) take_codes(setup.codes);
}

ProductTargets::ProductTargets(const HeadSpec& spec, const FindTensor& find)
    : space_(product_space(spec)),
      code_(std::get<ProductSpec>(spec.own).code),
      num_labels_(spec.num_labels) {
  if (code_ == ProductCode::kTable) {
    const auto codes =
        find_codes(find, checked_mul<std::uint64_t>(num_labels_, space_.num_heads(), "digits"));
    codes_.assign(codes.begin(), codes.end());
  }
  if (code_ != ProductCode::kDigits) return;
  const auto label_at = find_label_at(find, num_labels_);
  label_at_.assign(label_at.begin(), label_at.end());
  position_of_.assign(label_at.size(), 0);
  for (std::uint32_t position = 0; position < label_at.size(); ++position) {
    if (label_at[position] >= num_labels_) {
      fail(ErrorCode::kInvalidData, "label {} of the head is out of range; there are {}",
           label_at[position], num_labels_);
    }
    position_of_[label_at[position]] = position;
  }
}

void ProductTargets::take_order(const LabelOrder& order) {
  require(order.num_labels() == num_labels_, "an order of {} labels cannot place {}",
          order.num_labels(), num_labels_);
  require(order.positions()[index_of(order.labels().back())] < num_labels_,
          "product heads need an order without gaps; position {} is beyond {} labels",
          order.positions()[index_of(order.labels().back())], num_labels_);
  position_of_.assign(order.positions().begin(), order.positions().end());
  label_at_.reserve(num_labels_);  // of 10^8 labels, growing would hold half as much again
  for (const LabelId label : order.labels()) {
    label_at_.push_back(static_cast<std::uint32_t>(index_of(label)));
  }
}

void ProductTargets::take_codes(std::span<const std::uint32_t> codes) {
  const std::size_t heads = space_.num_heads();
  require(codes.size() == num_labels_ * heads, "{} labels of {} digits need {} numbers, got {}",
          num_labels_, heads, num_labels_ * heads, codes.size());
  codes_.resize(codes.size());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    require(codes[i] < space_.lengths()[i % heads],
            "digit {} of label {} in head {} is out of range; its length is {}", codes[i],
            i / heads, i % heads + 1, space_.lengths()[i % heads]);
    codes_[i % heads * num_labels_ + i / heads] = codes[i];
  }
  std::vector<std::uint32_t> labels(num_labels_);
  std::iota(labels.begin(), labels.end(), 0U);
  const auto code_of = [&](std::uint32_t label) { return codes.subspan(label * heads, heads); };
  std::sort(labels.begin(), labels.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::lexicographical_compare(code_of(a).begin(), code_of(a).end(), code_of(b).begin(),
                                        code_of(b).end());
  });
  for (std::size_t i = 1; i < labels.size(); ++i) {
    const std::span<const std::uint32_t> before = code_of(labels[i - 1]);
    require(!std::equal(before.begin(), before.end(), code_of(labels[i]).begin()),
            "labels {} and {} have the same digits", labels[i - 1], labels[i]);
  }
}

void ProductTargets::append(std::span<const LabelId> labels,
                            std::vector<std::uint32_t>& digits) const {
  const std::size_t heads = space_.num_heads();
  if (code_ == ProductCode::kPowerset) {
    std::vector<std::uint32_t> members(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) {
      members[i] = static_cast<std::uint32_t>(index_of(labels[i]));
    }
    digits.resize(digits.size() + heads);
    space_.set_digits(members, std::span(digits).last(heads));
    return;
  }
  for (const LabelId id : labels) {
    const std::size_t label = index_of(id);
    require(label < num_labels_, "label {} is out of range; there are {} labels", label,
            num_labels_);
    digits.resize(digits.size() + heads);
    const std::span<std::uint32_t> out = std::span(digits).last(heads);
    if (code_ == ProductCode::kTable) {
      for (std::size_t h = 0; h < heads; ++h) out[h] = codes_[h * num_labels_ + label];
    } else {
      space_.digits(position_of_.empty() ? label : position_of_[label], out);
    }
  }
}

}  // namespace mhe::heads
