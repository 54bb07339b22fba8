// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "labels/order_file.h"

#include <algorithm>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mhe/error.h>

#include "labels/order.h"
#include "scratch_dir.h"

namespace mhe::labels {
namespace {

using ::testing::ElementsAre;
using Lengths = std::vector<std::uint32_t>;

LabelNames names_of(const std::vector<std::string>& all) {
  LabelNames names;
  for (const std::string& name : all) (void)names.intern(name);
  return names;
}

OrderFile parse(const std::string& text, const LabelNames& names) {
  std::istringstream lines(text);
  return parse_order(lines, "o.tsv", names);
}

// The message that a file gets which is no order of the labels a, b and c.
std::string complaint(const std::string& text) {
  try {
    (void)parse(text, names_of({"a", "b", "c"}));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidData);
    return error.what();
  }
  return "";
}

TEST(OrderFile, GivesBackWhatWasWritten) {
  const testing::ScratchDir dir;
  const LabelNames names = names_of({"plain", "with blank", "tab\there", "back\\slash", "line\nend",
                                     "carriage\rreturn", "\xC3\xA4"});
  const Lengths lengths = {3, 4};
  for (const Placement placement : {Placement::kSpread, Placement::kCompact}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const LabelOrder order = random_order(names.size(), lengths, seed, placement);
      write_order(order, names, dir.file("o.tsv"));
      // Positions are those of the file even where it left them all at the front.
      EXPECT_EQ(read_order(dir.file("o.tsv"), names, lengths), order) << seed;
      EXPECT_EQ(read_order_file(dir.file("o.tsv"), names).labels,
                std::vector<LabelId>(order.labels().begin(), order.labels().end()));
    }
  }
}

TEST(OrderFile, GivesItsSequenceToOtherLengths) {
  const testing::ScratchDir dir;
  const LabelNames names = LabelNames::numbered(20);
  const LabelOrder order = random_order(20, {4, 6}, 5);
  write_order(order, names, dir.file("o.tsv"));
  for (const auto& [lengths, placement] : {std::pair{Lengths{6, 4}, Placement::kSpread},
                                           {Lengths{4, 6}, Placement::kCompact},
                                           {Lengths{2, 2, 6}, Placement::kSpread},
                                           {Lengths{40}, Placement::kSpread}}) {
    const LabelOrder other = read_order(dir.file("o.tsv"), names, lengths, placement);
    EXPECT_TRUE(std::ranges::equal(other.labels(), order.labels()));
    const Slots slots(20, lengths, placement);
    for (std::size_t i = 0; i < 20; ++i) {
      EXPECT_EQ(other.position(other.labels()[i]), slots.position(i));
    }
  }
  EXPECT_THROW((void)read_order(dir.file("o.tsv"), names, {3, 6}), Error);
}

TEST(OrderFile, TakesGroupsOfAnySize) {
  const LabelNames names = names_of({"a", "b", "c"});
  const OrderFile file = parse("7\tb\t1,2\n0\tc\t0,0\n6\ta\t1,1", names);
  EXPECT_TRUE(file.is_for(Lengths{2, 5}));
  EXPECT_FALSE(file.is_for(Lengths{2, 6}));
  EXPECT_FALSE(file.is_for(Lengths{5, 2}));
  EXPECT_FALSE(file.is_for(Lengths{1, 5})) << "7 is beyond";
  const LabelOrder order = file.place({2, 5}, Placement::kSpread);
  EXPECT_THAT(order.positions(), ElementsAre(6, 7, 0));
  EXPECT_THAT(file.place({2, 2}, Placement::kSpread).labels(),
              ElementsAre(LabelId{2}, LabelId{0}, LabelId{1}));
}

