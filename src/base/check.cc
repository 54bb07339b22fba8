// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

namespace mhe::base {

void fail_assertion(std::string_view condition, std::string_view file, int line) {
  const std::size_t slash = file.rfind('/');
  if (slash != std::string_view::npos) file.remove_prefix(slash + 1);
  fail(ErrorCode::kInternal, "internal error at {}:{}: {} does not hold", file, line, condition);
}

}  // namespace mhe::base
