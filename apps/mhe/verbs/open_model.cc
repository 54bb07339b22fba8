// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "verbs/open_model.h"

#include <cstdint>
#include <filesystem>

namespace mhe::app {

std::unique_ptr<const model::Model> open_sound_model(const Context& context,
                                                     const std::string& path) {
  constexpr std::uint64_t kQuicklyRead = 256'000'000;  // bytes
  auto opened = model::Model::open(path);
  if (std::filesystem::file_size(path) <= kQuicklyRead) opened->file().verify(context);
  return opened;
}

}  // namespace mhe::app
