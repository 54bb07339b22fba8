// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/dictd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mhe/error.h>

#include "memory_source.h"
#include "scratch_dir.h"

namespace mhe::tasks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Dictd, ReadsNumbersOfItsBase64) {
  EXPECT_EQ(parse_dictd_number("A", "x"), 0U);
  EXPECT_EQ(parse_dictd_number("/", "x"), 63U);
  EXPECT_EQ(parse_dictd_number("BA", "x"), 64U);
  EXPECT_EQ(parse_dictd_number("5I", "x"), 57U * 64 + 8);
  EXPECT_THROW(static_cast<void>(parse_dictd_number("", "x")), Error);
  EXPECT_THROW(static_cast<void>(parse_dictd_number("A-", "x")), Error);
  EXPECT_THROW(static_cast<void>(parse_dictd_number("AAAAAAAAAAA", "x")), Error);
}

TEST(Dictd, GivesEachTextOnceInTheOrderOfTheFile) {
  const auto entries = read_dictd_index(data::make_memory_source(
      "x.index",
      "00-database-info\tA\tB\n00databaseutf8\tA\tB\ncat\tG\tD\npuss\tG\tD\nant\tB\tC\n"));
  EXPECT_THAT(entries, ElementsAre(DictdEntry{1, 2}, DictdEntry{6, 3}));
}

TEST(Dictd, OpensAPairOfFiles) {
  const testing::ScratchDir scratch;
  scratch.write("d.index", "ant\tA\tD\ncat\tD\tE\textra\n");
  scratch.write("d.dict.dz", "antcats");
  const Dictd dictd = Dictd::open(scratch.file(""), "d");
  ASSERT_EQ(dictd.size(), 2U);
  EXPECT_EQ(dictd[1], "cats");
}

TEST(Dictd, RefusesEntriesBehindTheText) {
  EXPECT_THROW(Dictd("abc", {{2, 2}}, "x"), Error);
  EXPECT_THROW(Dictd("abc", {{4, 0}}, "x"), Error);
  EXPECT_THROW(Dictd("abc", {{1, ~std::uint64_t{0}}}, "x"), Error);
  EXPECT_EQ(Dictd("abc", {{3, 0}}, "x")[0], "");
}

TEST(Dictd, NamesTheLineThatIsWrong) {
  try {
    static_cast<void>(read_dictd_index(data::make_memory_source("x.index", "a\tA\tB\nb\tA\n")));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("x.index:2: expected a headword"));
  }
}

}  // namespace
}  // namespace mhe::tasks
