// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>

#include "base/check.h"
#include "base/thread_pool.h"

namespace mhe {
namespace {

// Keeps the exception of the lowest block, so that the error a user sees is not a matter of timing
// where the blocks before it were all done.
class FirstError {
 public:
  void capture(std::size_t block) noexcept {
    const std::lock_guard lock(mutex_);
    if (block < block_) {
      block_ = block;
      error_ = std::current_exception();
    }
    failed_ = true;
  }
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::size_t block_ = std::numeric_limits<std::size_t>::max();
  std::exception_ptr error_;
  std::atomic<bool> failed_ = false;
};

}  // namespace

void parallel_blocks(const Context& context, std::size_t count, std::size_t grain,
                     const std::function<void(const Block& block)>& body) {
  MHE_ASSERT(grain > 0);
  const std::size_t blocks = count / grain + (count % grain == 0 ? 0 : 1);
  if (blocks == 0) return;
  std::atomic<std::size_t> next = 0;
  FirstError error;
  const auto job = [&](std::size_t worker) {
    while (!error.failed()) {
      const std::size_t index = next.fetch_add(1);
      if (index >= blocks) return;
      const std::size_t begin = index * grain;
      try {
        body({begin, std::min(count, begin + grain), index, worker});
      } catch (...) {
        error.capture(index);
      }
    }
  };
  if (blocks == 1) {
    job(0);
  } else {
    context.pool().run(job);
  }
  error.rethrow();
}

void parallel_for(const Context& context, std::size_t count,
                  const std::function<void(std::size_t index)>& body) {
  parallel_blocks(context, count, 1, [&](const Block& block) { body(block.begin); });
}

}  // namespace mhe
