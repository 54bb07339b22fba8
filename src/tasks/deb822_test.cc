// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/deb822.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mhe/error.h>

#include "memory_source.h"

namespace mhe::tasks {
namespace {

using ::testing::HasSubstr;

Deb822Reader read(std::string_view text) {
  return Deb822Reader(data::make_memory_source("control", text));
}

TEST(Deb822, ReadsParagraphsAndContinuedLines) {
  Deb822Reader reader = read(
      "\n# comment\nPackage: a\nDescription-en: short\n long one,\n .\n  indented\n\n \nPackage:b\n"
      "Empty:\n");
  Stanza stanza;
  ASSERT_TRUE(reader.next(stanza));
  EXPECT_EQ(stanza["package"], "a");
  EXPECT_EQ(stanza["Description-en"], "short\nlong one,\n.\n indented");
  EXPECT_EQ(stanza["Version"], "");
  ASSERT_TRUE(reader.next(stanza));
  EXPECT_EQ(stanza["Package"], "b");
  EXPECT_EQ(stanza.fields().size(), 2U);
  EXPECT_FALSE(reader.next(stanza));
}

std::string error_of(std::string_view text) {
  Deb822Reader reader = read(text);
  Stanza stanza;
  try {
    while (reader.next(stanza)) {
    }
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidData);
    return error.what();
  }
  return "no error";
}

TEST(Deb822, NamesTheLineThatIsWrong) {
  EXPECT_THAT(error_of("Package: a\n\nnonsense\n"),
              HasSubstr("control:3: expected \"Field: value\", found \"nonsense\""));
  EXPECT_THAT(error_of(" continued\n"), HasSubstr("control:1: expected"));
  EXPECT_THAT(error_of(": value\n"), HasSubstr("control:1: expected"));
  EXPECT_THAT(error_of("A: 1\na: 2\n"), HasSubstr("control:2: the field a comes twice"));
}

TEST(Deb822, LimitsTheSizeOfAParagraph) {
  std::string many;
  for (int i = 0; i < 2'000; ++i) many += "F" + std::to_string(i) + ": x\n";
  EXPECT_THAT(error_of(many), HasSubstr("more than"));
}

}  // namespace
}  // namespace mhe::tasks
