// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The only way mhe starts parallel work. Work is split by index, so what is computed never depends
// on the number of threads: write to places chosen by index, reduce in index order afterwards.
#pragma once

#include <cstddef>
#include <functional>

#include <mhe/context.h>

namespace mhe {

/// A run of indices and who does it.
struct Block {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t index = 0;   ///< number of the block: begin / grain
  std::size_t worker = 0;  ///< in [0, context.threads()): for scratch space, never for results
};

/// Calls body(block) for consecutive blocks of `grain` indices that cover [0, count), on all
/// threads, the next free thread taking the next block. The first exception (of the lowest block
/// that threw) is thrown to the caller after all threads have stopped; blocks not yet begun are
/// then skipped. Nested calls run on the calling thread, whose blocks then all have worker 0.
void parallel_blocks(const Context& context, std::size_t count, std::size_t grain,
                     const std::function<void(const Block& block)>& body);

/// Calls body(i) for every i in [0, count); for bodies that are long compared with a call.
void parallel_for(const Context& context, std::size_t count,
                  const std::function<void(std::size_t index)>& body);

}  // namespace mhe
