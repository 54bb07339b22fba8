// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "flags/text_flags.h"

namespace mhe::app {

void add_own_flag(CLI::App& command, std::vector<std::string>& own) {
  command.add_option("--own", own,
                     "A text column that gets features of its own beside the common ones, their "
                     "weight, and what they are: title=2, or text=1:first=3:chars=3-5 for "
                     "character n-grams of the first three words; may be repeated");
}

}  // namespace mhe::app
