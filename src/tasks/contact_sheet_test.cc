// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/contact_sheet.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <mhe/error.h>

namespace mhe::tasks {
namespace {

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

// The content of a chunk of that name, its checksum checked.
std::string chunk(const std::string& png, std::string_view name) {
  for (std::size_t at = 8; at + 12 <= png.size();) {
    const std::uint32_t size = number_at(png, at);
    const std::string body = png.substr(at + 4, size + 4);
    EXPECT_EQ(number_at(png, at + 8 + size), crc32(0, reinterpret_cast<const Bytef*>(body.data()),
                                                   static_cast<uInt>(body.size())));
    if (body.starts_with(name)) return body.substr(4);
    at += size + 12;
  }
  ADD_FAILURE() << "no chunk " << name;
  return {};
}

TEST(Png, HoldsThePixels) {
  const std::string png = encode_png({3, 2, {0, 100, 255, 7, 8, 9}});
  EXPECT_TRUE(png.starts_with("\x89PNG\r\n\x1A\n"));
  const std::string header = chunk(png, "IHDR");
  EXPECT_EQ(number_at(header, 0), 3U);
  EXPECT_EQ(number_at(header, 4), 2U);
  EXPECT_EQ(header.substr(8), std::string("\x08\x00\x00\x00\x00", 5));
  const std::string packed = chunk(png, "IDAT");
  std::string rows(100, '\0');
  uLongf size = rows.size();
  ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &size,
                       reinterpret_cast<const Bytef*>(packed.data()), packed.size()),
            Z_OK);
  EXPECT_EQ(rows.substr(0, size), std::string("\0\0d\xFF\0\7\x8\x9", 8));
  EXPECT_EQ(chunk(png, "IEND"), "");
}

TEST(Png, RefusesPicturesOfTheWrongSize) {
  EXPECT_THROW(encode_png({2, 2, {0, 0, 0}}), Error);
  EXPECT_THROW(encode_png({}), Error);
}

TEST(ContactSheet, HasALineForEachAndBarsBetween) {
  ContactSheet sheet;
  sheet.begin_line();
  sheet.add(Picture{});
  sheet.add_gap();
  sheet.begin_line();
  sheet.add(Picture{});
  const std::string header = chunk(sheet.png(), "IHDR");
  EXPECT_EQ(number_at(header, 0), 24U * 36);
  EXPECT_EQ(number_at(header, 4), 2U * 36 + 6);
}

}  // namespace
}  // namespace mhe::tasks
