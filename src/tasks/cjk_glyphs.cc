// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/cjk_glyphs.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <unordered_map>

#include <fmt/format.h>

#include <mhe/dataset.h>

#include "base/check.h"
#include "base/parallel.h"
#include "data/byte_sink.h"
#include "data/zip_writer.h"
#include "tasks/contact_sheet.h"
#include "tasks/glyph_renderer.h"
#include "text/utf8.h"

namespace mhe::tasks {
namespace {

struct DebianFont {
  Split split;
  std::string_view package;
  std::string_view family;
  std::string_view path;
  long face_index;
};

constexpr std::array kDebianFonts = {
    DebianFont{Split::kTest, "fonts-lxgw-wenkai", "LXGW WenKai",
               "truetype/lxgw-wenkai/LXGWWenKai-Regular.ttf", 0},
    DebianFont{Split::kDev, "fonts-wqy-zenhei", "WenQuanYi Zen Hei", "truetype/wqy/wqy-zenhei.ttc",
               0},
    DebianFont{Split::kTrain, "fonts-noto-cjk", "Noto Sans CJK",
               "opentype/noto/NotoSansCJK-Regular.ttc", 2},
    DebianFont{Split::kTrain, "fonts-noto-cjk", "Noto Sans CJK",
               "opentype/noto/NotoSansCJK-Bold.ttc", 2},
    DebianFont{Split::kTrain, "fonts-noto-cjk", "Noto Serif CJK",
               "opentype/noto/NotoSerifCJK-Regular.ttc", 2},
    DebianFont{Split::kTrain, "fonts-noto-cjk", "Noto Serif CJK",
               "opentype/noto/NotoSerifCJK-Bold.ttc", 2},
    DebianFont{Split::kTrain, "fonts-arphic-uming", "AR PL UMing", "truetype/arphic/uming.ttc", 0},
    DebianFont{Split::kTrain, "fonts-arphic-ukai", "AR PL UKai", "truetype/arphic/ukai.ttc", 0},
    DebianFont{Split::kTrain, "fonts-cns11643-sung", "TW-Sung",
               "truetype/cns11643/TW-Sung-98_1.ttf", 0},
    DebianFont{Split::kTrain, "fonts-cns11643-kai", "TW-Kai", "truetype/cns11643/TW-Kai-98_1.ttf",
               0},
    DebianFont{Split::kTrain, "fonts-hanazono", "HanaMin", "truetype/hanazono/HanaMinA.ttf", 0},
    DebianFont{Split::kTrain, "fonts-babelstone-han", "BabelStone Han",
               "truetype/babelstone/BabelStoneHan.ttf", 0},
    DebianFont{Split::kTrain, "fonts-ipamj-mincho", "IPAmj Mincho", "truetype/ipamj/ipamjm.ttf", 0},
    DebianFont{Split::kTrain, "fonts-droid-fallback", "Droid Sans Fallback",
               "truetype/droid/DroidSansFallbackFull.ttf", 0},
    DebianFont{Split::kTrain, "fonts-horai-umefont", "Ume", "truetype/horai-umefont/ume-tgo4.ttf",
               0},
    DebianFont{Split::kTrain, "fonts-unifont", "Unifont", "opentype/unifont/unifont.otf", 0},
};

std::vector<FontFace> default_faces() {
  std::vector<FontFace> faces;
  faces.reserve(kDebianFonts.size());
  for (const DebianFont& font : kDebianFonts) {
    faces.push_back(
        {font.split, std::string(font.family), std::string(font.path), font.face_index});
  }
  return faces;
}

// What was found of one face.
struct FaceGlyphs {
  std::vector<std::uint8_t> usable;  // [character]
  std::uint64_t missing = 0;         // no outline, or an empty one, or .notdef
  std::uint64_t shared = 0;          // outline of several characters
  std::uint64_t copied = 0;          // looks as in a face before
};

class Builder {
 public:
  Builder(const Context& context, const CjkGlyphsOptions& options)
      : context_(context), options_(options), faces_(options.faces) {
    if (faces_.empty()) faces_ = default_faces();
    require(options.first <= options.last && options.last <= 0x10FFFF,
            "characters {:#x} to {:#x} are no range", static_cast<std::uint32_t>(options.first),
            static_cast<std::uint32_t>(options.last));
    require(options.variants >= 1 && options.variants <= 100, "variants {}; expected 1 to 100",
            options.variants);
    require(options.every >= 1, "every {}; expected 1 or more", options.every);
    num_characters_ = options.last - options.first + 1;
    // Held-out faces first: what looks the same is then left out of train.
    std::stable_sort(faces_.begin(), faces_.end(), [](const FontFace& a, const FontFace& b) {
      return static_cast<int>(a.split) > static_cast<int>(b.split);
    });
    renderers_.resize(context.threads());
  }

