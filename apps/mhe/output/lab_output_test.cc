// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "output/lab_output.h"

#include <gtest/gtest.h>

namespace mhe::app {
namespace {

lab::Report small_report() {
  lab::Report report;
  report.title = "A title";
  report.columns = {
      {"name", "name"}, {"share", "a|b, %", 1}, {"bound", "bound", 2, lab::Style::kSignificant}};
  report.rows = {{"one", lab::Measured{{70.74, 69.5}}, lab::Measured{{123456.0, 123456.0}}},
                 {"two", lab::Measured{{-0.01, 0.01}}, "-"}};
  report.findings = {"It is so."};
  return report;
}

TEST(LabOutput, ShowsTheRangeWhereItShows) {
  const lab::Column fixed = {"x", "x", 1};
  EXPECT_EQ(format_measured({{70.74, 69.5}}, fixed), "70.1 (69.5..70.7)");
  EXPECT_EQ(format_measured({{70.04, 69.96}}, fixed), "70.0");
  EXPECT_EQ(format_measured({{-0.01}}, fixed), "0.0");
  EXPECT_EQ(format_measured({{-0.1}}, fixed), "-0.1");
  EXPECT_EQ(format_measured({{1.5e-13}}, {"x", "x", 2, lab::Style::kSignificant}), "1.5e-13");
}

TEST(LabOutput, IsATable) {
  EXPECT_EQ(lab_text(small_report(), 80),
            "A title\n\n"
            "name             a|b, %    bound\n"
            "one   70.1 (69.5..70.7)  1.2e+05\n"
            "two                 0.0        -\n\n"
            "It is so.\n");
}

// A bar in a cell would begin another one.
TEST(LabOutput, IsMarkdown) {
  EXPECT_EQ(lab_markdown(small_report()),
            "| name | a\\|b, % | bound |\n|---|---|---|\n"
            "| one | 70.1 (69.5..70.7) | 1.2e+05 |\n| two | 0.0 | - |\n\n- It is so.\n");
}

TEST(LabOutput, HasTheValuesOfEverySeedInJson) {
  EXPECT_EQ(lab_json("small", small_report(), {4, 2}).dump(),
            "{\"experiment\":\"small\",\"title\":\"A title\",\"first_seed\":4,\"seeds\":2,"
            "\"rows\":[{\"name\":\"one\",\"share\":[70.74,69.5],\"bound\":[123456.0,123456.0]},"
            "{\"name\":\"two\",\"share\":[-0.01,0.01],\"bound\":\"-\"}],"
            "\"findings\":[\"It is so.\"]}");
}

}  // namespace
}  // namespace mhe::app
