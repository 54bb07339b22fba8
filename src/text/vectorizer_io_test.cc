// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "text/builder.h"
#include "text/hash.h"
#include "text/vectorizer.h"

namespace mhe::text {
namespace {

Vectorizer make(std::uint32_t hash_bits) {
  const Context context({.threads = 1});
  TextOptions options;
  options.fields = {{.name = "title", .own = true, .weight = 2}};
  options.hash_bits = hash_bits;
  VectorizerBuilder builder(context, options);
  const std::vector<std::string_view> texts = {"sea fish", "fish net net", "sea"};
  builder.add(Documents(texts, 1));
  return builder.finish().vectorizer;
}

VectorizerArrays arrays_of(const VectorizerView& view) {
  VectorizerArrays arrays = {.num_documents = view.num_documents,
                             .part_offsets = {view.part_offsets.begin(), view.part_offsets.end()},
                             .terms = {},
                             .df = {view.df.begin(), view.df.end()},
                             .idf = {view.idf.begin(), view.idf.end()}};
  arrays.terms.items.assign(view.terms.begin(), view.terms.end());
  arrays.terms.offsets.assign(view.term_begins.begin(), view.term_begins.end());
  return arrays;
}

std::string with_checksum(std::string bytes) {
  const std::uint64_t checksum = hash_bytes(std::string_view(bytes).substr(0, bytes.size() - 8));
  std::memcpy(bytes.data() + bytes.size() - 8, &checksum, 8);
  return bytes;
}

TEST(VectorizerFile, GivesBackWhatWasWritten) {
  for (const std::uint32_t hash_bits : {0U, 8U}) {
    const Vectorizer before = make(hash_bits);
    const Vectorizer after = Vectorizer::read(before.write());
    EXPECT_EQ(after.options(), before.options());
    EXPECT_EQ(after.write(), before.write());
    const Context context({.threads = 1});
    const std::vector<std::string_view> texts = {"fish sea net", "net"};
    EXPECT_EQ(after.transform(context, Documents(texts, 1)),
              before.transform(context, Documents(texts, 1)));
  }
}

TEST(VectorizerFile, IsRefusedWhenCutShortOrLong) {
  const std::string bytes = make(0).write();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW((void)Vectorizer::read(bytes.substr(0, size)), Error) << size;
    if (size >= 16) {
      EXPECT_THROW((void)Vectorizer::read(with_checksum(bytes.substr(0, size))), Error) << size;
    }
  }
  EXPECT_THROW((void)Vectorizer::read(bytes + "x"), Error);
  EXPECT_THROW((void)Vectorizer::read(with_checksum(bytes + "x")), Error);
}

TEST(VectorizerFile, IsRefusedWhenABitIsFlipped) {
  const std::string bytes = make(0).write();
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_THROW((void)Vectorizer::read(flipped), Error) << bit;
  }
}

// What the checksum does not catch, because the file was made to deceive: anything but mhe::Error
// fails this test, above all under the sanitizers.
TEST(VectorizerFile, NeverCrashesWhenMadeToDeceive) {
  for (const std::uint32_t hash_bits : {0U, 8U}) {
    const std::string bytes = make(hash_bits).write();
    for (std::size_t bit = 0; bit < 8 * (bytes.size() - 8); ++bit) {
      std::string flipped = bytes;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
      try {
        const Vectorizer vectorizer = Vectorizer::read(with_checksum(flipped));
        Vectorizer::Scratch scratch(vectorizer);
        const std::vector<std::string_view> fields(vectorizer.options().fields.size(), "sea fish");
        EXPECT_LE(vectorizer.transform_one(fields, scratch).size(), 4U);
      } catch (const Error&) {
        continue;
      }
    }
  }
}

TEST(VectorizerArrays, AreCheckedAgainstEachOther) {
  const Vectorizer good = make(0);
  const auto expect_refused = [&](const auto& spoil) {
    VectorizerArrays arrays = arrays_of(good.view());
    spoil(arrays);
    EXPECT_THROW(Vectorizer(good.options(), arrays), Error);
  };
  expect_refused([](VectorizerArrays& a) { a.df.pop_back(); });
  expect_refused([](VectorizerArrays& a) { a.df[0] = 4; });
  expect_refused([](VectorizerArrays& a) { a.idf[0] = -1; });
  expect_refused([](VectorizerArrays& a) { a.idf[0] = 0; });
  expect_refused([](VectorizerArrays& a) { a.part_offsets = {0, 6}; });
  expect_refused([](VectorizerArrays& a) { a.part_offsets[1] = 7; });
  expect_refused([](VectorizerArrays& a) { std::swap(a.terms.items[0], a.terms.items[4]); });
  expect_refused([](VectorizerArrays& a) { a.terms.offsets[1] = 100; });
}

}  // namespace
}  // namespace mhe::text
