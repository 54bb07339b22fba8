// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Replaces operator new by one that counts; for a program of one source file.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::size_t> num_allocations = 0;
}

// Not inlined: the compiler would see free() meet new and warn.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++num_allocations;
  if (void* memory = std::malloc(size)) return memory;  // NOLINT: this is the allocator
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  ++num_allocations;
  const auto align = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(align, (size + align - 1) / align * align)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  ++num_allocations;
  return std::malloc(size);  // NOLINT: as above
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);  // NOLINT: as above
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);  // NOLINT: as above
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);  // NOLINT: as above
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/,
                                       std::align_val_t /*alignment*/) noexcept {
  std::free(memory);  // NOLINT: as above
}
