// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a saved vocabulary. The checksum is put right first: it is there against accidents,
// and would keep the fuzzer out of all that lies behind it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/error.h>

#include "text/hash.h"
#include "text/vectorizer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (size >= 8) {
    const std::uint64_t checksum =
        mhe::text::hash_bytes(std::string_view(bytes).substr(0, size - 8));
    std::memcpy(bytes.data() + size - 8, &checksum, 8);
  }
  try {
    const mhe::text::Vectorizer vectorizer = mhe::text::Vectorizer::read(bytes);
    const std::string again = vectorizer.write();
    if (mhe::text::Vectorizer::read(again).write() != again) std::abort();
    mhe::text::Vectorizer::Scratch scratch(vectorizer);
    const std::vector<std::string_view> fields(vectorizer.options().fields.size(),
                                               "Sea fish, net \u00e9");
    (void)vectorizer.transform_one(fields, scratch);
    for (std::uint32_t i = 0; i < vectorizer.num_features() && i < 100; ++i) {
      (void)vectorizer.feature_name(mhe::FeatureId{i});
    }
  } catch (const mhe::Error&) {
    return 0;
  }
  return 0;
}
