// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "charts/report_page.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mhe::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What keeps a text from being XML: tags that do not match, attributes without quotes, bare
// ampersands. Empty if nothing does.
std::string find_fault(std::string_view text) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '&') {
      const std::size_t end = text.find(';', at);
      if (end == std::string_view::npos || end - at > 8) return "bare &";
    }
    if (text[at] != '<') {
      ++at;
      continue;
    }
    const std::size_t end = text.find('>', at);
    if (end == std::string_view::npos) return "tag without an end";
    const std::string_view tag = text.substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag.starts_with('!')) continue;
    if (tag.find('<') != std::string_view::npos) return "< in " + std::string(tag);
    const bool closes = tag.starts_with('/');
    const std::size_t begin = closes ? 1 : 0;
    std::string name(tag.substr(begin, tag.find_first_of(" /\n", begin) - begin));
    if (!closes) {
      const auto quotes = std::count(tag.begin(), tag.end(), '"');
      if (quotes % 2 != 0) return "odd quotes in " + std::string(tag);
      if (!tag.ends_with('/')) open.push_back(std::move(name));
    } else {
      if (open.empty() || open.back() != name) return "unexpected </" + name + ">";
      open.pop_back();
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> stays open";
}

// Names as bad as can be.
constexpr std::string_view kNasty = "<script>alert(\"1\")</script>&'";

TrainingHistory make_history() {
  TrainingHistory history;
  history.data = {.rows = 1000,
                  .labels = 50,
                  .features = 700,
                  .labels_per_row = 1.5,
                  .features_per_row = 12,
                  .label_bins = {{"1-5", 40}, {"6-20", 10}}};
  history.settings_json = R"({"head":"cascade","lengths":[7,8],"name":"<script>"})";
  history.validation_rows = 2;
  EvaluatorOptions options;
  options.cutoffs = {1, 3, 5, 10};
  options.frequency_bounds = default_frequency_bounds();
  Evaluator evaluator(options, training_labels({3, 10}, PropensityCurve(history.data.rows)));
  const std::vector<LabelId> truth = {LabelId{0}, LabelId{1}};
  const std::vector<ScoredLabel> found = {{LabelId{0}, 0.9F}, {LabelId{2}, 0.4F}};
  evaluator.add(truth, found);
  history.metrics = evaluator.report(Context({.threads = 1}));
  Reliability reliability;
  reliability.add(0.9, true);
  reliability.add(0.4, false);
  history.reliability = reliability.report();
  history.heads = {{"head 1", 7, 0.75, 0.95}, {"head 2", 56, 0.5, 0.8}};
  history.confusion.groups = {{3, 10, {std::string(kNasty), "b"}}, {1, 4, {"c"}}};
  history.confusion.taken = {7, 3, 1, 3};
  history.confusion.all_groups = 7;
  Chart loss;
  loss.title = "Training loss";
  loss.x_unit = "sweep";
  loss.y_unit = "per cent";
  loss.y_scale = Scale::kLogarithmic;
  loss.curves = {{std::string(kNasty), {{0, 100}, {1, 5}, {2, 0.4}}}};
  Chart level;
  level.topic = Topic::kQuality;
  level.title = "A level line";
  level.curves = {{"nDCG", {{1, 50}, {2, 50}}}, {"one point", {{1, 20}}}};
  Chart empty;
  empty.topic = Topic::kProbabilities;
  empty.title = "Nothing";
  history.charts = {loss, level, empty};
  return history;
}

TrainingPage make_page(const TrainingHistory& history) {
  return {.history = history,
          .model = "my <model>.mhe",
          .data = std::string(kNasty),
          .rows_kind = "held-out",
          .shape = "heads of 7 x 8",
          .phases = {{"reading", 0.5, 0.4}, {"level 1", 2.5, 4.5}},
          .parts = {{"label.names", 10'000}, {"weights", 2'000'000}},
          .model_bytes = 2'010'400,
          .usage = {.wall_seconds = 3, .cpu_seconds = 5, .peak_bytes = 30'000'000},
          .threads = 2,
          .isa = "AVX2"};
}

TEST(TrainingPageTest, HasEverySection) {
  const TrainingHistory history = make_history();
  const std::string html = training_page(make_page(history));
  EXPECT_EQ(find_fault(html), "");
  for (const char* id : {"quality", "probabilities", "heads", "training", "cost", "settings"}) {
    EXPECT_THAT(html, HasSubstr(std::string("<section id=\"") + id + "\">"));
  }
  for (const char* words :
       {"Metrics by label frequency", "Reliability diagram", "Accuracy per head",
        "Confusion of the first head", "Training loss", "Slowest parts", "Largest parts",
        "prefers-color-scheme: dark", "@media print", "heads of 7 x 8", "2.0 MB"}) {
    EXPECT_THAT(html, HasSubstr(words));
  }
}

TEST(TrainingPageTest, EscapesAllNames) {
  const TrainingHistory history = make_history();
  const std::string html = training_page(make_page(history));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("alert(\"")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;"));
  EXPECT_THAT(html, HasSubstr("my &lt;model&gt;.mhe"));
}

TEST(TrainingPageTest, NeedsNothingElse) {
  const TrainingHistory history = make_history();
  const std::string html = training_page(make_page(history));
  for (const char* words : {"src=", "href=", "url(", "@import"}) {
    EXPECT_THAT(html, Not(HasSubstr(words)));
  }
}

TEST(TrainingPageTest, SlowestAndLargestComeFirst) {
  const TrainingHistory history = make_history();
  const std::string html = training_page(make_page(history));
  EXPECT_LT(html.find(">level 1<"), html.find(">reading<"));
  EXPECT_LT(html.find(">weights<"), html.find(">label.names<"));
}

TEST(TrainingPageTest, SaysSoWhenNothingWasJudged) {
  TrainingHistory history;
  history.data.rows = 5;
  const std::string html = training_page(make_page(history));
  EXPECT_EQ(find_fault(html), "");
  EXPECT_THAT(html, HasSubstr("No rows were kept apart"));
  EXPECT_THAT(html, Not(HasSubstr("id=\"quality\"")));
}

TEST(TrainingPageTest, TheCheckFindsFaults) {
  EXPECT_NE(find_fault("<p>a"), "");
  EXPECT_NE(find_fault("<p>a</b>"), "");
  EXPECT_NE(find_fault("<p class=\"x>a</p>"), "");
  EXPECT_NE(find_fault("<p>a & b</p>"), "");
}

}  // namespace
}  // namespace mhe::app
