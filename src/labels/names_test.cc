// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <mhe/error.h>
#include <mhe/label_space.h>

namespace mhe {
namespace {

TEST(LabelNames, GivesIdsInOrderOfFirstAppearance) {
  LabelNames names;
  EXPECT_EQ(names.intern("b"), LabelId{0});
  EXPECT_EQ(names.intern("a"), LabelId{1});
  EXPECT_EQ(names.intern("b"), LabelId{0});
  EXPECT_EQ(names.size(), 2U);
  EXPECT_EQ(names.name(LabelId{1}), "a");
  EXPECT_EQ(names.find("a"), LabelId{1});
  EXPECT_EQ(names.find("c"), std::nullopt);
}

TEST(LabelNames, KeepsIdsThroughGrowth) {
  LabelNames names;
  for (std::uint32_t i = 0; i < 10000; ++i) {
    ASSERT_EQ(names.intern("label " + std::to_string(i)), LabelId{i});
  }
  for (std::uint32_t i = 0; i < 10000; ++i) {
    ASSERT_EQ(names.find("label " + std::to_string(i)), LabelId{i});
  }
}

TEST(LabelNames, NumberedLabelsAreTheirNumbers) {
  LabelNames names = LabelNames::numbered(100);
  EXPECT_EQ(names.intern("42"), LabelId{42});
  EXPECT_EQ(names.name(LabelId{99}), "99");
  EXPECT_EQ(names.find("100"), std::nullopt);
  EXPECT_EQ(names.find("042"), std::nullopt);  // another string, so another label
  EXPECT_EQ(names.find("-1"), std::nullopt);
  EXPECT_EQ(names.find(""), std::nullopt);
}

TEST(LabelNames, NamesFollowNumbers) {
  LabelNames names = LabelNames::numbered(3);
  EXPECT_EQ(names.intern("three"), LabelId{3});
  EXPECT_EQ(names.intern("7"), LabelId{4});
  EXPECT_EQ(names.name(LabelId{4}), "7");
  EXPECT_THROW(names.extend_numbered(10), Error);
  names.extend_numbered(2);  // fewer than there are: nothing to do
  EXPECT_EQ(names.size(), 5U);
}

TEST(LabelNames, RefusesAnUnknownId) {
  const LabelNames names = LabelNames::numbered(3);
  EXPECT_THROW((void)names.name(LabelId{3}), Error);
}

}  // namespace
}  // namespace mhe
