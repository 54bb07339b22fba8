// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <initializer_list>
#include <utility>
#include <vector>

namespace mhe::app {

/// While it lives, the first of these signals sets a flag that long work looks at; the second ends
/// the program as usual. One at a time.
class StopSignal {
 public:
  explicit StopSignal(std::initializer_list<int> signals);
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  [[nodiscard]] static bool is_requested() noexcept;

 private:
  std::vector<std::pair<int, struct sigaction>> before_;
};

}  // namespace mhe::app
