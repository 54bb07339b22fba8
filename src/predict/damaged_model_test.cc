// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// A model file is mapped, not checked byte by byte: whatever is in it, opening or predicting
// throws mhe::Error or gives finite results. The sanitizers see what this test does not.
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "base/random.h"
#include "model/container.h"
#include "model/model.h"
#include "predict/predictor.h"
#include "scratch_dir.h"
#include "toy_learned_model.h"
#include "toy_model.h"

namespace mhe::predict {
namespace {

std::span<const Prediction> predict_something(const model::Model& model, Predictor& predictor) {
  if (model.input_kind() == data::InputKind::kText) {
    const std::vector<std::string_view> fields = {"sea fish", testing::kToyText};
    return predictor.predict(fields, 4);
  }
  if (model.input_kind() == data::InputKind::kDense) {
    const std::vector<float> vector(testing::kToyLearnedInputs, 0.7F);
    return predictor.predict(std::span<const float>(vector), 4);
  }
  const std::vector<std::uint32_t> columns = {0, 1, 5, 9, 20, 39};
  const std::vector<float> values(columns.size(), 1.0F);
  return predictor.predict(SparseRow{columns, values}, 4);
}

// Whether the file could be used.
bool use(const std::string& bytes) {
  try {
    const auto model = model::Model::make(model::ModelFile(model::SafetensorsFile(
        MappedFile::in_memory(std::as_bytes(std::span(bytes)), "damaged.mhe"))));
    Predictor predictor(*model);
    for (const Prediction& prediction : predict_something(*model, predictor)) {
      EXPECT_TRUE(std::isfinite(prediction.probability));
      EXPECT_LT(index_of(prediction.label), model->num_labels());
      (void)model->label_name(prediction.label);
    }
  } catch (const Error&) {
    return false;
  }
  return true;
}

std::string make_model(const testing::ToyOptions& options) {
  const testing::ScratchDir dir;
  testing::write_toy_model(dir.file("m.mhe"), options);
  return dir.read("m.mhe");
}

std::vector<std::string> make_learned_models() {
  std::vector<std::string> models;
  const testing::ScratchDir dir;
  for (const HeadKind head :
       {HeadKind::kOneHot, HeadKind::kProduct, HeadKind::kCascade, HeadKind::kSampling}) {
    for (const auto input : {encoders::InputForm::kSparse, encoders::InputForm::kDense}) {
      testing::write_toy_learned_model(dir.file("m.mhe"),
                                       {.input = input, .head = head, .members = 2});
      models.push_back(dir.read("m.mhe"));
    }
  }
  return models;
}

std::size_t header_bytes(const std::string& bytes) {
  return model::SafetensorsFile(MappedFile::in_memory(std::as_bytes(std::span(bytes)), "whole.mhe"))
      .data_start();
}

// How many of so many damaged copies could still be used.
std::size_t use_damaged(const std::string& whole, int rounds) {
  const std::size_t start = header_bytes(whole);
  RandomStream random(5, "damaged_model_test");
  std::size_t usable = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string bytes = whole;
    const std::size_t changes = 1 + random.below(round % 2 == 0 ? 3 : 3000);
    for (std::size_t i = 0; i < changes; ++i) {
      const std::size_t at = start + random.below(bytes.size() - start);
      bytes[at] = static_cast<char>(random.below(4) == 0 ? 0xFF : random());
    }
    usable += use(bytes) ? 1 : 0;
  }
  return usable;
}

TEST(DamagedModel, GivesFiniteResultsWhateverTheTensorsSay) {
  for (const bool text : {false, true}) {
    const std::string whole =
        make_model({.text = text, .members = 2, .neighbours = true, .lengths = {3, 70}});
    ASSERT_TRUE(use(whole));
    EXPECT_GT(use_damaged(whole, 3000), 300U) << "the test should get beyond opening";
  }
  for (const std::string& whole : make_learned_models()) {
    ASSERT_TRUE(use(whole));
    EXPECT_GT(use_damaged(whole, 400), 40U) << "the test should get beyond opening";
  }
}

TEST(DamagedModel, IsRefusedWhenItsHeaderIsChanged) {
  const std::string whole = make_model({.text = true});
  const std::size_t start = header_bytes(whole);
  for (std::size_t at = 0; at < start; ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    EXPECT_FALSE(use(bytes)) << at;
  }
}

TEST(DamagedModel, IsRefusedWhenCutShort) {
  const std::string whole = make_model({});
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    EXPECT_FALSE(use(whole.substr(0, size))) << size;
  }
}

// The header is sealed anew, as one who wants to deceive would.
void change_numbers(const std::string& whole) {
  const std::size_t start = header_bytes(whole);
  for (std::size_t at = model::kHeaderStart.size() + 32; at < start; ++at) {
    if (whole[at] < '0' || whole[at] > '9') continue;
    for (const char digit : {'0', '1', '9'}) {
      std::string bytes = whole;
      bytes[at] = digit;
      model::seal_header(std::as_writable_bytes(std::span(bytes)).first(start));
      (void)use(bytes);
    }
  }
}

TEST(DamagedModel, SurvivesNumbersInTheHeaderThatLie) {
  change_numbers(make_model({.text = true, .neighbours = true}));
  for (const std::string& whole : make_learned_models()) change_numbers(whole);
}

}  // namespace
}  // namespace mhe::predict
