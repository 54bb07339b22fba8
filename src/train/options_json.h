// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "text/options.h"

namespace mhe::train {

/// `json` with every option that a struct with text options visits, as text.
template <class Options>
[[nodiscard]] std::string options_json(Options& options, nlohmann::ordered_json json = {}) {
  options.visit([&](const char* name, auto& value, const char*) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::vector<text::FieldOptions>>) {
      json[name] = nlohmann::json::parse(text::options_to_json(options.text)).at(name);
    } else {
      json[name] = value;
    }
  });
  return json.dump();
}

}  // namespace mhe::train
