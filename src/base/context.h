// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a piece of work runs with: threads, seed, and where words and progress go. Passed in; there
// are no globals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace mhe {

namespace base {
class ThreadPool;
}

/// How far a long piece of work has come.
struct Progress {
  std::string_view stage;      ///< what is being done, such as "reading train.txt"
  std::uint64_t done = 0;      ///< in units
  std::uint64_t total = 0;     ///< in units; 0 if not known beforehand
  std::string_view unit;       ///< such as "rows" or "bytes"
  std::string_view note = {};  ///< what else there is to tell, such as "epoch 3, loss 0.21"
};

struct ContextOptions {
  std::size_t threads = 0;  ///< 1,024 at most; 0: one per core
  std::uint64_t seed = 1;
  std::function<void(std::string_view message)> on_warning = {};   ///< may be empty
  std::function<void(const Progress& progress)> on_progress = {};  ///< may be empty
};

/// Threads, seed and sinks. Cheap to pass by reference; must outlive the work it is given to.
class Context {
 public:
  explicit Context(ContextOptions options = {});
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] std::size_t threads() const noexcept;
  [[nodiscard]] std::uint64_t seed() const noexcept { return options_.seed; }
  /// The same threads and sinks with another seed. This one must outlive it.
  [[nodiscard]] Context with_seed(std::uint64_t seed) const;

  /// Says something a person should know; from the thread that owns the work only.
  void warn(std::string_view message) const;
  /// Reports progress; from the thread that owns the work only. Cheap enough for every batch.
  void report(const Progress& progress) const;

  [[nodiscard]] base::ThreadPool& pool() const noexcept { return *pool_; }

 private:
  Context(ContextOptions options, std::shared_ptr<base::ThreadPool> pool);

  ContextOptions options_;
  std::shared_ptr<base::ThreadPool> pool_;
};

}  // namespace mhe
