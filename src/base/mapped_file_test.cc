// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/mapped_file.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <mhe/context.h>
#include <mhe/error.h>

#include "scratch_dir.h"

namespace mhe {
namespace {

using ::testing::HasSubstr;
using testing::ScratchDir;

std::string_view text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

std::string refusal_of(const std::string& path) {
  try {
    (void)MappedFile::open(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "opened";
}

TEST(MappedFile, ShowsTheBytesOfAFile) {
  const ScratchDir dir;
  const MappedFile file = MappedFile::open(dir.write("a", "hello"));
  EXPECT_EQ(text_of(file), "hello");
  EXPECT_EQ(file.path(), dir.file("a"));
}

TEST(MappedFile, KeepsItsBytesInPlaceWhenMoved) {
  const ScratchDir dir;
  MappedFile first = MappedFile::open(dir.write("a", "hello"));
  const std::byte* begin = first.bytes().data();
  MappedFile second = std::move(first);
  EXPECT_EQ(second.bytes().data(), begin);
  MappedFile third = MappedFile::open(dir.write("b", "other"));
  third = std::move(second);
  EXPECT_EQ(third.bytes().data(), begin);
  EXPECT_EQ(text_of(third), "hello");
}

TEST(MappedFile, TakesNoMemoryForWhatItForgot) {
  const ScratchDir dir;
  constexpr std::size_t kBytes = std::size_t{32} << 20U;
  const MappedFile file = MappedFile::open(dir.write("a", std::string(kBytes, 'x')));
  const auto resident_mb = [] { return process_memory().resident >> 20U; };
  const auto count = [&] { return std::count(text_of(file).begin(), text_of(file).end(), 'x'); };
  EXPECT_EQ(count(), kBytes);
  const std::uint64_t all = resident_mb();
  file.forget(file.bytes().subspan(1));
  EXPECT_LE(resident_mb() + 24, all);  // other threads and the allocator may take a little
  EXPECT_EQ(count(), kBytes);
}

TEST(MappedFile, InMemoryIsAlignedLikeAMapping) {
  const std::string_view text = "bytes";
  const MappedFile file = MappedFile::in_memory(std::as_bytes(std::span(text)), "name");
  EXPECT_EQ(text_of(file), "bytes");
  EXPECT_EQ(file.path(), "name");
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(file.bytes().data()) % 64, 0U);
}

TEST(MappedFile, OutlivesTheNameOfTheFile) {
  const ScratchDir dir;
  const MappedFile file = MappedFile::open(dir.write("a", "hello"));
  std::filesystem::remove(dir.file("a"));
  EXPECT_EQ(text_of(file), "hello");
}

TEST(MappedFile, SaysWhyItCannotOpen) {
  const ScratchDir dir;
  EXPECT_THAT(refusal_of(dir.file("missing")), HasSubstr("No such file"));
  EXPECT_THAT(refusal_of(dir.file("")), HasSubstr("is a directory"));
  EXPECT_THAT(refusal_of(dir.write("empty", "")), HasSubstr("is empty"));
  EXPECT_THAT(refusal_of("/dev/null"), HasSubstr("not a regular file"));
  ASSERT_EQ(::mkfifo(dir.file("pipe").c_str(), 0600), 0);
  EXPECT_THAT(refusal_of(dir.file("pipe")), HasSubstr("not a regular file"));
  EXPECT_THROW((void)MappedFile::in_memory({}, "nothing"), Error);
}

}  // namespace
}  // namespace mhe
