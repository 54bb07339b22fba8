// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/options.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <mhe/error.h>

namespace mhe::train {
namespace {

std::string complaint(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.what();
  }
  return "";
}

std::string complaint_about(const std::function<void(TrainOptions&)>& change) {
  TrainOptions options;
  change(options);
  return complaint([&] { validate(options); });
}

TEST(Presets, AreValidAndDiffer) {
  for (const char* name : {"fast", "default", "best"})
    EXPECT_NO_THROW(validate(preset_options(name)));
  EXPECT_EQ(preset_options("default").to_json(), TrainOptions().to_json());
  EXPECT_NE(preset_options("fast").to_json(), preset_options("default").to_json());
  EXPECT_GT(preset_options("best").ensemble, 1U);
}

TEST(Presets, RefuseOtherNames) {
  EXPECT_EQ(complaint([] { (void)preset_options("turbo"); }),
            "preset \"turbo\"; expected fast, default or best");
}

TEST(TrainOptions, SayWhatIsWrong) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(complaint_about([](auto&) {}), "");
  EXPECT_EQ(complaint_about([](auto& o) { o.head = "product"; }),
            "head \"product\"; the linear encoder has cascade and onehot");
  EXPECT_EQ(complaint_about([](auto& o) {
              o.head = "onehot";
              o.lengths = {3, 4};
            }),
            "the option lengths does not belong to the head onehot");
  EXPECT_EQ(complaint_about([](auto& o) { o.lengths = {3}; }),
            "a cascade has at least 2 heads; 1 length was given");
  EXPECT_EQ(complaint_about([](auto& o) { o.lengths = {3, 0}; }), "a head of length 0");
  EXPECT_EQ(complaint_about([](auto& o) { o.leaf = 1; }), "leaf 1; expected at least 2, or 0");
  EXPECT_EQ(complaint_about([](auto& o) { o.ensemble = 0; }), "ensemble 0; expected 1 to 64");
  EXPECT_EQ(complaint_about([](auto& o) { o.ensemble = 65; }), "ensemble 65; expected 1 to 64");
  EXPECT_EQ(complaint_about([](auto& o) { o.beam = 1'000'001; }),
            "beam 1000001; expected 1 to 1000000, or 0");
  EXPECT_EQ(complaint_about([](auto& o) { o.parent_weight = -1; }),
            "parent weight -1; expected 0 to 100");
  EXPECT_EQ(complaint_about([](auto& o) { o.loss_weight = -1; }),
            "loss weight -1; expected 0 or more");
  EXPECT_EQ(complaint_about([](auto& o) { o.sweeps = 0; }), "sweeps 0; expected at least 1");
  EXPECT_EQ(complaint_about([&](auto& o) { o.prune = infinity; }),
            "prune inf; expected 0 or more, or -1");
  EXPECT_EQ(complaint_about([](auto& o) { o.held_out = 0.6; }), "held out 0.6; expected 0 to 0.5");
  EXPECT_NE(complaint_about([](auto& o) { o.held_out = std::nan(""); }), "");
}

TEST(TrainOptions, AllAreInTheJson) {
  TrainOptions options;
  options.lengths = {3, 5};
  options.text.fields = {{.name = "title", .own = true}};
  const auto json = nlohmann::json::parse(options.to_json());
  EXPECT_EQ(json.at("lengths"), nlohmann::json({3, 5}));
  EXPECT_EQ(json.at("head"), "auto");
  EXPECT_EQ(json.at("fields").at(0).at("name"), "title");
  std::size_t visited = 0;
  options.visit([&](const char* name, auto&, const char*) {
    ++visited;
    EXPECT_TRUE(json.contains(name)) << name;
  });
  EXPECT_EQ(json.size(), visited + 1);  // the encoder
}

TEST(Presets, OfOtherEncodersHaveOnlyWhatTheseHave) {
  for (const char* encoder : {"linear", "bag", "dense"}) {
    for (const char* name : {"fast", "default", "best"}) {
      EXPECT_NO_THROW(validate(preset_options(name, encoder))) << encoder << " " << name;
      EXPECT_EQ(preset_options(name, encoder).encoder, encoder);
    }
  }
  EXPECT_EQ(preset_options("fast", "bag").dim, 256U);
  EXPECT_EQ(preset_options("fast", "bag").leaf, 0U);
  EXPECT_EQ(preset_options("fast", "linear").dim, TrainOptions().dim);
  EXPECT_EQ(preset_options("best", "bag").ensemble, 3U);
}

