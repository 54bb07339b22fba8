// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The best labels of product heads, exactly. Scores are probabilities given that the answer is a
// label: what the heads gave to phantoms is taken out. (Heads of sigmoids: the product of the
// sigmoids, which need not sum to 1.)
//
// Equal scores go to the smaller label. Two limits keep the time of flat predictions bounded: with
// an order of labels, where more than a thousand are equal at the k-th place, those of the first
// positions are taken; and of several groups over more labels than ProductDecoder looks at, its
// best.
#pragma once

#include <memory>

#include "heads/dense_search.h"

namespace mhe::heads {

/// For ProductCode::kTable: scores every label by its digits, which takes H gathers a label and no
/// arithmetic on features.
[[nodiscard]] std::unique_ptr<DenseSearch> make_product_table_search(const HeadSpec& spec,
                                                                     const FindTensor& find);

}  // namespace mhe::heads
