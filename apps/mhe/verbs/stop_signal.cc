// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "verbs/stop_signal.h"

#include <atomic>

namespace mhe::app {
namespace {

// A handler can reach nothing but what is global.
std::atomic<bool> stop_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

StopSignal::StopSignal(std::initializer_list<int> signals) {
  stop_requested = false;
  struct sigaction action = {};
  action.sa_handler = [](int) { stop_requested = true; };
  action.sa_flags = SA_RESETHAND | SA_RESTART;  // who asks again does not want to wait
  for (const int signal : signals) {
    ::sigaction(signal, &action, &before_.emplace_back(signal, action).second);
  }
}

StopSignal::~StopSignal() {
  for (const auto& [signal, before] : before_) ::sigaction(signal, &before, nullptr);
}

bool StopSignal::is_requested() noexcept {
  return stop_requested;
}

}  // namespace mhe::app
