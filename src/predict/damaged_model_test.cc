// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// A model file is mapped, not checked byte by byte: whatever is in it, opening or predicting
// throws mhe::Error or gives finite results. The sanitizers see what this test does not.
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
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

std::span<const ScoredLabel> predict_something(const model::Model& model, Predictor& predictor) {
  const PredictOptions options = {.k = 4};
  const auto predict = [&](const InputBatch& one) {
    predictor.begin(one, 0, 1, options);
    return predictor.predict(0);
  };
  if (model.input_kind() == InputKind::kText) {
    const std::vector<std::string_view> fields = {"sea fish", testing::kToyText};
    return predict(TextRows{fields, 2});
  }
  if (model.input_kind() == InputKind::kDense) {
    const std::vector<float> vector(testing::kToyLearnedInputs, 0.7F);
    const DenseRow row = vector;
    return predict(DenseRows{{&row, 1}});
  }
  const std::vector<std::uint32_t> columns = {0, 1, 5, 9, 20, 39};
  const std::vector<float> values(columns.size(), 1.0F);
  const SparseRow row = {columns, values};
  return predict(SparseRows{{&row, 1}});
}

// Whether the file could be used.
bool use(const std::string& bytes) {
  try {
    const model::Model model(model::ModelFile(model::SafetensorsFile(
        MappedFile::in_memory(std::as_bytes(std::span(bytes)), "damaged.mhe"))));
    Predictor predictor(model);
    for (const ScoredLabel& found : predict_something(model, predictor)) {
      EXPECT_TRUE(std::isfinite(found.score));
      EXPECT_LT(index_of(found.label), model.num_labels());
      (void)model.label_name(found.label);
    }
  } catch (const Error&) {
    return false;
  }
  return true;
}

std::string make_model(testing::ToyOptions options) {
  options.layout = {.format = Format::kSvmlight, .index_base = 1};  // is damaged too
  const testing::ScratchDir dir;
  testing::write_toy_model(dir.file("m.mhe"), options);
  return dir.read("m.mhe");
}

std::string make_learned_model(const testing::ToyLearnedOptions& options) {
  const testing::ScratchDir dir;
  testing::write_toy_learned_model(dir.file("m.mhe"), options);
  return dir.read("m.mhe");
}

std::vector<std::string> make_learned_models() {
  std::vector<std::string> models;
  for (const HeadKind head :
       {HeadKind::kOneHot, HeadKind::kProduct, HeadKind::kCascade, HeadKind::kSampling}) {
    for (const auto input : {InputKind::kSparse, InputKind::kDense}) {
      models.push_back(make_learned_model({.input = input, .head = head, .members = 2}));
    }
  }
  for (const auto code :
       {heads::ProductCode::kDigits, heads::ProductCode::kTable, heads::ProductCode::kPowerset}) {
    for (const std::size_t rank : {1U, 3U}) {
      models.push_back(
          make_learned_model({.head = HeadKind::kProduct, .code = code, .rank = rank}));
    }
  }
  models.push_back(make_learned_model({.head = HeadKind::kProduct,
                                       .code = heads::ProductCode::kPowerset,
                                       .calibrates_sets = true}));
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

// How a file with such a head is refused; empty if it is not.
std::string refusal(testing::ToyLearnedOptions options,
                    std::function<void(heads::HeadSpec&)> forge) {
  options.forge = std::move(forge);
  const std::string bytes = make_learned_model(options);
  try {
    (void)model::Model(model::ModelFile(model::SafetensorsFile(
        MappedFile::in_memory(std::as_bytes(std::span(bytes)), "forged.mhe"))));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidData) << error.what();
    return error.what();
  }
  return "";
}

TEST(DamagedModel, IsRefusedByNameForAHeadThatCannotBe) {
  using ::testing::HasSubstr;
  using ::testing::StartsWith;
  const auto cascade = [](const std::function<void(heads::HeadSpec&)>& forge) {
    return refusal({.head = HeadKind::kCascade}, forge);
  };
  EXPECT_EQ(cascade([](heads::HeadSpec&) {}), "");
  EXPECT_THAT(cascade([](heads::HeadSpec& spec) { spec.as<heads::CascadeSpec>()->candidates = 0; }),
              StartsWith("forged.mhe: "));
  EXPECT_THAT(cascade([](heads::HeadSpec& spec) { spec.as<heads::CascadeSpec>()->inner_dim = 5; }),
              StartsWith("forged.mhe: "));
  EXPECT_THAT(cascade([](heads::HeadSpec& spec) { spec.lengths.pop_back(); }),
              StartsWith("forged.mhe: "));
  for (const auto code :
       {heads::ProductCode::kDigits, heads::ProductCode::kTable, heads::ProductCode::kPowerset}) {
    const auto product = [&](std::size_t rank) {
      return refusal({.head = HeadKind::kProduct, .code = code, .rank = 2},
                     [&](heads::HeadSpec& spec) { spec.as<heads::ProductSpec>()->rank = rank; });
    };
    EXPECT_EQ(product(2), "");
    // The last times 5, four outputs and a gate a group, is 4 * 2^64 + 6: a size that wraps.
    for (const std::size_t rank : {std::size_t{0}, std::size_t{4097}, std::size_t{1} << 63U,
                                   std::size_t{14757395258967641294U}}) {
      EXPECT_THAT(product(rank), StartsWith("forged.mhe: ")) << rank;
      EXPECT_THAT(product(rank), HasSubstr("rank")) << rank;
    }
  }
}

}  // namespace
}  // namespace mhe::predict
