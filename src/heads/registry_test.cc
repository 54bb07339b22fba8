// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/registry.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <mhe/error.h>

namespace mhe::heads {
namespace {

HeadSpec spec_of(OwnSpec own) {
  return {.num_labels = 20, .lengths = {5, 4}, .dim = 8, .loss = Loss::kSigmoid, .own = own};
}

// Files of format 1 hold these bytes.
const std::pair<OwnSpec, std::string> kCards[] = {
    {OneHotSpec(),
     R"({"kind":"onehot","num_labels":20,"lengths":[5,4],"dim":8,"inner_dim":8,"loss":"sigmoid",)"
     R"("candidates":10,"parent_power":1.0,"extra_groups":0,"groups_per_example":0,)"
     R"("rank":1,"code":"digits"})"},
    {ProductSpec{.rank = 3, .code = ProductCode::kTable},
     R"({"kind":"product","num_labels":20,"lengths":[5,4],"dim":8,"inner_dim":8,"loss":"sigmoid",)"
     R"("candidates":10,"parent_power":1.0,"extra_groups":0,"groups_per_example":0,)"
     R"("rank":3,"code":"table"})"},
    {CascadeSpec{.inner_dim = 4, .candidates = 3, .parent_power = 0.5F},
     R"({"kind":"cascade","num_labels":20,"lengths":[5,4],"dim":8,"inner_dim":4,"loss":"sigmoid",)"
     R"("candidates":3,"parent_power":0.5,"extra_groups":0,"groups_per_example":0,)"
     R"("rank":1,"code":"digits"})"},
    {SamplingSpec{.extra_groups = 2, .groups_per_example = 1},
     R"({"kind":"sampling","num_labels":20,"lengths":[5,4],"dim":8,"inner_dim":8,"loss":"sigmoid",)"
     R"("candidates":10,"parent_power":1.0,"extra_groups":2,"groups_per_example":1,)"
     R"("rank":1,"code":"digits"})"},
};

TEST(HeadCard, HasTheSameKeysForEveryHead) {
  for (const auto& [own, card] : kCards) {
    EXPECT_EQ(to_json(spec_of(own)).dump(), card);
    EXPECT_EQ(to_json(head_spec_from(nlohmann::json::parse(card))).dump(), card);
  }
}

TEST(HeadCard, RefusesValuesThatNoHeadHas) {
  for (const auto& entry : kCards) {
    const std::string& card = entry.second;
    const auto refuses = [&](const char* key, const nlohmann::json& value) {
      nlohmann::json forged = nlohmann::json::parse(card);
      forged[key] = value;
      EXPECT_THROW((void)head_spec_from(forged), Error) << key << " of " << card;
    };
    refuses("kind", "tree");
    refuses("loss", "hinge");
    refuses("lengths", nlohmann::json::array());
    refuses("lengths", {5, 0});
    if (kind_of(entry.first) == HeadKind::kProduct) refuses("code", "morse");
  }
}

}  // namespace
}  // namespace mhe::heads
