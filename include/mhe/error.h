// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace mhe {

/// What went wrong, for callers that react to it; the message is for people.
enum class ErrorCode {
  kInvalidArgument,  ///< the caller asked for something that cannot be
  kInvalidData,      ///< a file or stream holds something we cannot accept
  kNotFound,         ///< a file, column or name does not exist
  kIo,               ///< the operating system refused to read or write
  kResourceLimit,    ///< a memory, size or time budget would be broken
  kInterrupted,      ///< somebody asked to stop; what is done so far is kept
  kDiverged,         ///< training went astray: the loss is NaN, or far too large
  kInternal,         ///< mhe itself is wrong; please report it
};

/// The one exception type that leaves the library.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}

  [[nodiscard]] ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace mhe
