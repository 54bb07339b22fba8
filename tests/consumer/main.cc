// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include <mhe/context.h>
#include <mhe/error.h>
#include <mhe/ids.h>
#include <mhe/label_space.h>
#include <mhe/plan.h>

int main() {
  mhe::PlanOptions options;
  options.num_labels = 1'728'000;
  options.head = mhe::HeadKind::kProduct;
  options.num_heads = 3;
  const mhe::Plan plan = mhe::make_plan(options);
  std::printf("mhe %s plans heads of %s\n", mhe::version().data(), plan.space.describe().c_str());
  try {
    const mhe::LabelSpace too_small(1000, {9, 9});
  } catch (const mhe::Error& error) {
    std::printf("and refuses: %s\n", error.what());
    return plan.space.lengths()[0] == 120 ? 0 : 1;
  }
  return 1;
}
