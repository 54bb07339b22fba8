// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/dense_search.h"

#include <algorithm>

#include "base/check.h"

namespace mhe::heads {

DenseSearch::~DenseSearch() = default;

std::vector<FoundSet> DenseSearch::best_sets(std::size_t /*k*/) {
  fail(ErrorCode::kInvalidArgument, "the head predicts labels, not sets of labels");
}

std::unique_ptr<DenseSearch> make_search(const DenseHead& head) {
  const std::vector<HeadTensor> tensors = head.tensors();
  return DenseSearch::make(head.spec(), [&](std::string_view name) -> const HeadTensor* {
    const auto found = std::find_if(tensors.begin(), tensors.end(),
                                    [&](const HeadTensor& t) { return t.name == name; });
    return found == tensors.end() ? nullptr : &*found;
  });
}

}  // namespace mhe::heads