TEST(OrderFile, IsASequenceWithoutDigits) {
  const LabelNames names = names_of({"a", "b", "c"});
  const OrderFile file = parse("30\tb\r\n\r\n2\tc\r\n7\ta\r\n", names);
  EXPECT_FALSE(file.is_for(Lengths{2, 20}));
  EXPECT_THAT(file.labels, ElementsAre(LabelId{2}, LabelId{0}, LabelId{1}));
  EXPECT_THAT(file.place({2, 2}, Placement::kCompact).positions(), ElementsAre(1, 2, 0));
}

TEST(OrderFile, LeavesOutLabelsThatTheModelDoesNotHave) {
  const LabelNames names = names_of({"a", "b"});
  const OrderFile file = parse(
      "\xEF\xBB\xBF"
      "0\tz\t0,0\n1\tb\t0,1\n2\ty\t1,0\n3\ta\t1,1\n",
      names);
  EXPECT_EQ(file.others, 2U);
  EXPECT_THAT(file.place({2, 2}, Placement::kSpread).positions(), ElementsAre(3, 1));
  EXPECT_THAT(file.place({2, 1}, Placement::kSpread).positions(), ElementsAre(1, 0));
}

TEST(OrderFile, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(complaint(""),
            "o.tsv: no line for the label \"a\" and 2 others; each of the 3 labels that are "
            "trained needs one");
  EXPECT_EQ(complaint("0\ta\n2\tc\n"),
            "o.tsv: no line for the label \"b\"; each of the 3 labels that are trained needs one");
  EXPECT_EQ(complaint("0\ta\nb\n"), "o.tsv:2: expected a position, a tab and a label, found \"b\"");
  EXPECT_EQ(complaint("0\ta\t0\t1\n"), "o.tsv:1: more than 3 columns");
  EXPECT_EQ(complaint("first\ta\n"),
            "o.tsv:1: expected a position, a whole number, found \"first\"");
  EXPECT_EQ(complaint("-1\ta\n"), "o.tsv:1: expected a position, a whole number, found \"-1\"");
  EXPECT_EQ(complaint("99999999999999999999\ta\n"),
            "o.tsv:1: expected a position, a whole number, found \"99999999999999999999\"");
  EXPECT_EQ(complaint("0\ta\n1\tb\n\n2\ta\n"), "o.tsv:4: the label \"a\" stands on line 1 already");
  EXPECT_EQ(complaint("0\tz\n1\tb\n2\tz\n"), "o.tsv:3: the label \"z\" stands on line 1 already");
  EXPECT_EQ(complaint("4\ta\n1\tb\n4\tc\n"), "o.tsv:3: position 4 was given on line 1 already");
  EXPECT_EQ(complaint("0\ta\\b\n"),
            "o.tsv:1: a backslash in \"a\\b\" that begins none of \\t, \\n, \\r and \\\\");
  EXPECT_EQ(complaint("0\ta\\\n"),
            "o.tsv:1: a backslash in \"a\\\" that begins none of \\t, \\n, \\r and \\\\");
  EXPECT_EQ(complaint("0\ta\t0,x\n"), "o.tsv:1: expected digits such as 3,14, found \"0,x\"");
  EXPECT_EQ(complaint("0\ta\t\n"), "o.tsv:1: expected digits such as 3,14, found \"\"");
  EXPECT_EQ(complaint("0\ta\t0,0\n1\tb\t1\n"), "o.tsv:2: 1 digits; the lines before have 2");
  EXPECT_EQ(complaint("0\ta\t0,0\n1\tb\n"), "o.tsv:2: 0 digits; the lines before have 2");
  EXPECT_EQ(complaint("0\ta\t0,0\n1\tb\t1,1\n2\tc\t1,0\n"),
            "o.tsv:3: digits 1,0 do not come behind 1,1 of line 2, but position 2 behind 1");
}

TEST(OrderFile, MustBeThere) {
  const testing::ScratchDir dir;
  for (const std::string& path : {dir.file("none.tsv"), dir.file("")}) {
    try {
      (void)read_order_file(path, names_of({"a"}));
      FAIL() << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kIo) << error.what();
    }
  }
}

}  // namespace
}  // namespace mhe::labels
