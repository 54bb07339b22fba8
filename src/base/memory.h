// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace mhe {

/// What the whole process holds, in bytes; 0 where the system does not tell.
struct ProcessMemory {
  std::uint64_t resident = 0;
  std::uint64_t peak = 0;  ///< the most that was ever resident
};

[[nodiscard]] ProcessMemory process_memory();

/// Gives freed memory back to the system where the allocator can, so that what is resident is in
/// use. Takes milliseconds: for the ends of large pieces of work.
void release_free_memory();

/// From now on, blocks of a megabyte and more go back to the system when they are freed, where the
/// allocator can do that. A setting of the whole process: for programs, at their start, before
/// there are threads.
void return_large_blocks();

}  // namespace mhe
