// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a piece of work runs with: threads, seed, memory, where words and progress go, and when to
// stop. Passed in; the only global is the instruction set. Also what the process and machine are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

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
  std::uint64_t ram_bytes = 0;  ///< most memory that the process may take; 0: unbounded
  std::function<void(std::string_view message)> on_warning = {};   ///< may be empty
  std::function<void(const Progress& progress)> on_progress = {};  ///< may be empty
  /// Whether long work shall stop; asked often, from the thread that owns the work. May be empty.
  std::function<bool()> should_stop = {};
};

/// Threads, seed, budget and sinks. Cheap to pass by reference; must outlive the work it is given
/// to.
class Context {
 public:
  explicit Context(ContextOptions options = {});
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] std::size_t threads() const noexcept;
  [[nodiscard]] std::uint64_t seed() const noexcept { return options_.seed; }
  [[nodiscard]] std::uint64_t ram_bytes() const noexcept { return options_.ram_bytes; }
  /// The same threads and sinks with another seed. This one must outlive it.
  [[nodiscard]] Context with_seed(std::uint64_t seed) const;

  /// Says something a person should know; from the thread that owns the work only.
  void warn(std::string_view message) const;
  /// Reports progress, after check_stop(); from the thread that owns the work only. Cheap enough
  /// for every batch.
  void report(const Progress& progress) const;

  /// Whether the caller wants the work to stop: for work that can end early with a result.
  [[nodiscard]] bool stop_requested() const;
  /// Throws kInterrupted if so.
  void check_stop() const;

  /// The library's own: every piece of parallel work runs here.
  [[nodiscard]] base::ThreadPool& pool() const noexcept { return *pool_; }

 private:
  Context(ContextOptions options, std::shared_ptr<base::ThreadPool> pool);

  ContextOptions options_;
  std::shared_ptr<base::ThreadPool> pool_;
};

/// The library's version, such as "0.1.0".
[[nodiscard]] std::string_view version() noexcept;

/// The instruction sets that this build has kernels for and this CPU offers, best first.
[[nodiscard]] std::vector<std::string_view> instruction_sets();
/// The one that kernels run on, such as "AVX2": the best one unless another was chosen.
[[nodiscard]] std::string_view instruction_set_in_use() noexcept;
/// From now on all kernels of the process run on this one; case does not matter. Not while any of
/// them runs. Throws kInvalidArgument if it is not here.
void use_instruction_set(std::string_view name);

/// What the whole process holds, in bytes; 0 where the system does not tell.
struct ProcessMemory {
  std::uint64_t resident = 0;
  std::uint64_t peak = 0;  ///< the most that was ever resident
};

[[nodiscard]] ProcessMemory process_memory();

/// From now on, blocks of a megabyte and more go back to the system when they are freed, where the
/// allocator can do that. A setting of the whole process: for programs, at their start, before
/// there are threads.
void return_large_blocks();

}  // namespace mhe
