// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/random.h"

namespace mhe::tasks {

inline constexpr std::size_t kGlyphSide = 32;

/// A grey picture, row by row; 0 is paper, 255 ink.
using Picture = std::array<std::uint8_t, kGlyphSide * kGlyphSide>;

/// How a glyph lies in its picture.
struct Placement {
  std::int32_t em_size = 29 * 64;  ///< size of the em square, in 64ths of a pixel
  std::int32_t shift_x = 0;        ///< of the middle of the glyph, in 64ths of a pixel
  std::int32_t shift_y = 0;
  std::int32_t slope = 0;  ///< sine of the angle it is turned by, in 65536ths

  /// Sizes from 26 to 32 pixels, shifts up to 1.5 pixels, turns up to 5 degrees.
  [[nodiscard]] static Placement random(RandomStream& random);
};

/// Draws the outlines of one face of a font file, unhinted. Not for several threads at once.
class GlyphRenderer {
 public:
  /// Throws kNotFound or kInvalidData.
  GlyphRenderer(const std::string& path, long face_index);
  ~GlyphRenderer();
  GlyphRenderer(const GlyphRenderer&) = delete;
  GlyphRenderer& operator=(const GlyphRenderer&) = delete;

  /// A hash of the outline that the face has for a character; 0 if there is none, or one without
  /// any contour, or that of .notdef, which stands for characters that a font does not have.
  [[nodiscard]] std::uint64_t outline_hash(char32_t character);

  /// Draws it, the middle of its box in the middle of the picture but for the shift; what does not
  /// fit is cut off. False if there is nothing to draw.
  [[nodiscard]] bool draw(char32_t character, const Placement& placement, Picture& picture);

 private:
  struct Face;
  std::unique_ptr<Face> face_;
};

/// The version of FreeType, on which the last bits of a picture may depend.
[[nodiscard]] std::string freetype_version();

/// The differences of their pixels over their ink: 0 for equal ones, 1 if they have nothing in
/// common.
[[nodiscard]] double relative_difference(const Picture& a, const Picture& b);

}  // namespace mhe::tasks
