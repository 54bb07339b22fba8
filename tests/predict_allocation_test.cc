// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Predicting allocates nothing after warm-up. A program of its own, because it replaces operator
// new.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/predict.h>

#include "count_allocations.h"
#include "scratch_dir.h"
#include "toy_learned_model.h"
#include "toy_model.h"

namespace mhe {
namespace {

std::size_t count_allocations(const testing::ToyOptions& options,
                              const PredictOptions& predict_options = {}) {
  const testing::ScratchDir dir;
  testing::write_toy_model(dir.file("m.mhe"), options);
  Session session(Model::open(dir.file("m.mhe")));
  const std::vector<std::uint32_t> features = {0, 1, 2, 3, 5, 8, 13, 21, 34};
  const std::vector<float> values(features.size(), 1.0F);
  const SparseRow whole = {features, values};
  const SparseRow half = {std::span(features).first(4), std::span(values).first(4)};
  const std::vector<std::string_view> document = {"wide sea", testing::kToyText};
  const std::vector<std::string_view> shorter = {"", "fish"};
  const auto predict = [&](bool long_one) {
    if (options.text)
      return session
          .predict(std::span<const std::string_view>(long_one ? document : shorter),
                   predict_options)
          .size();
    return session.predict(long_one ? whole : half, predict_options).size();
  };
  EXPECT_EQ(predict(true), 5U);
  const std::size_t before = num_allocations;
  EXPECT_EQ(predict(false), 5U);
  EXPECT_EQ(predict(true), 5U);
  return num_allocations - before;
}

TEST(Session, AllocatesNothingAfterWarmUp) {
  for (const bool text : {false, true}) {
    for (const std::size_t members : {1U, 3U}) {
      EXPECT_EQ(count_allocations({.text = text, .members = members}), 0U) << text << members;
      EXPECT_EQ(count_allocations({.text = text, .members = members}, {.tail = 0.5}), 0U)
          << text << members;
      const testing::ToyOptions deep = {.text = text, .members = members, .lengths = {7, 6, 5}};
      for (const std::size_t beam : {4U, 30U, 1000U}) {
        EXPECT_EQ(count_allocations(deep, {.beam = beam}), 0U) << text << members << " " << beam;
      }
      EXPECT_EQ(count_allocations({.text = text, .members = members, .lengths = {5000}}), 0U);
    }
  }
}

std::size_t count_learned_allocations(const testing::ToyLearnedOptions& options,
                                      const PredictOptions& predict_options = {}) {
  const testing::ScratchDir dir;
  testing::write_toy_learned_model(dir.file("m.mhe"), options);
  Session session(Model::open(dir.file("m.mhe")));
  const std::vector<std::uint32_t> features = {0, 1, 2, 3, 5, 8, 13, 21, 34};
  const std::vector<float> values(features.size(), 1.0F);
  const std::vector<float> dense(testing::kToyLearnedInputs, 0.3F);
  const auto predict = [&](std::size_t count) {
    if (options.input == InputKind::kDense) {
      return session.predict(DenseRow(dense), predict_options).size();
    }
    return session
        .predict(SparseRow{std::span(features).first(count), std::span(values).first(count)},
                 predict_options)
        .size();
  };
  EXPECT_EQ(predict(features.size()), 5U);
  const std::size_t before = num_allocations;
  EXPECT_EQ(predict(4), 5U);
  EXPECT_EQ(predict(features.size()), 5U);
  return num_allocations - before;
}

TEST(Session, OfLearnedModelsAllocatesNothingAfterWarmUp) {
  for (const HeadKind head :
       {HeadKind::kOneHot, HeadKind::kProduct, HeadKind::kCascade, HeadKind::kSampling}) {
    for (const auto input : {InputKind::kSparse, InputKind::kDense}) {
      for (const std::size_t members : {1U, 3U}) {
        EXPECT_EQ(count_learned_allocations({.input = input, .head = head, .members = members}), 0U)
            << head_kind_name(head) << " " << members;
        if (head != HeadKind::kCascade) continue;
        for (const std::size_t beam : {2U, 1000U}) {
          EXPECT_EQ(count_learned_allocations({.input = input, .members = members}, {.beam = beam}),
                    0U)
              << members << " " << beam;
        }
      }
    }
  }
}

TEST(Session, OfSetsAllocatesNothingForLabelsAfterWarmUp) {
  for (const bool calibrates_sets : {false, true}) {
    EXPECT_EQ(count_learned_allocations({.head = HeadKind::kProduct,
                                         .code = heads::ProductCode::kPowerset,
                                         .calibrates_sets = calibrates_sets}),
              0U)
        << calibrates_sets;
  }
}

}  // namespace
}  // namespace mhe
