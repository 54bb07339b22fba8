// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/gradient_rules.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/error.h>

namespace mhe::train {
namespace {

TrainOptions of_bag() {
  TrainOptions options;
  options.encoder = "bag";
  return options;
}

std::string order_of(const std::string& head, std::size_t rows, std::size_t labels) {
  TrainOptions options = of_bag();
  options.head = head;
  return resolve_gradient(options, rows, labels).order;
}

TEST(IdleOptions, AreRefused) {
  const auto message_of = [](const std::string& encoder,
                             const std::vector<std::pair<const char*, const char*>>& set) {
    TrainOptions options;
    options.encoder = encoder;
    for (const auto& [name, value] : set) options.set(name, value);
    try {
      validate_gradient(options);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto refused = [&](const char* encoder, auto set) {
    EXPECT_NE(message_of(encoder, set).find("does nothing"), std::string::npos)
        << encoder << ' ' << set.back().first;
  };
  using Set = std::vector<std::pair<const char*, const char*>>;
  refused("bag", Set{{"momentum", "0.5"}});
  refused("dense", Set{{"hidden_layers", "0"}, {"layer_rule", "sgd"}, {"momentum", "0.5"}});
  for (const auto& idle :
       Set{{"dim", "64"}, {"activation", "gelu"}, {"layer_rule", "sgd"}, {"layer_rate", "0.1"}}) {
    refused("dense", Set{{"hidden_layers", "0"}, idle});
    EXPECT_EQ(message_of("dense", Set{{"hidden_layers", "1"}, idle}), "");
  }
  EXPECT_EQ(message_of("dense", Set{{"hidden_layers", "0"}, {"dropout", "0.5"}}), "");
  EXPECT_EQ(
      message_of("dense", Set{{"hidden_layers", "0"}, {"inner_dim", "4"}, {"layer_rate", "1"}}),
      "");
  for (const char* rule : {"momentum", "nesterov"}) {
    EXPECT_EQ(message_of("bag", Set{{"table_rule", rule}, {"momentum", "0.5"}}), "");
  }
  EXPECT_EQ(message_of("bag", Set{{"layer_rule", "nesterov"}, {"momentum", "0.5"}}), "");
}

TEST(LearnedOrder, OfProductHeadsIsRandom) {
  EXPECT_EQ(order_of("product", 20'000, 50'000), "random");
  EXPECT_EQ(order_of("product", 10'000'000, 20'000'000), "random");
}

TEST(LearnedOrder, OfProductHeadsCostsNothingWhereMostLabelsOccurNowhere) {
  EXPECT_EQ(order_of("product", 20'000, 100'000'000), "identity");
  EXPECT_EQ(order_of("sampling", 20'000, 100'000'000), "random");
}

TEST(LearnedOrder, ThatIsGivenIsTaken) {
  TrainOptions options = of_bag();
  options.head = "product";
  options.order = "random";
  EXPECT_EQ(resolve_gradient(options, 20'000, 100'000'000).order, "random");
}

TEST(HeadRule, IsACascadeWhereThereAreLabelsForTwoLevels) {
  TrainOptions options = of_bag();
  EXPECT_NO_THROW(validate_gradient(options));
  EXPECT_EQ(resolve_gradient(options, 1000, 2).head, "onehot");
  EXPECT_EQ(resolve_gradient(options, 1000, 3).head, "cascade");
  EXPECT_EQ(resolve_gradient(options, 1000, 100'000).head, "cascade");
  options.lengths = {2, 1};
  EXPECT_EQ(resolve_gradient(options, 1000, 2).head, "cascade");
  options.lengths.clear();
  options.head = "cascade";
  EXPECT_EQ(resolve_gradient(options, 1000, 2).head, "cascade");
}

TEST(StartRule, IsCentroidsForABagWithACascade) {
  const auto start_of = [](const char* encoder, const char* head) {
    TrainOptions options;
    options.encoder = encoder;
    options.head = head;
    return resolve_gradient(options, 1000, 100).init;
  };
  EXPECT_EQ(start_of("bag", "cascade"), "centroids");
  EXPECT_EQ(start_of("bag", "onehot"), "biases");
  EXPECT_EQ(start_of("bag", "sampling"), "biases");
  EXPECT_EQ(start_of("dense", "cascade"), "random");
  EXPECT_EQ(start_of("dense", "product"), "random");
}

TEST(StartRule, OfProductHeadsFollowsTheirLoss) {
  TrainOptions options = of_bag();
  options.head = "product";
  const auto start_of = [&](std::size_t labels_per_row) {
    return resolve_gradient(options, 1000, 100, labels_per_row).init;
  };
  EXPECT_EQ(start_of(1), "centroids");
  EXPECT_EQ(start_of(2), "random");
  options.loss = "softmax";
  EXPECT_EQ(start_of(2), "centroids");
  options.rank = 2;
  EXPECT_EQ(start_of(1), "random");
  options.rank = 1;
  options.powerset = true;
  EXPECT_EQ(start_of(5), "biases");
}

TEST(StartRule, GroupsOfHeadsDoNotBeginAlike) {
  TrainOptions options = of_bag();
  options.head = "product";
  options.init = "centroids";
  EXPECT_NO_THROW(validate_gradient(options));
  options.rank = 2;
  EXPECT_THROW(validate_gradient(options), Error);
  options.init = "biases";
  EXPECT_NO_THROW(validate_gradient(options));
}

TEST(LearnedOrder, TrainedIsForCascadesAndSampling) {
  TrainOptions options = of_bag();
  options.order = "trained";
  for (const char* head : {"auto", "cascade", "sampling"}) {
    options.head = head;
    EXPECT_NO_THROW(validate_gradient(options)) << head;
    EXPECT_EQ(resolve_gradient(options, 1000, 100).order_epochs, 3U);
  }
  options.order_epochs = 1;
  EXPECT_EQ(resolve_gradient(options, 1000, 100).order_epochs, 1U);
  options.head = "product";
  EXPECT_THROW(validate_gradient(options), Error);
  options.head = "cascade";
  options.order = "random";
  EXPECT_THROW(validate_gradient(options), Error) << "epochs of nothing";
}

TEST(WarmUpRule, IsForAdagradAndForWhoAsks) {
  TrainOptions options = of_bag();
  EXPECT_EQ(resolve_gradient(options, 1000, 100).warmup, 0.1);
  options.table_rule = "sgd";
  EXPECT_EQ(resolve_gradient(options, 1000, 100).warmup, 0);
  options.table_rule = "adagrad";
  options.warmup = 0;
  EXPECT_EQ(resolve_gradient(options, 1000, 100).warmup, 0);
  options.warmup = -0.5;
  EXPECT_THROW(validate_gradient(options), Error);
}

}  // namespace
}  // namespace mhe::train
