// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <mhe/plan.h>
#include <mhe/version.h>

extern "C" const char* plugin_version() {
  return mhe::version().data();
}

extern "C" int plugin_num_heads() {
  mhe::PlanOptions options;
  options.num_labels = 1'000'000;
  options.head = mhe::HeadKind::kProduct;
  options.num_heads = 4;
  return static_cast<int>(mhe::make_plan(options).space.lengths().size());
}
