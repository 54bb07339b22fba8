// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/thread_pool.h"

#include <system_error>

#include "base/check.h"

namespace mhe::base {

ThreadPool::ThreadPool(std::size_t size) {
  try {
    for (std::size_t worker = 1; worker < size; ++worker) {
      threads_.emplace_back([this, worker] { serve(worker); });
    }
  } catch (const std::system_error& error) {
    stop();  // or those that there are would be waited for without end
    fail(ErrorCode::kResourceLimit, "cannot start thread {} of {}: {}", threads_.size() + 1, size,
         error.code().message());
  }
}

ThreadPool::~ThreadPool() {
  stop();
}  // the jthreads join after the lock is gone

void ThreadPool::stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  wake_.notify_all();
}

void ThreadPool::run(const std::function<void(std::size_t worker)>& job) {
  const std::unique_lock running(run_mutex_, std::try_to_lock);
  if (!running.owns_lock() || threads_.empty()) {
    job(0);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
    busy_ = threads_.size();
    ++generation_;
  }
  wake_.notify_all();
  job(0);
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return busy_ == 0; });
}

void ThreadPool::serve(std::size_t worker) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return stopping_ || generation_ != seen; });
    if (stopping_) return;
    seen = generation_;
    const auto* job = job_;
    lock.unlock();
    (*job)(worker);
    lock.lock();
    if (--busy_ == 0) idle_.notify_one();
  }
}

}  // namespace mhe::base