TEST(TrainOptions, ThatTheHeadDoesNotHaveAreRefusedByName) {
  const auto complaint_of_head = [](const char* encoder, const char* head, const char* option,
                                    const char* value) {
    return complaint_about([&](auto& o) {
      o.encoder = encoder;
      o.head = head;
      o.set(option, value);
    });
  };
  const auto refusal = [](const std::string& option, const std::string& head) {
    return "the option " + option + " does not belong to the head " + head;
  };
  EXPECT_EQ(complaint_of_head("bag", "cascade", "rank", "2"), refusal("rank", "cascade"));
  EXPECT_EQ(complaint_of_head("bag", "onehot", "heads", "2"), refusal("heads", "onehot"));
  EXPECT_EQ(complaint_of_head("dense", "product", "beam", "2"), refusal("beam", "product"));
  EXPECT_EQ(complaint_of_head("bag", "sampling", "powerset", "true"),
            refusal("powerset", "sampling"));
  EXPECT_EQ(complaint_of_head("bag", "product", "extra_groups", "2"),
            refusal("extra_groups", "product"));
  EXPECT_EQ(complaint_of_head("linear", "onehot", "leaf", "20"), refusal("leaf", "onehot"));
  EXPECT_EQ(complaint_of_head("linear", "onehot", "beam", "20"), refusal("beam", "onehot"));
  // Left open, it may become a cascade.
  EXPECT_EQ(complaint_of_head("bag", "auto", "beam", "20"), "");
  EXPECT_EQ(complaint_of_head("bag", "auto", "rank", "2"),
            "the option rank does not belong to the heads cascade and onehot; name the head");
  // A preset's own values are not asked for.
  TrainOptions fast = preset_options("fast");
  fast.head = "onehot";
  EXPECT_NO_THROW(validate(fast));
}

TEST(TrainOptions, ThatTheEncoderDoesNotHaveAreRefusedByName) {
  EXPECT_EQ(complaint_about([](auto& o) { o.dim = 7; }),
            "the option dim does not belong to the encoder linear");
  EXPECT_EQ(complaint_about([](auto& o) {
              o.encoder = "bag";
              o.leaf = 9;
            }),
            "the option leaf does not belong to the encoder bag");
  // Named, with the value it has anyway.
  EXPECT_EQ(complaint_about([](auto& o) { o.set("dim", "512"); }),
            "the option dim does not belong to the encoder linear");
  EXPECT_EQ(complaint_about([](auto& o) { o.set_json(R"({"encoder": "bag", "leaf": 0})"); }),
            "the option leaf does not belong to the encoder bag");
  EXPECT_EQ(complaint_about([](auto& o) {
              o.encoder = "linear,bag";
              o.leaf = 9;
              o.dim = 7;
            }),
            "");
  EXPECT_EQ(complaint_about([](auto& o) { o.encoder = "tree"; }),
            "encoder \"tree\"; expected linear, bag or dense");
  EXPECT_EQ(complaint_about([](auto& o) { o.encoder = "bag,bag"; }),
            "encoder bag was given twice; \"ensemble\" trains several members");
}

TEST(TrainOptions, OfOneMemberAreRefusedWhereItCannotHaveThem) {
  const auto complaint = [](const std::string& encoder) {
    return complaint_about([&](auto& o) { o.encoder = encoder; });
  };
  EXPECT_EQ(complaint("linear,linear:head=onehot,bag:hidden-layers=1:lengths=3x4"), "");
  EXPECT_EQ(complaint("linear:dim=7"), "the option dim does not belong to the encoder linear");
  EXPECT_EQ(complaint("linear,bag:leaf=3"), "the option leaf does not belong to the encoder bag");
  EXPECT_EQ(complaint("linear,linear:head=onehot:candidates=3"),
            "the option candidates does not belong to the head onehot");
  EXPECT_EQ(complaint("linear,bag:dims=3"), "there is no option \"dims\"");
  EXPECT_EQ(complaint("linear,bag:dim"),
            "encoder bag: expected option=value after the colon, found \"dim\"");
  EXPECT_EQ(complaint("linear,bag:min-df=3"),
            "the option min_df is the same for all members; give it by itself");
  EXPECT_EQ(complaint("linear,bag:dim=3,bag:dim=3"),
            "encoder bag was given twice; \"ensemble\" trains several members");
}

