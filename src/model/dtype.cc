// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/dtype.h"

#include <array>

namespace mhe::model {
namespace {

struct DtypeFacts {
  std::string_view name;
  std::size_t size;
};

// In the order of the enumerators.
constexpr std::array<DtypeFacts, 17> kFacts = {{{"U8", 1},
                                                {"I8", 1},
                                                {"U16", 2},
                                                {"F16", 2},
                                                {"BF16", 2},
                                                {"I32", 4},
                                                {"U32", 4},
                                                {"F32", 4},
                                                {"I64", 8},
                                                {"U64", 8},
                                                {"F64", 8},
                                                {"BOOL", 1},
                                                {"I16", 2},
                                                {"F8_E4M3", 1},
                                                {"F8_E5M2", 1},
                                                {"F8_E8M0", 1},
                                                {"C64", 8}}};
static_assert(kFacts.size() == static_cast<std::size_t>(Dtype::kC64) + 1);

}  // namespace

std::string_view name_of(Dtype dtype) noexcept {
  return kFacts[static_cast<std::size_t>(dtype)].name;
}

std::size_t size_of(Dtype dtype) noexcept {
  return kFacts[static_cast<std::size_t>(dtype)].size;
}

std::optional<Dtype> find_dtype(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kFacts.size(); ++i) {
    if (kFacts[i].name == name) return static_cast<Dtype>(i);
  }
  return std::nullopt;
}

}  // namespace mhe::model
