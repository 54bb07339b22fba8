// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"

#include <cstdlib>
#include <fstream>
#include <string>

#include <sys/resource.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <mhe/context.h>

namespace mhe {

ProcessMemory process_memory() {
  ProcessMemory memory;
  std::ifstream file("/proc/self/statm");
  std::uint64_t total_pages = 0;
  std::uint64_t resident_pages = 0;
  if (file >> total_pages >> resident_pages) {
    memory.resident = resident_pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  }
  rusage used = {};
  constexpr std::uint64_t kKibibyte = 1024;  // ru_maxrss counts them
  if (::getrusage(RUSAGE_SELF, &used) == 0) {
    memory.peak = static_cast<std::uint64_t>(used.ru_maxrss) * kKibibyte;
  }
  return memory;
}

void release_free_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

void return_large_blocks() {
#ifdef __GLIBC__
  // Otherwise the first large block that is freed raises this threshold, and what grows later
  // leaves holes behind: reading EURLEX57K took 375 MB in place of 248.
  constexpr int kLargeBytes = 1 << 20;
  ::mallopt(M_MMAP_THRESHOLD, kLargeBytes);  // NOLINT(concurrency-mt-unsafe): no thread yet
#endif
}

}  // namespace mhe
