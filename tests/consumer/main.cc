// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include <mhe/error.h>
#include <mhe/version.h>

int main() {
  std::printf("built against mhe %s\n", mhe::version().data());
  return mhe::version().empty() ? 1 : 0;
}
