// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <mhe/context.h>
#include <mhe/error.h>

#include "base/ascii.h"
#include "kernels/dual_sweep.h"

namespace mhe::kernels {
namespace {

TEST(Isa, IsTheOneAskedFor) {
  const std::string last(instruction_sets().back());
  std::string small = last;
  for (char& c : small) c = to_lower(c);
  use_instruction_set(small);
  EXPECT_EQ(instruction_set_in_use(), last);
  hwy::DisableTargets(0);
  hwy::GetChosenTarget().DeInit();
}

TEST(Isa, ThatIsNotHereIsRefused) {
  EXPECT_THROW(use_instruction_set("ALTIVEC"), Error);
  EXPECT_EQ(instruction_set_in_use(), instruction_sets().front());
}

}  // namespace
}  // namespace mhe::kernels
