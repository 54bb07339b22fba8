// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mhe::tasks {

/// A grey picture of any size, row by row; 0 is black.
struct GreyImage {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<std::uint8_t> pixels;
};

/// The picture as a PNG file.
[[nodiscard]] std::string encode_png(const GreyImage& image);

}  // namespace mhe::tasks
