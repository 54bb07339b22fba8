// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace mhe::text {

/// Makes a buffer at least `size` long. It never shrinks: unlike clear() and resize() for every
/// document, this does not write over what is about to be written anyway.
template <class T>
void make_room(std::vector<T>& buffer, std::size_t size) {
  if (buffer.size() < size) buffer.resize(std::max(size, 2 * buffer.size()));
}

}  // namespace mhe::text
