// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace mhe::app {

/// While it lives, the first Ctrl-C (or SIGTERM) sets a flag that long work looks at; the second
/// ends the program as usual. One at a time.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  [[nodiscard]] const std::atomic<bool>& flag() const noexcept;
};

}  // namespace mhe::app
