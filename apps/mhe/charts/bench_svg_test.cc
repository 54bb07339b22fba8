// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "charts/bench_svg.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mhe::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

Chart two_curves(Scale scale) {
  return {.title = "Title",
          .x_unit = "labels & heads",
          .y_unit = "ms",
          .x_scale = scale,
          .y_scale = scale,
          .curves = {{"first", {{20, 3}, {50'000, 40}}}, {"second", {{20, 5}, {50'000, 90}}}}};
}

TEST(LineSvg, NumbersLogarithmicAxesByPowers) {
  const std::array charts = {two_curves(Scale::kLogarithmic)};
  const std::string svg = line_svg(charts, "All");
  for (const char* tick : {">10<", ">1000<", ">1e4<", ">1e5<"}) EXPECT_THAT(svg, HasSubstr(tick));
  EXPECT_THAT(svg, HasSubstr("labels &amp; heads"));
  EXPECT_EQ(count(svg, "<path"), 2U);
}

TEST(LineSvg, NumbersLinearAxesEvenly) {
  const std::array charts = {two_curves(Scale::kLinear)};
  const std::string svg = line_svg(charts, "All");
  for (const char* tick : {">0<", ">10,000<", ">50,000<", ">20<", ">100<"}) {
    EXPECT_THAT(svg, HasSubstr(tick));
  }
  EXPECT_THAT(svg, Not(HasSubstr("1e4")));
}

TEST(LineSvg, SharesALegendOfTheSameNames) {
  std::array charts = {two_curves(Scale::kLinear), two_curves(Scale::kLinear)};
  EXPECT_EQ(count(line_svg(charts, "All"), ">second<"), 1U);
  charts[1].curves[0].name = "another";
  const std::string svg = line_svg(charts, "All");
  EXPECT_EQ(count(svg, ">second<"), 2U);
  EXPECT_EQ(count(svg, ">another<"), 1U);
}

// A long legend goes on in a second line, for which the picture grows.
TEST(LineSvg, WrapsLegends) {
  std::array charts = {two_curves(Scale::kLinear)};
  const auto height = [&] {
    const std::string svg = line_svg(charts, "All");
    return std::stod(svg.substr(svg.find("height=") + 8));
  };
  const double before = height();
  charts[0].curves[0].name = "a name that takes most of the width";
  EXPECT_EQ(height(), before + 16);
}

TEST(LineSvg, LeavesOutWhatALogarithmCannotShow) {
  std::array charts = {two_curves(Scale::kLogarithmic)};
  charts[0].curves[0].points.push_back({60'000, 0});
  EXPECT_THAT(line_svg(charts, "All"), Not(HasSubstr("nan")));
  charts[0].curves.clear();
  EXPECT_THAT(line_svg(charts, "All"), HasSubstr("</svg>"));
}

}  // namespace
}  // namespace mhe::app
