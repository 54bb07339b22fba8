// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Bytes in memory where a file is read, for tests.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "data/byte_source.h"

namespace mhe::data {

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string name, std::string_view bytes)
      : ByteSource(std::move(name)), rest_(bytes), total_(bytes.size()) {}

  std::size_t read(std::span<char> out) override {
    const std::size_t size = std::min(out.size(), rest_.size());
    std::copy_n(rest_.data(), size, out.data());
    rest_.remove_prefix(size);
    consumed_ += size;
    return size;
  }
  [[nodiscard]] std::uint64_t consumed() const noexcept override { return consumed_; }
  [[nodiscard]] std::uint64_t total() const noexcept override { return total_; }

 private:
  std::string_view rest_;
  std::uint64_t total_;
  std::atomic<std::uint64_t> consumed_ = 0;
};

/// The bytes must outlive the source.
[[nodiscard]] inline std::unique_ptr<ByteSource> make_memory_source(std::string name,
                                                                    std::string_view bytes) {
  return std::make_unique<MemorySource>(std::move(name), bytes);
}

}  // namespace mhe::data
