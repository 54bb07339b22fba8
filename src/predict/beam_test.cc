// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Beams that are chosen when predicting.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/error.h>
#include <mhe/predict.h>

#include "scratch_dir.h"
#include "toy_learned_model.h"
#include "toy_model.h"

namespace mhe {
namespace {

using Found = std::vector<std::pair<LabelId, float>>;

class BeamTest : public ::testing::Test {
 protected:
  Model linear(const testing::ToyOptions& options = {}) {
    testing::write_toy_model(dir_.file("m.mhe"), options);
    return Model::open(dir_.file("m.mhe"));
  }
  Model learned(const testing::ToyLearnedOptions& options = {}) {
    testing::write_toy_learned_model(dir_.file("m.mhe"), options);
    return Model::open(dir_.file("m.mhe"));
  }
  [[nodiscard]] Found find(const Model& model, std::size_t beam, std::size_t k = 1000) const {
    Session session(model);
    Found found;
    for (const auto& [label, probability] :
         session.predict(SparseRow{features_, values_}, {.k = k, .beam = beam})) {
      found.emplace_back(label, probability);
    }
    return found;
  }
  static std::string complaint_about(const Model& model, std::size_t beam) {
    try {
      Session(model).check({.beam = beam});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      return error.what();
    }
    return "";
  }

  testing::ScratchDir dir_;
  const std::vector<std::uint32_t> features_ = {0, 3, 17, 39};
  const std::vector<float> values_ = {1.0F, 2.0F, 0.5F, 1.0F};
};

// What a narrow beam reaches is scored as by a wide one, which adds other labels between.
void expect_part_of(const Found& narrow, const Found& wide) {
  auto at = wide.begin();
  for (const auto& item : narrow) {
    at = std::find(at, wide.end(), item);
    ASSERT_NE(at, wide.end()) << "label " << index_of(item.first);
  }
}

TEST_F(BeamTest, OfALinearCascadeReachesMoreLabelsTheWiderItIs) {
  const Model model = linear();  // 3 groups of 5 labels, a beam of 2
  const Found all = find(model, 3);
  ASSERT_EQ(all.size(), 15U);
  for (const std::size_t beam : {1U, 2U}) {
    const Found some = find(model, beam);
    EXPECT_EQ(some.size(), 5 * beam);
    expect_part_of(some, all);
  }
  EXPECT_EQ(find(model, 0), find(model, 2));
  EXPECT_EQ(find(model, 1'000'000), all);
  EXPECT_EQ(find(model, 3, 4), Found(all.begin(), all.begin() + 4));
}

TEST_F(BeamTest, OfALearnedCascadeReachesMoreLabelsTheWiderItIs) {
  const Model model = learned();  // 6 groups of 5 places for 28 labels, 3 candidates
  const Found all = find(model, 6);
  ASSERT_EQ(all.size(), 28U);
  for (const std::size_t beam : {1U, 3U, 5U}) {
    const Found some = find(model, beam);
    EXPECT_GE(some.size(), 5 * beam - 2);  // two places are empty
    EXPECT_LE(some.size(), 5 * beam);
    expect_part_of(some, all);
  }
  EXPECT_EQ(find(model, 0), find(model, 3));
  EXPECT_EQ(find(model, 1'000'000), all);
}

TEST_F(BeamTest, IsThatOfEveryMember) {
  for (const bool neighbours : {false, true}) {
    const Model model = linear({.members = 3, .neighbours = neighbours});
    EXPECT_EQ(find(model, 3).size(), 15U);
    EXPECT_EQ(find(model, 0), find(model, 2));
    EXPECT_NE(find(model, 1), find(model, 3));
  }
  EXPECT_EQ(find(learned({.members = 3}), 6).size(), 28U);
}

TEST_F(BeamTest, BeyondTheLimitIsRefused) {
  const std::string expected = "a beam of 1000001; expected 1 to 1000000, or 0";
  EXPECT_EQ(complaint_about(linear(), 1'000'001), expected);
  EXPECT_EQ(complaint_about(learned(), 1'000'001), expected);
}

TEST_F(BeamTest, OfOtherHeadsIsRefused) {
  const auto expected = [](const std::string& head) {
    return "a beam of 5; the model has none: its head is " + head + ", and only cascades have one";
  };
  EXPECT_EQ(complaint_about(linear({.lengths = {15}}), 5), expected("onehot"));
  for (const HeadKind head : {HeadKind::kOneHot, HeadKind::kProduct, HeadKind::kSampling}) {
    const Model model = learned({.head = head});
    EXPECT_EQ(complaint_about(model, 5), expected(std::string(head_kind_name(head))));
    EXPECT_EQ(complaint_about(model, 0), "");
  }
}

}  // namespace
}  // namespace mhe
