// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/debian_deps.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mhe/error.h>

#include "scratch_dir.h"

namespace mhe::tasks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ParseRelations, TakesTheFirstOfAlternativesWithoutVersions) {
  EXPECT_THAT(parse_relations("libc6 (>= 2.34), default-mta | mail-transport-agent,python3:any,\n"
                              " libc6, perl [amd64] , , a<!nocheck>"),
              ElementsAre("libc6", "default-mta", "python3", "perl", "a"));
  EXPECT_THAT(parse_relations(""), ElementsAre());
}

class DebianDeps : public ::testing::Test {
 protected:
  DebianDeps() { std::filesystem::create_directory(scratch_.file("lists")); }
  void write(const std::string& name, const std::string& text) const {
    scratch_.write("lists/" + name, text);
  }
  void build(Descriptions descriptions = Descriptions::kLong) const {
    DebianDepsOptions options;
    options.lists = scratch_.file("lists");
    options.descriptions = descriptions;
    build_debian_deps(context_, options, {scratch_.file("out"), Existing::kReplace});
  }
  [[nodiscard]] std::string rows() const {
    return scratch_.read("out/train.tsv") + scratch_.read("out/dev.tsv") +
           scratch_.read("out/test.tsv");
  }

  testing::ScratchDir scratch_;
  Context context_;
};

TEST_F(DebianDeps, TakesTheNewestVersionAndItsLongDescription) {
  write("x_main_binary-amd64_Packages",
        "Package: a\nVersion: 1.0\nDepends: old, libc6\nDescription: first\nDescription-md5: m1\n\n"
        "Package: b\nVersion: 1\nDepends: libc6 (>= 2)\nRecommends: a\nDescription: second\n\n"
        "Package: c\nVersion: 1\nDepends: a\nDescription: third\n");
  write("y_main_binary-amd64_Packages",
        "Package: a\nVersion: 1.0+deb1\nDepends: libc6\nDescription: first\nDescription-md5: m2\n");
  write("x_main_i18n_Translation-en",
        "Package: a\nDescription-md5: m1\nDescription-en: first\n old.\n\n"
        "Package: a\nDescription-md5: m2\nDescription-en: first\n all\tof\n .\n it.\n");
  build();
  EXPECT_THAT(rows(), HasSubstr("libc6\ta\tfirst all of it.\n"));
  EXPECT_THAT(rows(), HasSubstr("libc6,a\tb\tsecond\n"));
  EXPECT_THAT(rows(), HasSubstr("a\tc\tthird\n"));
}

TEST_F(DebianDeps, LeavesOutLabelsOfOnePackageAndRowsWithoutLabels) {
  write("x_Packages",
        "Package: a\nDepends: rare, libc6\nDescription: one\n\n"
        "Package: b\nDepends: libc6, b\nDescription: two\n\n"
        "Package: c\nDescription: three\n");
  build(Descriptions::kShort);
  EXPECT_THAT(rows(), Not(HasSubstr("rare")));
  EXPECT_THAT(rows(), HasSubstr("libc6\tb\ttwo\n"));
  EXPECT_THAT(rows(), Not(HasSubstr("three")));
}

TEST_F(DebianDeps, KeepsPackagesOfOneSourceTogether) {
  std::string index;
  for (int i = 0; i < 200; ++i) {
    index += "Package: p" + std::to_string(i) + "\nSource: s" + std::to_string(i / 20) +
             " (1.0)\nDepends: libc6\nDescription: x\n\n";
  }
  write("x_Packages", index);
  build(Descriptions::kShort);
  for (int source = 0; source < 10; ++source) {
    int parts = 0;
    for (const char* part : {"out/train.tsv", "out/dev.tsv", "out/test.tsv"}) {
      const std::string rows = scratch_.read(part);
      int found = 0;
      for (int i = 20 * source; i < 20 * source + 20; ++i) {
        found += rows.find("\tp" + std::to_string(i) + "\t") != std::string::npos ? 1 : 0;
      }
      EXPECT_TRUE(found == 0 || found == 20);
      parts += found > 0 ? 1 : 0;
    }
    EXPECT_EQ(parts, 1);
  }
}

TEST_F(DebianDeps, SaysWhatIsMissing) {
  EXPECT_THROW(build(), Error);
  write("x_Packages", "Package: a\nDepends: b\n");
  EXPECT_THROW(build(), Error) << "no descriptions";
  write("x_Packages", "Version: 1\n");
  EXPECT_THROW(build(Descriptions::kShort), Error) << "no name";
  EXPECT_FALSE(std::filesystem::exists(scratch_.file("out")));
}

}  // namespace
}  // namespace mhe::tasks
