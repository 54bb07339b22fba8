// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "output/console.h"

namespace mhe::app {

/// Whether packages may be installed: yes, or only if a person at the terminal says so.
enum class Consent { kAsk, kGiven };

/// Sees to it that the packages are installed, with apt-get, as root or through sudo, and returns
/// their names and versions. Without consent, root or apt-get: kNotFound, naming the command to
/// run.
std::vector<std::pair<std::string, std::string>> need_packages(
    Console& console, const std::vector<std::string>& packages, Consent consent);

/// Gets apt's index with English descriptions, by apt-get update, in the same way.
void fetch_descriptions(Console& console, Consent consent);

}  // namespace mhe::app
