// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa.h"

#include <string>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <mhe/error.h>

#include "base/ascii.h"
#include "kernels/dual_sweep.h"

namespace mhe::kernels {
namespace {

TEST(Isa, IsTheOneAskedFor) {
  const std::string last(isas_here().back());
  std::string small = last;
  for (char& c : small) c = to_lower(c);
  use_isa(small);
  EXPECT_EQ(isa_in_use(), last);
  hwy::DisableTargets(0);
  hwy::GetChosenTarget().DeInit();
}

TEST(Isa, ThatIsNotHereIsRefused) {
  EXPECT_THROW(use_isa("ALTIVEC"), Error);
  EXPECT_EQ(isa_in_use(), isas_here().front());
}

}  // namespace
}  // namespace mhe::kernels
