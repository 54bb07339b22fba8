// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "heads/dense_search.h"

namespace mhe::heads {

/// For ProductCode::kTable: scores every label by its digits, which takes H gathers a label and no
/// arithmetic on features. Probabilities are normalised over the labels.
[[nodiscard]] std::unique_ptr<DenseSearch> make_product_table_search(const HeadSpec& spec,
                                                                     const FindTensor& find);

}  // namespace mhe::heads
