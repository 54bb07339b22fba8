// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mhe {

/// Gives freed memory back to the system where the allocator can, so that what is resident is in
/// use. Takes milliseconds: for the ends of large pieces of work.
void release_free_memory();

}  // namespace mhe
