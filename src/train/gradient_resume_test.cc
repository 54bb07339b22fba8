// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Gradient training that is interrupted and resumed.
#include <atomic>
#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gradient_training.h"
#include "train/member_trainer.h"

namespace mhe::train {
namespace {

using testing::GradientSetup;
using testing::GradientTraining;
using ::testing::HasSubstr;

// A training that is stopped once `when` says so.
class Stopper {
 public:
  explicit Stopper(std::function<bool(const Progress&)> when) : when_(std::move(when)) {}

  // Goes on from a checkpoint, if there is one.
  GradientSetup setup() {
    GradientSetup setup;
    setup.run.resume = true;
    setup.should_stop = [this] { return stop_.load(); };
    setup.on_progress = [this](const Progress& progress) {
      if (stop_) ++reports_after_;
      if (when_(progress)) stop_ = true;
    };
    stop_ = false;
    reports_after_ = 0;
    return setup;
  }
  [[nodiscard]] std::size_t reports_after() const noexcept { return reports_after_; }

 private:
  std::function<bool(const Progress&)> when_;
  std::atomic<bool> stop_ = false;
  std::size_t reports_after_ = 0;
};

bool is_step(const Progress& progress) {
  return progress.stage == "training";
}

struct ResumeCase {
  std::string name;
  std::string encoder = "bag";
  std::string head = "cascade";
  std::function<void(TrainOptions&)> change = [](TrainOptions&) {};
};

void PrintTo(const ResumeCase& resume_case, std::ostream* out) {
  *out << resume_case.name;
}

class ResumeTest : public ::testing::TestWithParam<ResumeCase> {
 protected:
  GradientTraining training_;
};

// Interrupted at every step from the first on, by a flag that a person would set.
TEST_P(ResumeTest, GoesOnToTheSameBitsHoweverOftenItIsInterrupted) {
  TrainOptions options = GradientTraining::quick(GetParam().encoder, GetParam().head);
  options.epochs = 2;
  options.batch = 130;
  GetParam().change(options);
  const std::string whole = training_.trained(options);
  std::filesystem::remove(training_.model());
  Stopper every_step(is_step);
  std::size_t interruptions = 0;
  while (!std::filesystem::exists(training_.model())) {
    ASSERT_LT(interruptions, 100U);
    const Error error =
        GradientTraining::error_of([&] { (void)training_.train(options, every_step.setup()); });
    if (error.code() == ErrorCode::kInterrupted)
      ++interruptions;
    else
      ASSERT_STREQ(error.what(), "");
  }
  EXPECT_GE(interruptions, 4U);
  EXPECT_TRUE(training_.dir.read("m.mhe") == whole);
  EXPECT_EQ(training_.dir.num_entries(), 1U);
}

INSTANTIATE_TEST_SUITE_P(
    Trainings, ResumeTest,
    ::testing::Values(
        ResumeCase{.name = "Cascade"},
        ResumeCase{.name = "Swa",
                   .change = [](auto& options) { options.epochs = 3, options.swa = 0.7; }},
        ResumeCase{.name = "Patience",
                   .change = [](auto& options) { options.epochs = 3, options.patience = 1; }},
        ResumeCase{.name = "Ensemble", .change = [](auto& options) { options.ensemble = 2; }},
        ResumeCase{.name = "OneHot", .head = "onehot"},
        ResumeCase{.name = "TableAdam",
                   .change = [](auto& options) { options.table_rule = "adam"; }},
        ResumeCase{.name = "TableMomentum",
                   .change = [](auto& options) { options.table_rule = "momentum"; }},
        ResumeCase{.name = "TableNesterovOneHot",
                   .head = "onehot",
                   .change = [](auto& options) { options.table_rule = "nesterov"; }},
        ResumeCase{.name = "TableAdamWEnsemble",
                   .change =
                       [](auto& options) {
                         options.table_rule = "adamw";
                         options.ensemble = 2;
                       }},
        ResumeCase{.name = "TableAdamWProduct",
                   .head = "product",
                   .change = [](auto& options) { options.table_rule = "adamw"; }},
        ResumeCase{.name = "Projection", .change = [](auto& options) { options.inner_dim = 10; }},
        ResumeCase{.name = "DropoutOfBareFeatures",
                   .encoder = "dense",
                   .change =
                       [](auto& options) {
                         options.dim = TrainOptions().dim;
                         options.hidden_layers = 0;
                         options.dropout = 0.5F;
                       }},
        ResumeCase{.name = "LayersNesterov",
                   .encoder = "dense",
                   .change =
                       [](auto& options) {
                         options.hidden_layers = 2;
                         options.layer_rule = "nesterov";
                       }},
        ResumeCase{.name = "LayersAdamW",
                   .encoder = "dense",
                   .change = [](auto& options) { options.hidden_layers = 2; }},
        ResumeCase{.name = "LayersMomentum",
                   .encoder = "dense",
                   .change =
                       [](auto& options) {
                         options.hidden_layers = 2;
                         options.layer_rule = "sgd";
                       }},
        ResumeCase{.name = "ProductDigits", .head = "product"},
        ResumeCase{.name = "ProductDense", .encoder = "dense", .head = "product"},
        ResumeCase{.name = "ProductRank2",
                   .head = "product",
                   .change = [](auto& options) { options.rank = 2; }},
        ResumeCase{.name = "Powerset",
                   .head = "product",
                   .change =
                       [](auto& options) {
                         options.powerset = true;
                         options.lengths.assign(6, 32);
                       }},
        ResumeCase{.name = "ProductCodes",
                   .head = "product",
                   .change = [](auto& options) { options.redundant_heads = 4; }},
        ResumeCase{.name = "ProductCodeEpochs",
                   .head = "product",
                   .change =
                       [](auto& options) {
                         options.redundant_heads = 4;
                         options.code_epochs = 1;
                         options.ensemble = 2;
                       }},
        ResumeCase{.name = "ProductCodeEpochsRank2",
                   .head = "product",
                   .change =
                       [](auto& options) {
                         options.order = "product";
                         options.code_epochs = 1;
                         options.rank = 2;
                       }},
        ResumeCase{.name = "TrainedOrder",
                   .change =
                       [](auto& options) {
                         options.order = "trained";
                         options.order_epochs = 1;
                         options.ensemble = 2;
                       }},
        ResumeCase{.name = "SamplingTrainedOrder",
                   .encoder = "dense",
                   .head = "sampling",
                   .change = [](auto& options) { options.order = "trained"; }},
        ResumeCase{.name = "SamplingExtraGroups",
                   .head = "sampling",
                   .change = [](auto& options) { options.extra_groups = 2; }},
        ResumeCase{.name = "SamplingGroupsPerExample",
                   .head = "sampling",
                   .change = [](auto& options) { options.groups_per_example = 2; }}),
    [](const auto& test) { return test.param.name; });

class CheckpointTest : public ::testing::Test {
 protected:
  ErrorCode stop_at(const TrainOptions& options, Stopper stopper) const {
    return GradientTraining::code_of([&] { (void)training_.train(options, stopper.setup()); });
  }
  GradientSetup resumed() const {
    GradientSetup setup;
    setup.run.resume = true;
    return setup;
  }

