// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "verbs/stop_signal.h"

#include <csignal>

namespace mhe::app {
namespace {

// A handler can reach nothing but what is global.
std::atomic<bool> stop_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void request_stop(int signal) {
  stop_requested = true;
  std::signal(signal, SIG_DFL);  // who asks again does not want to wait
}

}  // namespace

StopSignal::StopSignal() {
  stop_requested = false;
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
}

StopSignal::~StopSignal() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

const std::atomic<bool>& StopSignal::flag() const noexcept {
  return stop_requested;
}

}  // namespace mhe::app
