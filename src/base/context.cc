// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <thread>
#include <utility>

#include <mhe/context.h>

#include "base/check.h"
#include "base/thread_pool.h"

namespace mhe {

Context::Context(ContextOptions options) : options_(std::move(options)) {
  constexpr std::size_t kMostThreads = 1024;  // more than any machine needs; a typo is refused
  require(options_.threads <= kMostThreads, "{} threads; expected {} at most, or 0: one per core",
          options_.threads, kMostThreads);
  const std::size_t cores = std::max<std::size_t>(1, std::thread::hardware_concurrency());
  pool_ = std::make_shared<base::ThreadPool>(options_.threads == 0 ? cores : options_.threads);
}

Context::Context(ContextOptions options, std::shared_ptr<base::ThreadPool> pool)
    : options_(std::move(options)), pool_(std::move(pool)) {}

Context::~Context() = default;

std::size_t Context::threads() const noexcept {
  return pool_->size();
}

Context Context::with_seed(std::uint64_t seed) const {
  ContextOptions options = options_;
  options.seed = seed;
  return {std::move(options), pool_};
}

void Context::warn(std::string_view message) const {
  if (options_.on_warning) options_.on_warning(message);
}

void Context::report(const Progress& progress) const {
  check_stop();
  if (options_.on_progress) options_.on_progress(progress);
}

bool Context::stop_requested() const {
  return options_.should_stop && options_.should_stop();
}

void Context::check_stop() const {
  if (stop_requested()) fail(ErrorCode::kInterrupted, "stopped by the caller");
}

std::string_view version() noexcept {
  return MHE_VERSION;
}

}  // namespace mhe