  GradientTraining training_;
};

TEST_F(CheckpointTest, IsRefusedByOtherTrainings) {
  TrainOptions options = GradientTraining::quick("bag", "onehot");
  EXPECT_EQ(stop_at(options, Stopper(is_step)), ErrorCode::kInterrupted);
  options.dim = 25;
  EXPECT_EQ(GradientTraining::code_of([&] { (void)training_.train(options, resumed()); }),
            ErrorCode::kInvalidData);
}

// Codes were learned at a rate; another one would have given others, which the rows do not belong
// to.
TEST_F(CheckpointTest, KeepsTheCodesThatWereLearnedAtAnotherRate) {
  TrainOptions options = GradientTraining::quick("bag", "product");
  options.redundant_heads = 4;
  options.code_epochs = 2;
  options.learning_rate = 0.1F;
  const std::string name = "member0.head.codes";
  const auto codes = training_.tensor_of<std::uint32_t>(name, options);
  EXPECT_EQ(stop_at(options, Stopper(is_step)), ErrorCode::kInterrupted);
  options.learning_rate = 0.001F;
  EXPECT_NE(training_.tensor_of<std::uint32_t>(name, options), codes)
      << "the rate makes no difference; the test proves nothing";
  options.learning_rate = 0.1F;
  EXPECT_EQ(stop_at(options, Stopper(is_step)), ErrorCode::kInterrupted);
  options.learning_rate = 0.001F;
  std::size_t code_steps = 0;
  GradientSetup setup = resumed();
  setup.on_progress = [&](const Progress& progress) {
    if (progress.stage == "learning what labels are alike") ++code_steps;
  };
  EXPECT_EQ(training_.tensor_of<std::uint32_t>(name, options, setup), codes);
  EXPECT_EQ(code_steps, 0U);
}

TEST_F(CheckpointTest, KeepsTheOrderThatWasTrainedAtAnotherRate) {
  TrainOptions options = GradientTraining::quick("bag", "cascade");
  options.order = "trained";
  options.learning_rate = 0.1F;
  const std::string name = "member0.head.label_at";
  const auto labels = training_.tensor_of<std::uint32_t>(name, options);
  options.learning_rate = 0.001F;
  EXPECT_NE(training_.tensor_of<std::uint32_t>(name, options), labels)
      << "the rate makes no difference; the test proves nothing";
  options.learning_rate = 0.1F;
  EXPECT_EQ(stop_at(options, Stopper(is_step)), ErrorCode::kInterrupted);
  options.learning_rate = 0.001F;
  EXPECT_EQ(training_.tensor_of<std::uint32_t>(name, options, resumed()), labels);
}

// Epochs that were measured before the training was stopped are in the report of the resumed one.
TEST_F(CheckpointTest, KeepsTheAccuraciesOfEpochs) {
  for (const char* head : {"product", "onehot"}) {
    const TrainOptions options = GradientTraining::quick("bag", head);
    GradientSetup whole;
    whole.run.measure = true;
    const auto expected = training_.train(options, whole).encoders[0].epochs[0];
    std::size_t steps = 0;
    Stopper fourth_epoch(
        [&](const Progress& progress) { return is_step(progress) && ++steps > 3 * 12; });
    GradientSetup stopped = fourth_epoch.setup();
    stopped.run.measure = true;
    EXPECT_EQ(GradientTraining::code_of([&] { (void)training_.train(options, stopped); }),
              ErrorCode::kInterrupted);
    GradientSetup rest = resumed();
    rest.run.measure = true;
    const TrainReport report = training_.train(options, rest);
    EXPECT_GE(report.encoders[0].resumed_epochs, 3U);
    const auto& found = report.encoders[0].epochs[0];
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t e = 0; e < found.size(); ++e) {
      for (const auto rows : {&EpochReport::training, &EpochReport::validation}) {
        ASSERT_TRUE((found[e].*rows).has_value()) << e;
        EXPECT_EQ((found[e].*rows)->first_label, (expected[e].*rows)->first_label) << e;
        EXPECT_EQ((found[e].*rows)->heads, (expected[e].*rows)->heads) << e;
        EXPECT_FALSE((found[e].*rows)->set_accuracy.has_value());
      }
    }
  }
}

// Members take long to prepare: what was finished before is kept, at once.
TEST_F(CheckpointTest, IsWrittenWhileALaterMemberIsPrepared) {
  struct Case {
    std::string stage;
    TrainOptions options;
  };
  std::vector<Case> cases = {
      {"learning what labels are alike", GradientTraining::quick("bag", "product")},
      {"summing up rows", GradientTraining::quick("bag", "cascade")},
      {"ordering labels", GradientTraining::quick("bag", "cascade")}};
  cases[0].options.redundant_heads = 4;
  cases[0].options.code_epochs = 2;
  for (Case& each : cases) {
    each.options.ensemble = 2;
    each.options.epochs = 2;
    const std::string whole = training_.trained(each.options);
    std::filesystem::remove(training_.model());
    bool has_begun = false;
    Stopper stopper([&](const Progress& progress) {
      has_begun = has_begun || is_step(progress);
      return has_begun && progress.stage == each.stage;
    });
    const Error error =
        GradientTraining::error_of([&] { (void)training_.train(each.options, stopper.setup()); });
    EXPECT_EQ(error.code(), ErrorCode::kInterrupted);
    EXPECT_THAT(error.what(), HasSubstr("stopped after 1 of 2 members; "));
    EXPECT_LE(stopper.reports_after(), 2U) << each.stage;  // that it writes, at most one before
    const TrainReport report = training_.train(each.options, resumed());
    EXPECT_EQ(report.encoders[0].resumed_epochs, 2U);
    EXPECT_TRUE(training_.dir.read("m.mhe") == whole) << each.stage;
  }
}

TEST_F(CheckpointTest, IsNotThereIfTheFirstMemberIsStillPrepared) {
  EXPECT_EQ(stop_at(GradientTraining::quick("bag", "cascade"),
                    Stopper([](const Progress&) { return true; })),
            ErrorCode::kInterrupted);
  EXPECT_EQ(training_.dir.num_entries(), 0U);
}

// The loss of a step is that of before it: the step itself may go too far.
TEST_F(CheckpointTest, StaysAsItWasIfNumbersAreLost) {
  TrainOptions options = GradientTraining::quick("bag", "onehot");
  options.table_rule = "sgd";
  options.schedule = "constant";
  options.warmup = 0;
  options.init = "random";
  options.batch = 400;           // an epoch is a step
  options.weight_decay = 1e30F;  // times the rate
  options.learning_rate = 1e-31F;
  GradientSetup often;
  often.run.checkpoint_every = 1;
  const auto diverges = [&](const GradientSetup& setup) {
    const Error error = GradientTraining::error_of([&] { (void)training_.train(options, setup); });
    EXPECT_EQ(error.code(), ErrorCode::kDiverged);
    return std::string(error.what());
  };
  options.learning_rate = 1e30F;
  EXPECT_THAT(diverges(often), HasSubstr("after step 1 (epoch 1 of 6)"));
  EXPECT_EQ(training_.dir.num_entries(), 0U);
  EXPECT_THAT(diverges({}), HasSubstr("the loss became"));  // nothing is kept: the next step tells

  options.learning_rate = 1e-31F;
  EXPECT_EQ(stop_at(options, Stopper(is_step)), ErrorCode::kInterrupted);
  const std::string good = training_.dir.read("m.mhe.resume");
  options.learning_rate = 1e30F;
  often.run.resume = true;
  EXPECT_THAT(diverges(often), HasSubstr("after step 2 (epoch 2 of 6)"));
  EXPECT_TRUE(training_.dir.read("m.mhe.resume") == good);
  options.learning_rate = 1e-31F;
  EXPECT_EQ(training_.train(options, often).encoders[0].resumed_epochs, 1U);
}

TEST_F(CheckpointTest, LastStepsThatLoseNumbersGiveNoModel) {
  TrainOptions options = GradientTraining::quick("bag", "onehot");
  options.table_rule = "sgd";
  options.init = "random";
  options.schedule = "constant";
  options.warmup = 0;
  options.batch = 400;
  options.epochs = 1;
  options.weight_decay = options.learning_rate = 1e30F;
  EXPECT_EQ(GradientTraining::code_of([&] { (void)training_.train(options); }),
            ErrorCode::kDiverged);
  EXPECT_EQ(training_.dir.num_entries(), 0U);
}

TEST(FindNotFinite, NamesTheFirstArrayThatIsNotAllNumbers) {
  const Context context({.threads = 2});
  std::vector<float> good = {0, -1, 1e-40F, 3e38F, -3e38F};
  std::vector<float> bad(200'000, 1.0F);
  const std::vector<NamedArray> arrays = {{"good", good}, {"bad", bad}};
  EXPECT_EQ(find_not_finite(context, arrays), "");
  for (const float value : {NAN, -NAN, INFINITY, -INFINITY}) {
    bad.back() = value;
    EXPECT_EQ(find_not_finite(context, arrays), "bad") << value;
  }
}

}  // namespace
}  // namespace mhe::train
