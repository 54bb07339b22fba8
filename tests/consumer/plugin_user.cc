// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

extern "C" const char* plugin_version();
extern "C" int plugin_num_heads();

int main() {
  std::printf("a shared library with mhe %s plans %d heads\n", plugin_version(),
              plugin_num_heads());
  return plugin_num_heads() == 4 ? 0 : 1;
}
