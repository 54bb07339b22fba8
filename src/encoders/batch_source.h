// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where training gets its batches from: rows in memory, or whatever can look rows up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <mhe/ids.h>
#include <mhe/input.h>

namespace mhe::encoders {

struct LabelledBatch {
  InputBatch inputs;
  std::span<const std::span<const LabelId>> labels;  ///< [row]: ascending, each once, maybe none
};

class BatchSource {
 public:
  virtual ~BatchSource() = default;
  BatchSource(const BatchSource&) = delete;
  BatchSource& operator=(const BatchSource&) = delete;

  [[nodiscard]] virtual std::size_t rows() const noexcept = 0;
  /// The rows of these numbers, in their order; valid until the next call.
  [[nodiscard]] virtual LabelledBatch gather(std::span<const std::uint32_t> rows) = 0;

 protected:
  BatchSource() = default;
};

}  // namespace mhe::encoders