  TaskResult build(const OutputDirectory& directory) {
    for (std::size_t face = 0; face < faces_.size(); ++face) examine(face);
    choose_characters();
    TaskResult result;
    for (const Split split : kSplits) write_split(directory, split, result);
    write_sheet(directory);
    describe(result);
    return result;
  }

 private:
  struct Job {
    std::uint32_t face;
    std::uint32_t character;
    std::uint32_t variant;
  };
  static constexpr std::size_t kGrain = 64;  // glyphs a thread draws at a stretch

  [[nodiscard]] char32_t code_point(std::size_t character) const {
    return options_.first + static_cast<char32_t>(character);
  }

  // Faces cannot be shared by threads, so each worker has its own.
  GlyphRenderer& renderer(std::size_t worker, std::size_t face) {
    auto& mine = renderers_[worker];
    if (mine.empty()) mine.resize(faces_.size());
    if (!mine[face]) {
      mine[face] = std::make_unique<GlyphRenderer>(options_.fonts + "/" + faces_[face].path,
                                                   faces_[face].face_index);
    }
    return *mine[face];
  }

  // Finds out which characters of a face can be used.
  void examine(std::size_t face) {
    context_.report({"looking at fonts", face, faces_.size(), "faces"});
    FaceGlyphs glyphs;
    glyphs.usable.assign(num_characters_, 0);
    std::vector<std::uint64_t> hashes(num_characters_);
    std::vector<Picture> pictures(num_characters_);
    parallel_blocks(context_, num_characters_, kGrain, [&](const Block& block) {
      GlyphRenderer& mine = renderer(block.worker, face);
      for (std::size_t i = block.begin; i < block.end; ++i) {
        hashes[i] = mine.outline_hash(code_point(i));
        if (hashes[i] != 0 && !mine.draw(code_point(i), Placement(), pictures[i])) hashes[i] = 0;
      }
    });
    std::unordered_map<std::uint64_t, std::uint32_t> uses;
    for (const std::uint64_t hash : hashes) ++uses[hash];
    for (std::size_t i = 0; i < num_characters_; ++i) {
      if (hashes[i] == 0) {
        ++glyphs.missing;
      } else if (uses[hashes[i]] > 1) {
        ++glyphs.shared;
      } else if (looks_as_before(i, pictures[i])) {
        ++glyphs.copied;
      } else {
        glyphs.usable[i] = 1;
      }
    }
    pictures_.push_back(std::move(pictures));
    glyphs_.push_back(std::move(glyphs));
  }

  // Whether a face before draws the character in the same way, but for the last bits.
  [[nodiscard]] bool looks_as_before(std::size_t character, const Picture& picture) const {
    constexpr double kSame = 0.03;  // of their ink; strokes of other hands differ by far more
    for (std::size_t face = 0; face < glyphs_.size(); ++face) {
      if (glyphs_[face].usable[character] != 0 &&
          relative_difference(pictures_[face][character], picture) < kSame) {
        return true;
      }
    }
    return false;
  }

  // Characters that enough training faces have.
  void choose_characters() {
    pictures_ = {};
    chosen_.assign(num_characters_, 0);
    for (std::size_t i = 0; i < num_characters_; ++i) {
      std::size_t count = 0;
      for (std::size_t face = 0; face < faces_.size(); ++face) {
        if (faces_[face].split == Split::kTrain) count += glyphs_[face].usable[i];
      }
      const bool is_wanted = code_point(i) % options_.every == 0;
      chosen_[i] = is_wanted && count >= options_.min_faces ? 1 : 0;
    }
  }

  [[nodiscard]] std::vector<Job> jobs_of(Split split) const {
    std::vector<Job> jobs;
    const std::size_t variants = split == Split::kTrain ? options_.variants : 1;
    for (std::size_t face = 0; face < faces_.size(); ++face) {
      if (faces_[face].split != split) continue;
      for (std::size_t i = 0; i < num_characters_; ++i) {
        if (chosen_[i] == 0 || glyphs_[face].usable[i] == 0) continue;
        for (std::size_t variant = 0; variant < variants; ++variant) {
          jobs.push_back({static_cast<std::uint32_t>(face), static_cast<std::uint32_t>(i),
                          static_cast<std::uint32_t>(variant)});
        }
      }
    }
    RandomStream(1, "cjk.order").shuffle(std::span(jobs));
    return jobs;
  }

