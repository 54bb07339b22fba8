// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The threads behind parallel_for. Nothing else uses this file.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace mhe::base {

/// A fixed set of threads that all run the same job; the caller is one of them.
class ThreadPool {
 public:
  /// Throws kResourceLimit if the system refuses so many threads.
  explicit ThreadPool(std::size_t size);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Workers, the calling thread included; at least 1.
  [[nodiscard]] std::size_t size() const noexcept { return threads_.size() + 1; }

  /// Calls job(worker) once for every worker in [0, size()) and returns when all have returned.
  /// The job must not throw. If the pool is at work already (a nested or concurrent call), the
  /// caller runs job(0) alone: jobs draw their work from a shared counter, so nothing is lost.
  void run(const std::function<void(std::size_t worker)>& job);

 private:
  void serve(std::size_t worker);
  void stop();

  std::mutex run_mutex_;  // held by the caller whose job is running
  std::mutex mutex_;      // guards all below
  std::condition_variable wake_;
  std::condition_variable idle_;
  const std::function<void(std::size_t)>* job_ = nullptr;
  std::uint64_t generation_ = 0;
  std::size_t busy_ = 0;
  bool stopping_ = false;
  std::vector<std::jthread> threads_;  // last: they use the members above
};

}  // namespace mhe::base
