// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Other programs: what they print as a source of bytes, and whether they succeed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/byte_source.h"

namespace mhe::tasks {

/// A program and its arguments; found on the PATH, no shell in between.
using Command = std::vector<std::string>;

/// What `command` prints on standard output. read() throws kIo at the end if it failed, and the
/// constructor if it cannot be started.
[[nodiscard]] std::unique_ptr<data::ByteSource> open_command(const Command& command);

/// Runs it with our own standard streams, and returns its exit code: 128 and more if a signal ended
/// it, 127 if it cannot be started.
int run_command(const Command& command);

/// The command as one would type it, for messages.
[[nodiscard]] std::string command_line(const Command& command);

}  // namespace mhe::tasks