  void draw(std::size_t worker, const Job& job, Picture& picture) {
    const std::uint64_t index =
        (job.face * num_characters_ + job.character) * options_.variants + job.variant;
    RandomStream random(1, "cjk.placement", index);
    static_cast<void>(renderer(worker, job.face)
                          .draw(code_point(job.character), Placement::random(random), picture));
  }

  void write_split(const OutputDirectory& directory, Split split, TaskResult& result) {
    const std::vector<Job> jobs = jobs_of(split);
    const std::string stage = fmt::format("drawing {}", name_of(split));
    const SplitFile file = {split, fmt::format("{}.npy", name_of(split)),
                            fmt::format("{}.labels.txt", name_of(split))};
    const auto pixels = data::open_sink(directory.file(file.name), context_.threads());
    pixels->write(data::npy_header("|u1", {jobs.size(), kGlyphSide * kGlyphSide}));
    std::string labels;
    constexpr std::size_t kBatch = 4096;
    std::vector<Picture> batch(kBatch);
    for (std::size_t first = 0; first < jobs.size(); first += kBatch) {
      context_.report({stage, first, jobs.size(), "glyphs"});
      const std::size_t count = std::min(kBatch, jobs.size() - first);
      parallel_blocks(context_, count, kGrain, [&](const Block& block) {
        for (std::size_t i = block.begin; i < block.end; ++i) {
          draw(block.worker, jobs[first + i], batch[i]);
        }
      });
      for (std::size_t i = 0; i < count; ++i) {
        pixels->write({reinterpret_cast<const char*>(batch[i].data()), batch[i].size()});
        text::append_code_point(labels, code_point(jobs[first + i].character));
        labels += '\n';
      }
    }
    pixels->finish();
    write_file(directory.file(file.labels_name), labels);
    result.files.push_back(file);
  }

  void write_sheet(const OutputDirectory& directory) {
    ContactSheet sheet;
    // Characters that lie evenly among the chosen ones.
    std::vector<std::uint32_t> all;
    for (std::size_t i = 0; i < num_characters_; ++i) {
      if (chosen_[i] != 0) all.push_back(static_cast<std::uint32_t>(i));
    }
    for (std::size_t face = 0; face < faces_.size() && !all.empty(); ++face) {
      if (face > 0 && faces_[face].split != faces_[face - 1].split) sheet.add_gap();
      sheet.begin_line();
      for (std::size_t column = 0; column < ContactSheet::kColumns; ++column) {
        const std::uint32_t character = all[column * all.size() / ContactSheet::kColumns];
        Picture picture = {};
        if (glyphs_[face].usable[character] != 0) {
          draw(0, {static_cast<std::uint32_t>(face), character, 0}, picture);
        }
        sheet.add(picture);
      }
    }
    write_file(directory.file("contact-sheet.png"), sheet.png());
  }

  void describe(TaskResult& result) const {
    for (std::size_t face = 0; face < faces_.size(); ++face) {
      const FaceGlyphs& glyphs = glyphs_[face];
      const auto usable = std::count(glyphs.usable.begin(), glyphs.usable.end(), 1);
      result.notes.push_back(
          fmt::format("{:5} {:20}{:6} usable, {} missing or empty, {} not unique, {} copies",
                      name_of(faces_[face].split), faces_[face].family, usable, glyphs.missing,
                      glyphs.shared, glyphs.copied));
    }
  }

  const Context& context_;
  const CjkGlyphsOptions& options_;
  std::vector<FontFace> faces_;
  std::size_t num_characters_ = 0;
  std::vector<std::vector<std::unique_ptr<GlyphRenderer>>> renderers_;  // [worker][face]
  std::vector<std::vector<Picture>> pictures_;                          // [face][character]
  std::vector<FaceGlyphs> glyphs_;                                      // [face]
  std::vector<std::uint8_t> chosen_;                                    // [character]
};

}  // namespace

std::vector<std::string> cjk_font_packages() {
  std::vector<std::string> packages;
  for (const DebianFont& font : kDebianFonts) {
    if (packages.empty() || packages.back() != font.package) packages.emplace_back(font.package);
  }
  return packages;
}

TaskResult build_cjk_glyphs(const Context& context, const CjkGlyphsOptions& options,
                            const TaskOutput& output) {
  OutputDirectory directory(output.directory, output.existing);
  TaskResult result = Builder(context, options).build(directory);
  auto settings = options.versions;
  settings.emplace_back("FreeType", freetype_version());
  settings.emplace_back("variants", std::to_string(options.variants));
  settings.emplace_back("every", std::to_string(options.every));
  write_marker(directory, "cjk-glyphs", settings, result);
  directory.commit();
  return result;
}

}  // namespace mhe::tasks
