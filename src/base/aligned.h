// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>

namespace mhe {

/// Floats at a 64-byte boundary, a cache line and the widest vector. Grows, never shrinks.
class AlignedFloats {
 public:
  /// `size` zeros; what was there before is gone.
  void assign_zero(std::size_t size) {
    if (size > capacity_) {
      data_.reset(static_cast<float*>(::operator new[](size * sizeof(float), kAlignment)));
      capacity_ = size;
    }
    size_ = size;
    std::fill_n(data_.get(), size, 0.0F);
  }
  [[nodiscard]] float* data() noexcept { return data_.get(); }
  [[nodiscard]] const float* data() const noexcept { return data_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Delete {
    void operator()(float* data) const noexcept { ::operator delete[](data, kAlignment); }
  };
  std::unique_ptr<float[], Delete> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace mhe
