// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/cjk_glyphs.h"

#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mhe/error.h>

#include "scratch_dir.h"
#include "tasks/glyph_renderer.h"
#include "tiny_font.h"

namespace mhe::tasks {
namespace {

using ::testing::HasSubstr;
using testing::tiny_font;
using testing::TinyGlyph;

constexpr TinyGlyph kMissing = {0, {0, 900, 0}, {0, 0, 900}};

// A triangle with corners (0, 0), (width, 0) and (0, height).
TinyGlyph triangle(char32_t character, std::int16_t width, std::int16_t height) {
  return {character, {0, width, 0}, {0, 0, height}};
}

TEST(GlyphRenderer, TellsWhatAFaceDoesNotHave) {
  const testing::ScratchDir scratch;
  TinyGlyph as_missing = kMissing;
  as_missing.character = U'\u4e03';
  scratch.write("a.ttf",
                tiny_font(kMissing, {triangle(U'\u4e00', 500, 800), triangle(U'\u4e01', 0, 0),
                                     triangle(U'\u4e02', 800, 500), as_missing}));
  GlyphRenderer renderer(scratch.file("a.ttf"), 0);
  EXPECT_NE(renderer.outline_hash(U'\u4e00'), 0U);
  EXPECT_NE(renderer.outline_hash(U'\u4e00'), renderer.outline_hash(U'\u4e02'));
  EXPECT_EQ(renderer.outline_hash(U'\u4e01'), 0U) << "empty";
  EXPECT_EQ(renderer.outline_hash(U'\u4e03'), 0U) << "drawn as .notdef";
  EXPECT_EQ(renderer.outline_hash(U'\u4e04'), 0U) << "not in the font";
}

TEST(GlyphRenderer, DrawsInTheMiddleAndWhereItIsShifted) {
  const testing::ScratchDir scratch;
  scratch.write("a.ttf", tiny_font(kMissing, {triangle(U'\u4e00', 1000, 1000)}));
  GlyphRenderer renderer(scratch.file("a.ttf"), 0);
  Picture picture;
  ASSERT_TRUE(renderer.draw(U'\u4e00', Placement{.em_size = 16 * 64}, picture));
  // The box is [8, 24) both ways; the right angle is at the lower left.
  EXPECT_EQ(picture[23 * kGlyphSide + 8], 255);
  EXPECT_EQ(picture[7 * kGlyphSide + 8], 0);
  EXPECT_EQ(picture[9 * kGlyphSide + 23], 0);
  EXPECT_EQ(picture[23 * kGlyphSide + 7], 0);
  Picture shifted;
  ASSERT_TRUE(renderer.draw(U'\u4e00', Placement{.em_size = 16 * 64, .shift_x = 64}, shifted));
  EXPECT_TRUE(std::equal(picture.begin(), picture.end() - 1, shifted.begin() + 1));
  Picture turned;
  ASSERT_TRUE(renderer.draw(U'\u4e00', Placement{.em_size = 16 * 64, .slope = 5000}, turned));
  EXPECT_GT(relative_difference(picture, turned), 0.02);
  EXPECT_EQ(relative_difference(picture, picture), 0);
}

TEST(GlyphRenderer, RefusesWhatIsNoFont) {
  const testing::ScratchDir scratch;
  scratch.write("a.ttf", "text");
  EXPECT_THROW(GlyphRenderer(scratch.file("a.ttf"), 0), Error);
  EXPECT_THROW(GlyphRenderer(scratch.file("b.ttf"), 0), Error);
}

class CjkGlyphs : public ::testing::Test {
 protected:
  CjkGlyphs() {
    options_.fonts = scratch_.file("");
    options_.first = U'\u4e00';
    options_.last = U'\u4e03';
    options_.min_faces = 1;
    options_.variants = 3;
  }
  void add(Split split, const std::string& name, const std::vector<TinyGlyph>& glyphs) {
    scratch_.write(name, tiny_font(kMissing, glyphs));
    options_.faces.push_back({split, name, name, 0});
  }
  void build(std::size_t threads = 1, const std::string& out = "out") const {
    const Context context(ContextOptions{.threads = threads});
    build_cjk_glyphs(context, options_, {scratch_.file(out), Existing::kRefuse});
  }
  // The labels of a part, sorted.
  [[nodiscard]] std::string labels(const std::string& part) const {
    const std::string text = scratch_.read("out/" + part + ".labels.txt");
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
      lines.push_back(text.substr(at, text.find('\n', at) - at));
    }
    std::sort(lines.begin(), lines.end());
    std::string joined;
    for (const std::string& line : lines) joined += line;
    return joined;
  }

  testing::ScratchDir scratch_;
  CjkGlyphsOptions options_;
};

TEST_F(CjkGlyphs, LeavesOutOutlinesThatCharactersShareAndCopiesOfHeldOutFaces) {
  add(Split::kTrain, "train.ttf",
      {triangle(U'\u4e00', 500, 800), triangle(U'\u4e01', 300, 800), triangle(U'\u4e02', 700, 700),
       triangle(U'\u4e03', 700, 700)});
  add(Split::kTest, "test.ttf",
      {triangle(U'\u4e00', 900, 200), triangle(U'\u4e01', 300, 800), triangle(U'\u4e02', 10, 900)});
  build();
  EXPECT_EQ(labels("train"), "\u4e00\u4e00\u4e00") << "three variants of the one that is left";
  EXPECT_EQ(labels("test"), "\u4e00");
  EXPECT_EQ(labels("dev"), "");
  EXPECT_THAT(scratch_.read("out/task.json"), HasSubstr("1 usable, 0 missing or empty, 2 not"));
}

TEST_F(CjkGlyphs, AreTheSameForAnyNumberOfThreads) {
  add(Split::kTrain, "a.ttf", {triangle(U'\u4e00', 500, 800), triangle(U'\u4e01', 300, 800)});
  add(Split::kTrain, "b.ttf", {triangle(U'\u4e00', 600, 900), triangle(U'\u4e01', 900, 300)});
  add(Split::kTest, "c.ttf", {triangle(U'\u4e00', 400, 900), triangle(U'\u4e01', 900, 100)});
  build(1, "one");
  build(3, "three");
  for (const char* name :
       {"train.npy", "train.labels.txt", "test.npy", "task.json", "contact-sheet.png"}) {
    const std::string bytes = scratch_.read(std::string("one/") + name);
    EXPECT_FALSE(bytes.empty());
    EXPECT_EQ(bytes, scratch_.read(std::string("three/") + name)) << name;
  }
  EXPECT_EQ(scratch_.read("one/train.npy").size(), 128 + 12 * 1024U);
}

TEST_F(CjkGlyphs, KeepsCodePointsThatAreAMultiple) {
  options_.every = 2;
  add(Split::kTrain, "a.ttf",
      {triangle(U'\u4e00', 500, 800), triangle(U'\u4e01', 300, 800), triangle(U'\u4e02', 10, 900)});
  add(Split::kTest, "b.ttf", {triangle(U'\u4e01', 900, 100), triangle(U'\u4e02', 900, 300)});
  build();
  EXPECT_EQ(labels("train"), "\u4e00\u4e00\u4e00\u4e02\u4e02\u4e02");
  EXPECT_EQ(labels("test"), "\u4e02");
}

TEST_F(CjkGlyphs, SaysWhichFontIsMissing) {
  options_.faces = {{Split::kTrain, "x", "no.ttf", 0}};
  EXPECT_THROW(build(), Error);
  EXPECT_FALSE(std::filesystem::exists(scratch_.file("out")));
}

}  // namespace
}  // namespace mhe::tasks
