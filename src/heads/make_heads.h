// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// One function for each kind of head and of search; make_dense_head() and DenseSearch::make()
// choose among them.
#pragma once

#include <memory>

#include "heads/dense_head.h"
#include "heads/dense_search.h"

namespace mhe::heads {

/// One output a label: trained on all of them, or on the groups that a batch touches (MHS).
[[nodiscard]] std::unique_ptr<DenseHead> make_flat_head(const Context& context, HeadSpec spec,
                                                        HeadSetup setup);
[[nodiscard]] std::unique_ptr<DenseSearch> make_flat_search(const HeadSpec& spec,
                                                            const FindTensor& find);

/// MHC. Its loss: at level 1 over all n_1 outputs; at each level after it over the children of the
/// example's parents, all of them together, which are its true parents and as many of the best
/// others as make `candidates`. Summed over the levels. Numbers that are no label are trained as
/// negatives.
[[nodiscard]] std::unique_ptr<DenseHead> make_cascade_head(const Context& context, HeadSpec spec,
                                                           const HeadSetup& setup);
[[nodiscard]] std::unique_ptr<DenseSearch> make_cascade_search(const HeadSpec& spec,
                                                               const FindTensor& find);

/// MHP: all heads are one matrix, so a step is three matrix products over the sum of the lengths
/// however many labels there are. "table" and "bias" have the outputs as ProductLayout says;
/// "label_at" is there with an order, "codes" [head][label] for kTable.
[[nodiscard]] std::unique_ptr<DenseHead> make_product_head(const Context& context, HeadSpec spec,
                                                           const HeadSetup& setup);
[[nodiscard]] std::unique_ptr<DenseSearch> make_product_search(const HeadSpec& spec,
                                                               const FindTensor& find);

}  // namespace mhe::heads
