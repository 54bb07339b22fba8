// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "encoders/registry.h"

#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <mhe/error.h>

namespace mhe::encoders {
namespace {

const EncoderSpec kBag = {.kind = EncoderKind::kBag,
                          .input = InputKind::kSparse,
                          .num_inputs = 40,
                          .dim = 6,
                          .own = MlpSpec{.layers = 2, .normalize = true}};
const EncoderSpec kDense = {.kind = EncoderKind::kDense,
                            .input = InputKind::kDense,
                            .num_inputs = 9,
                            .dim = 9,
                            .own = MlpSpec{.layers = 0, .activation = Activation::kGelu}};

// Model files of the first versions look like this.
TEST(EncoderRegistry, WritesSpecsOfSmallNetworksWithoutAKind) {
  EXPECT_EQ(to_json(kBag).dump(), R"({"input":"sparse","num_inputs":40,"dim":6,"layers":2,)"
                                  R"("activation":"relu","normalize":true})");
  EXPECT_EQ(to_json(kDense).dump(), R"({"input":"dense","num_inputs":9,"dim":9,"layers":0,)"
                                    R"("activation":"gelu","normalize":false})");
}

TEST(EncoderRegistry, ReadsWhatItWrites) {
  for (const EncoderSpec& spec : {kBag, kDense}) {
    EXPECT_EQ(spec_from_json(to_json(spec)), spec);
    nlohmann::json named = to_json(spec);
    named["kind"] = spec.kind == EncoderKind::kBag ? "bag" : "dense";
    EXPECT_EQ(spec_from_json(named), spec);
  }
}

TEST(EncoderRegistry, RefusesSpecsThatCannotBe) {
  const auto with = [](const char* key, const nlohmann::json& value) {
    nlohmann::json json = to_json(kBag);
    json[key] = value;
    return json;
  };
  EXPECT_THROW((void)spec_from_json(with("input", "sound")), Error);
  EXPECT_THROW((void)spec_from_json(with("kind", "dense")), Error);  // of sparse vectors
  EXPECT_THROW((void)spec_from_json(with("dim", 0)), Error);
  EXPECT_THROW((void)spec_from_json(with("layers", 0)), Error);
  EXPECT_THROW((void)spec_from_json(with("layers", "two")), nlohmann::json::exception);
  try {
    (void)spec_from_json(with("kind", "cnn"));
    FAIL() << "an encoder of no kind was read";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "encoder \"cnn\"; expected one of bag, dense");
  }
}

TEST(EncoderRegistry, ListsEncodersInTheOrderOfTheirKinds) {
  const std::vector<EncoderType> types = encoder_types();
  for (std::size_t i = 0; i < types.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(types[i].kind), i);
    EXPECT_EQ(encoder_named(types[i].name).kind, types[i].kind);
  }
}

TEST(EncoderRegistry, MakesSpecsOfOptions) {
  const EncoderOptions options = {.dim = 6, .hidden_layers = 1, .normalize = true};
  EXPECT_EQ(make_spec(encoder_named("bag"), options, 40), kBag);
  const EncoderSpec by_rule = make_spec(encoder_named("dense"), {.dim = 6}, 9);
  EXPECT_EQ(std::get<MlpSpec>(by_rule.own).layers, 1U);
  // Without layers features are the inputs, as wide as these.
  EXPECT_EQ(make_spec(encoder_named("dense"), {.hidden_layers = 0, .activation = "gelu"}, 9),
            kDense);
  EXPECT_THROW(validate(EncoderOptions{.dim = 0}), Error);
  EXPECT_THROW(validate(EncoderOptions{.hidden_layers = 64}), Error);
  EXPECT_THROW(validate(EncoderOptions{.activation = "tanh"}), Error);
}

TEST(EncoderRegistry, CountsTheBytesOfParameters) {
  EXPECT_EQ(parameter_bytes(kBag), 4U * (40 * 6 + 6 + 6 * 6 + 6));
  EXPECT_EQ(parameter_bytes(kDense), 4U * 2 * 9);
}

}  // namespace
}  // namespace mhe::encoders
