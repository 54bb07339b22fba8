// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Product heads (MHP): all heads are one matrix, so a step is three matrix products over sum(n)
// rows however many labels there are.
#pragma once

#include <memory>

#include "heads/dense_head.h"

namespace mhe::heads {

/// Throws kInvalidArgument for a spec or setup that cannot be. Tensors: "table" [output][dim],
/// "bias" [output] with the outputs as ProductLayout has them; "label_at" [position] if there is an
/// order; "codes" [head][label] for kTable.
[[nodiscard]] std::unique_ptr<DenseHead> make_product_head(const Context& context, HeadSpec spec,
                                                           HeadSetup setup);

}  // namespace mhe::heads
