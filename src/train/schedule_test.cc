// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/schedule.h"

#include <gtest/gtest.h>

#include <mhe/error.h>

namespace mhe::train {
namespace {

TEST(Schedule, RisesThenFallsInItsForm) {
  for (const char* name : {"constant", "linear", "cosine", "poly"}) {
    const Schedule schedule(Schedule::parse(name), 110, 10);
    EXPECT_FLOAT_EQ(schedule(0), 0.1F) << name;
    EXPECT_FLOAT_EQ(schedule(9), 1.0F) << name;
    EXPECT_FLOAT_EQ(schedule(10), 1.0F) << name;
    EXPECT_GT(schedule(109), 0.0F) << name;
  }
  EXPECT_FLOAT_EQ(Schedule(Schedule::parse("constant"), 100, 0)(50), 1.0F);
  EXPECT_FLOAT_EQ(Schedule(Schedule::parse("linear"), 100, 0)(50), 0.5F);
  EXPECT_FLOAT_EQ(Schedule(Schedule::parse("cosine"), 100, 0)(50), 0.5F);
  EXPECT_FLOAT_EQ(Schedule(Schedule::parse("poly"), 100, 0)(50), 0.25F);
}

TEST(Schedule, RefusesOtherNames) {
  EXPECT_THROW((void)Schedule::parse("exponential"), Error);
}

}  // namespace
}  // namespace mhe::train
