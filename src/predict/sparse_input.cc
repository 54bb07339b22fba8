// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "predict/sparse_input.h"

#include <cmath>
#include <cstddef>

#include "base/check.h"

namespace mhe::predict {

void check(const SparseInput& input) {
  require(input.features.size() == input.values.size(), "{} features, but {} values",
          input.features.size(), input.values.size());
  for (std::size_t i = 0; i < input.features.size(); ++i) {
    require(i == 0 || input.features[i - 1] < input.features[i],
            "feature {} follows feature {}; expected ascending ones", input.features[i],
            input.features[i == 0 ? 0 : i - 1]);
    require(std::isfinite(input.values[i]), "the value of feature {} is not finite",
            input.features[i]);
  }
}

}  // namespace mhe::predict
