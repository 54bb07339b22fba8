// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/glyph_renderer.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <utility>

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H

#include "base/check.h"
#include "base/checksum.h"

namespace mhe::tasks {
namespace {

constexpr FT_Int32 kLoadFlags = FT_LOAD_NO_SCALE | FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP;
constexpr std::int32_t kOne = 65536;  // in FreeType's 16.16 numbers

std::uint64_t hash_of(const FT_Outline& outline) {
  if (outline.n_contours <= 0 || outline.n_points <= 0) return 0;
  const auto points =
      std::as_bytes(std::span(outline.points, static_cast<std::size_t>(outline.n_points)));
  const std::uint64_t hash = checksum64(points);
  return hash == 0 ? 1 : hash;  // 0 means no outline
}

}  // namespace

struct GlyphRenderer::Face {
  FT_Library library = nullptr;
  FT_Face face = nullptr;
  std::uint64_t missing_hash = 0;  // outline of .notdef

  Face() = default;
  ~Face() {
    if (face != nullptr) FT_Done_Face(face);
    if (library != nullptr) FT_Done_FreeType(library);
  }
  Face(const Face&) = delete;
  Face& operator=(const Face&) = delete;

  // Null if there is no outline.
  [[nodiscard]] FT_Outline* load(FT_UInt glyph) const {
    if (FT_Load_Glyph(face, glyph, kLoadFlags) != 0) return nullptr;
    return face->glyph->format == FT_GLYPH_FORMAT_OUTLINE ? &face->glyph->outline : nullptr;
  }
};

Placement Placement::random(RandomStream& random) {
  const auto between = [&random](std::int32_t low, std::int32_t high) {
    return low +
           static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(high - low) + 1));
  };
  constexpr std::int32_t kPixel = 64;
  constexpr std::int32_t kSineOf5Degrees = 5712;  // in 65536ths
  Placement placement;
  placement.em_size = between(26 * kPixel, 32 * kPixel);
  placement.shift_x = between(-3 * kPixel / 2, 3 * kPixel / 2);
  placement.shift_y = between(-3 * kPixel / 2, 3 * kPixel / 2);
  placement.slope = between(-kSineOf5Degrees, kSineOf5Degrees);
  return placement;
}

GlyphRenderer::GlyphRenderer(const std::string& path, long face_index)
    : face_(std::make_unique<Face>()) {
  if (!std::filesystem::exists(path)) {
    fail(ErrorCode::kNotFound, "the font {} does not exist", path);
  }
  if (FT_Init_FreeType(&face_->library) != 0) {
    fail(ErrorCode::kInternal, "FreeType cannot be started");
  }
  if (FT_New_Face(face_->library, path.c_str(), face_index, &face_->face) != 0 ||
      face_->face->units_per_EM == 0) {
    fail(ErrorCode::kInvalidData, "{}: expected a font with outlines and a face {}, found none",
         path, face_index);
  }
  FT_Select_Charmap(face_->face, FT_ENCODING_UNICODE);
  const FT_Outline* missing = face_->load(0);
  face_->missing_hash = missing == nullptr ? 0 : hash_of(*missing);
}

GlyphRenderer::~GlyphRenderer() = default;

std::uint64_t GlyphRenderer::outline_hash(char32_t character) {
  const FT_UInt glyph = FT_Get_Char_Index(face_->face, character);
  if (glyph == 0) return 0;
  const FT_Outline* outline = face_->load(glyph);
  if (outline == nullptr) return 0;
  const std::uint64_t hash = hash_of(*outline);
  return hash == face_->missing_hash ? 0 : hash;
}

bool GlyphRenderer::draw(char32_t character, const Placement& placement, Picture& picture) {
  picture.fill(0);
  FT_Outline* outline = face_->load(FT_Get_Char_Index(face_->face, character));
  if (outline == nullptr || outline->n_contours <= 0) return false;
  // From font units to 64ths of a pixel, turned. Square roots are exact, sines would not be.
  const double slope = static_cast<double>(placement.slope) / kOne;
  const double scale =
      static_cast<double>(placement.em_size) / static_cast<double>(face_->face->units_per_EM);
  const auto fixed = [&](double value) {
    return static_cast<FT_Fixed>(std::lround(value * scale * kOne));
  };
  FT_Matrix matrix;
  matrix.xx = matrix.yy = fixed(std::sqrt(1 - slope * slope));
  matrix.xy = fixed(-slope);
  matrix.yx = fixed(slope);
  FT_Outline_Transform(outline, &matrix);
  FT_BBox box;
  FT_Outline_Get_CBox(outline, &box);
  constexpr FT_Pos kMiddle = kGlyphSide * 64 / 2;
  FT_Outline_Translate(outline, kMiddle + placement.shift_x - (box.xMin + box.xMax) / 2,
                       kMiddle + placement.shift_y - (box.yMin + box.yMax) / 2);
  FT_Bitmap bitmap = {};
  bitmap.rows = bitmap.width = kGlyphSide;
  bitmap.pitch = kGlyphSide;  // downwards
  bitmap.buffer = picture.data();
  bitmap.num_grays = 256;
  bitmap.pixel_mode = FT_PIXEL_MODE_GRAY;
  return FT_Outline_Get_Bitmap(face_->library, outline, &bitmap) == 0;
}

std::string freetype_version() {
  FT_Library library = nullptr;
  if (FT_Init_FreeType(&library) != 0) fail(ErrorCode::kInternal, "FreeType cannot be started");
  FT_Int major = 0;
  FT_Int minor = 0;
  FT_Int patch = 0;
  FT_Library_Version(library, &major, &minor, &patch);
  FT_Done_FreeType(library);
  return fmt::format("{}.{}.{}", major, minor, patch);
}

double relative_difference(const Picture& a, const Picture& b) {
  std::uint64_t difference = 0;
  std::uint64_t ink = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference +=
        static_cast<std::uint64_t>(std::abs(static_cast<int>(a[i]) - static_cast<int>(b[i])));
    ink += static_cast<std::uint64_t>(a[i]) + b[i];
  }
  return ink == 0 ? 0 : static_cast<double>(difference) / static_cast<double>(ink);
}

}  // namespace mhe::tasks
