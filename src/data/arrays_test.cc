// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// NumPy arrays and archives, made by hand as NumPy and scipy write them.
#include <cstring>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zip.h>

#include "data_testing.h"
#include "scratch_dir.h"

namespace mhe::data {
namespace {

using ::mhe::testing::Parsed;
using ::mhe::testing::read_all;
using ::mhe::testing::read_bytes;
using ::mhe::testing::read_error;
using ::mhe::testing::ScratchDir;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string npy(const std::string& descr, const std::string& shape, const std::string& content,
                const std::string& fortran = "False") {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n", descr, fortran, shape);
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xFF);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header + content;
}

template <class T>
std::string raw(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

enum class Method { kStored = ZIP_CM_STORE, kDeflated = ZIP_CM_DEFLATE };

std::string archive(const std::vector<std::pair<std::string, std::string>>& members,
                    Method method = Method::kStored) {
  const ScratchDir scratch;
  int status = 0;
  zip_t* const zip = ::zip_open(scratch.file("x.npz").c_str(), ZIP_CREATE, &status);
  for (const auto& [name, content] : members) {
    zip_source_t* const source = ::zip_source_buffer(zip, content.data(), content.size(), 0);
    const zip_int64_t index = ::zip_file_add(zip, name.c_str(), source, 0);
    ::zip_set_file_compression(zip, static_cast<zip_uint64_t>(index), static_cast<int>(method), 0);
  }
  ::zip_close(zip);
  return scratch.read("x.npz");
}

struct Csr {
  std::string indices = npy("<i4", "(3,)", raw<std::int32_t>({2, 0, 1}));
  std::string indptr = npy("<i4", "(4,)", raw<std::int32_t>({0, 2, 2, 3}));
  std::string data = npy("<f8", "(3,)", raw<double>({0.5, 2, 1}));
  std::string shape = npy("<i8", "(2,)", raw<std::int64_t>({3, 4}));
  std::string format = npy("|S3", "()", "csr");

  [[nodiscard]] std::string bytes(Method method = Method::kStored) const {
    return archive({{"indices.npy", indices},
                    {"indptr.npy", indptr},
                    {"format.npy", format},
                    {"shape.npy", shape},
                    {"data.npy", data}},
                   method);
  }
};

TEST(Npy, ReadsEveryNumberType) {
  const auto values = [](const std::string& descr, const std::string& content) {
    return read_bytes(npy(descr, "(1, 2)", content)).data.dense.values;
  };
  EXPECT_THAT(values("<f4", raw<float>({1.5F, -2})), ElementsAre(1.5, -2));
  EXPECT_THAT(values("<f8", raw<double>({1.5, -2})), ElementsAre(1.5, -2));
  EXPECT_THAT(values("<f2", raw<std::uint16_t>({0x3E00, 0x8001})), ElementsAre(1.5, -0x1.0p-24F));
  EXPECT_THAT(values("<i2", raw<std::int16_t>({-3, 300})), ElementsAre(-3, 300));
  EXPECT_THAT(values("<i8", raw<std::int64_t>({-3, 300})), ElementsAre(-3, 300));
  EXPECT_THAT(values("|u1", raw<std::uint8_t>({3, 255})), ElementsAre(3, 255));
  EXPECT_THAT(values("|b1", raw<std::uint8_t>({0, 1})), ElementsAre(0, 1));
}

TEST(Npy, TakesLabelsFromLinesOrFromAnArray) {
  const std::string rows = npy("<f4", "(2, 1)", raw<float>({1, 2}));
  const Parsed lines = read_bytes(rows, {}, "a b\nc\n");
  EXPECT_EQ(lines.schema.kind, InputKind::kDense);
  EXPECT_THAT(lines.labels_of(0), ElementsAre("a", "b"));
  const Parsed array = read_bytes(rows, {}, npy("<i8", "(2,)", raw<std::int64_t>({12, -1})));
  EXPECT_THAT(array.labels_of(0), ElementsAre("12"));
  EXPECT_THAT(array.labels_of(1), ElementsAre("-1"));
  EXPECT_FALSE(read_bytes(rows).schema.has_labels);
  EXPECT_EQ(read_error(rows, {}, "a\n"),
            "data has 2 rows, but labels has 1; they must be the same");
}

TEST(Npy, ReadsOneDimensionAsOneColumnAndManyBlocks) {
  std::vector<float> values(600'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const Parsed parsed = read_bytes(npy("<f4", "(600000,)", raw(values)));
  EXPECT_EQ(parsed.data.dense.num_columns, 1U);
  EXPECT_EQ(parsed.data.dense.values, values);
}

TEST(Npy, RefusesWhatItCannotRead) {
  const std::string four = raw<float>({1, 2, 3, 4});
  EXPECT_THAT(read_error(npy(">f4", "(2, 2)", four)), HasSubstr("expected a little-endian array"));
  EXPECT_THAT(read_error(npy("<f4", "(2, 2)", four, "True")), HasSubstr("Fortran order"));
  EXPECT_THAT(read_error(npy("<c8", "(1, 2)", four)), HasSubstr("found the type \"<c8\""));
  EXPECT_THAT(read_error(npy("|O", "(1, 2)", four)), HasSubstr("found the type \"|O\""));
  EXPECT_THAT(read_error(npy("<f4", "(2, 2, 1)", four)), HasSubstr("shape (2, 2, 1)"));
  EXPECT_THAT(read_error(npy("<f4", "(2, x)", four)), HasSubstr("expected a shape"));
  EXPECT_THAT(read_error(npy("<f4", "(2, 3)", four)), HasSubstr("ends too early"));
  EXPECT_THAT(read_error(npy("<f4", "(2, 1)", four)), HasSubstr("other bytes follow"));
  EXPECT_THAT(read_error(npy("<f4", "(99999999999999999, 99999999999999999)", "")),
              HasSubstr("too large"));
  EXPECT_THAT(read_error(std::string("\x93NUMPY\x07\x00", 8)), HasSubstr("expected a NumPy array"));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(read_error(npy("<f4", "(2, 2)", raw<float>({1, 2, 3, nan}))),
            "data: row 1: expected finite numbers, found nan in column 1");
}

TEST(Npy, SkipsBadRowsIfAllowed) {
  ReadOptions options;
  options.skip_bad = 1;
  const float inf = std::numeric_limits<float>::infinity();
  const Parsed parsed =
      read_bytes(npy("<f4", "(3, 1)", raw<float>({1, inf, 3})), options, "a\nb\nc\n");
  EXPECT_THAT(parsed.data.dense.values, ElementsAre(1, 3));
  EXPECT_THAT(parsed.labels_of(1), ElementsAre("c"));
}

TEST(Npz, ReadsCsrStoredAndDeflated) {
  for (const Method method : {Method::kStored, Method::kDeflated}) {
    const Parsed parsed = read_bytes(Csr().bytes(method));
    EXPECT_EQ(parsed.schema.format, Format::kNpz);
    ASSERT_EQ(parsed.data.rows, 3U);
    EXPECT_EQ(parsed.features_of(0), "0:2 2:0.5");
    EXPECT_EQ(parsed.features_of(1), "");
    EXPECT_EQ(parsed.features_of(2), "1:1");
    EXPECT_EQ(parsed.data.features.num_columns, 4U);
  }
}

TEST(Npz, TakesLabelsFromACsrMatrix) {
  const Parsed parsed = read_bytes(Csr().bytes(), {}, Csr().bytes(Method::kDeflated));
  EXPECT_THAT(parsed.labels_of(0), ElementsAre("0", "2"));
  EXPECT_THAT(parsed.labels_of(1), IsEmpty());
  EXPECT_EQ(parsed.names.size(), 4U);
}

TEST(Npz, ReadsASingleDenseArray) {
  const Parsed parsed =
      read_bytes(archive({{"arr_0.npy", npy("<f4", "(2, 1)", raw<float>({1, 2}))}}));
  EXPECT_THAT(parsed.data.dense.values, ElementsAre(1, 2));
}

TEST(Npz, ReadsFromAFileAsFromMemory) {
  const ScratchDir scratch;
  ReadOptions options;
  options.path = scratch.write("x.npz", Csr().bytes());
  const Context context({.threads = 1});
  LabelNames names;
  EXPECT_EQ(read_all(*open_reader(context, options, names)).features,
            read_bytes(Csr().bytes()).data.features);
}

TEST(Npz, RefusesWhatDoesNotFitTogether) {
  Csr csc;
  csc.format = npy("<U3", "()", std::string("c\0\0\0s\0\0\0c\0\0\0", 12));
  EXPECT_THAT(read_error(csc.bytes()), HasSubstr("expected a csr matrix, found \"csc\""));
  Csr index;
  index.indices = npy("<i4", "(3,)", raw<std::int32_t>({2, 0, 4}));
  EXPECT_EQ(read_error(index.bytes()), "data: row 2: expected an index from 0 to 3, found 4");
  Csr starts;
  starts.indptr = npy("<i4", "(4,)", raw<std::int32_t>({0, 3, 2, 3}));
  EXPECT_THAT(read_error(starts.bytes()), HasSubstr("expected a row start"));
  Csr short_starts;
  short_starts.indptr = npy("<i4", "(3,)", raw<std::int32_t>({0, 2, 3}));
  EXPECT_THAT(read_error(short_starts.bytes()), HasSubstr("expected 4 row starts"));
  Csr uncounted;
  uncounted.indptr = npy("<i4", "(4,)", raw<std::int32_t>({0, 1, 1, 2}));
  EXPECT_THAT(read_error(uncounted.bytes()), HasSubstr("expected 2 entries as indptr says"));
  Csr shape;
  shape.shape = npy("<i8", "(2,)", raw<std::int64_t>({-3, 4}));
  EXPECT_THAT(read_error(shape.bytes()), HasSubstr("expected a shape of rows"));
  EXPECT_THAT(read_error(archive({{"a.npy", "x"}, {"b.npy", "y"}})), HasSubstr("found 2 members"));
  EXPECT_THAT(read_error(archive({{"a.npy", "x"}})), HasSubstr("ends too early"));
}

TEST(Npz, ReportsDamage) {
  std::string bytes = Csr().bytes();
  const std::size_t at = bytes.find(raw<double>({0.5, 2, 1}));
  bytes[at + 20] = static_cast<char>(bytes[at + 20] ^ 1);
  EXPECT_THAT(read_error(bytes), HasSubstr("damaged"));
  EXPECT_THAT(read_error(Csr().bytes().substr(0, 300)), HasSubstr("expected a NumPy archive"));
}

}  // namespace
}  // namespace mhe::data
