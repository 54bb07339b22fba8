// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mhe/context.h>

#include "tasks/task.h"

namespace mhe::tasks {

/// A face of a font file. Faces of one family are always in the same part.
struct FontFace {
  Split split = Split::kTrain;
  std::string family;
  std::string path;  ///< below the directory of fonts
  long face_index = 0;
};

struct CjkGlyphsOptions {
  std::string fonts = "/usr/share/fonts";  ///< where Debian has its fonts
  std::vector<FontFace> faces;             ///< empty: those of cjk_font_packages()
  char32_t first = 0x4E00;                 ///< characters [first, last]: CJK Unified Ideographs
  char32_t last = 0x9FFF;
  std::uint32_t every = 1;    ///< only characters whose code point is a multiple of it
  std::size_t variants = 2;   ///< pictures of a character and training face
  std::size_t min_faces = 3;  ///< training faces that a character must have
  std::vector<std::pair<std::string, std::string>> versions;  ///< of the packages; for task.json
};

/// The Debian packages that hold the default faces.
[[nodiscard]] std::vector<std::string> cjk_font_packages();

/// Picture of 32 x 32 greys -> the Chinese character it shows, a label a row.
///
/// NAME.npy holds uint8 rows of 1,024 (0 is paper), NAME.labels.txt the character of each row;
/// families of dev and test are in no other part. A character of a face is left out if its outline
/// is missing, empty, that of .notdef or that of another character as well, or if it looks the same
/// in a face that comes before it, test first, then dev. contact-sheet.png shows a line a face.
///
/// Memory: 1 KB for each of the 21,000 characters of 16 faces, 350 MB, and as much of the fonts,
/// mapped. Throws kNotFound for
/// fonts that are missing.
TaskResult build_cjk_glyphs(const Context& context, const CjkGlyphsOptions& options,
                            const TaskOutput& output);

}  // namespace mhe::tasks