// A value other than the default, of every type that options have.
void change(bool& value) {
  value = !value;
}
void change(std::string& value) {
  value += "x,y \"z\"";
}
void change(std::vector<std::uint32_t>& value) {
  value = {107, 40};
}
void change(std::vector<std::string>& value) {
  value = {"title=2", "text=1:first=3:chars=3-5"};
}
void change(std::vector<FieldOptions>& value) {
  value = {{.name = "title", .own = true, .weight = 0.1}, {.name = "a,b"}};
}
template <class Number>
requires std::is_arithmetic_v<Number>
void change(Number& value) {
  value = value + (std::is_floating_point_v<Number> ? Number(0.1) : Number(3));
}

TEST(TrainOptions, SurviveJson) {
  TrainOptions options;
  options.encoder = "bag";
  options.visit([](const char*, auto& value, const char*) { change(value); });
  TrainOptions read;
  read.set_json(options.to_json());
  EXPECT_EQ(read.to_json(), options.to_json());
  const auto before = nlohmann::json::parse(TrainOptions().to_json());
  const auto after = nlohmann::json::parse(read.to_json());
  for (const auto& [name, value] : after.items()) {
    EXPECT_NE(value, before.at(name)) << name;
    EXPECT_TRUE(read.given.contains(name)) << name;
  }
  TrainOptions again;
  again.set_json(TrainOptions().to_json());
  EXPECT_EQ(again.to_json(), TrainOptions().to_json());
}

TEST(TrainOptions, AreSetOneByOneFromText) {
  TrainOptions options;
  options.visit([](const char*, auto& value, const char*) { change(value); });
  const auto json = nlohmann::json::parse(options.to_json());
  for (const auto& [name, value] : json.items()) {
    if (name == "encoder") continue;
    std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (value.is_array() && name != "fields") {
      text.clear();
      for (const auto& part : value) {
        if (!text.empty()) text += ",";
        text += part.is_string() ? part.get<std::string>() : part.dump();
      }
    }
    TrainOptions one;
    one.set(name, text);
    const auto found = nlohmann::json::parse(one.to_json());
    EXPECT_EQ(found.at(name), value) << name;
    EXPECT_EQ(one.given, (std::set<std::string, std::less<>>{name}));
    std::size_t changed = 0;
    const auto defaults = nlohmann::json::parse(TrainOptions().to_json());
    for (const auto& [other, is] : found.items()) changed += is != defaults.at(other) ? 1 : 0;
    EXPECT_EQ(changed, 1U) << name;
  }
}

TEST(TrainOptions, RefuseWhatCannotBeSet) {
  TrainOptions options;
  EXPECT_EQ(complaint([&] { options.set("depth", "3"); }), "there is no option \"depth\"");
  EXPECT_EQ(complaint([&] { options.set("ensemble", "3x"); }),
            "ensemble \"3x\"; expected a whole number");
  EXPECT_EQ(complaint([&] { options.set("ensemble", "-1"); }),
            "ensemble \"-1\"; expected a whole number");
  EXPECT_EQ(complaint([&] { options.set("dropout", ""); }), "dropout \"\"; expected a number");
  EXPECT_EQ(complaint([&] { options.set("powerset", "yes"); }),
            "powerset \"yes\"; expected true or false");
  EXPECT_NE(complaint([&] { options.set("lengths", "3,x"); }), "");
  EXPECT_EQ(complaint([&] { options.set("fields", "["); }),
            "fields \"[\"; expected a JSON array of fields");
  EXPECT_EQ(complaint([&] { options.set_json("[1]"); }), "expected a JSON object of options");
  EXPECT_EQ(options.to_json(), TrainOptions().to_json());
  EXPECT_TRUE(options.given.empty());
}

}  // namespace
}  // namespace mhe::train
