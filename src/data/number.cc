// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/number.h"

#include <charconv>
#include <cmath>
#include <system_error>

namespace mhe::data {

const char* parse_float_fallback(const char* at, const char* end, float& value) noexcept {
  if (at != end && *at == '+' && at + 1 != end && at[1] != '-') ++at;
  float parsed = 0;
  const auto [stop, status] = std::from_chars(at, end, parsed);
  if (status == std::errc::result_out_of_range) {
    double wide = 0;  // tells what is too small from what is too large
    const auto [wide_stop, wide_status] = std::from_chars(at, end, wide);
    if (wide_status != std::errc()) {
      // Beyond double as well: a negative exponent is the only way to be too small there.
      for (const char* c = at; c != wide_stop; ++c) {
        if ((*c | 0x20) == 'e' && c + 1 != wide_stop && c[1] == '-') {
          value = *at == '-' ? -0.0F : 0.0F;
          return wide_stop;
        }
      }
      return nullptr;
    }
    if (std::fabs(wide) > 1) return nullptr;
    value = static_cast<float>(wide);
    return wide_stop;
  }
  if (status != std::errc() || !std::isfinite(parsed)) return nullptr;
  value = parsed;
  return stop;
}

}  // namespace mhe::data
