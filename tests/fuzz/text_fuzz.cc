// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as text: the first byte chooses options, the rest is two fields of a few documents. The
// kept documents must be what transform() makes of them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <mhe/context.h>

#include "text/builder.h"

namespace {

using mhe::text::Documents;

mhe::TextOptions options_from(unsigned bits) {
  mhe::TextOptions options;
  options.fields = {{.name = "a", .own = true, .char_min = 1, .char_max = 3, .first_words = 3},
                    {.name = "b"}};
  options.word_ngrams = 1 + bits % 4;
  options.min_token_length = 1 + (bits >> 2) % 2;
  options.hash_bits = (bits & 8U) != 0 ? 8 : 0;
  options.char_min = options.char_max = (bits & 16U) != 0 ? 2 : 0;
  return options;
}

std::vector<std::string_view> split_in_fields(std::string_view text) {
  std::vector<std::string_view> fields;
  while (fields.size() < 7 && text.find('\0') != std::string_view::npos) {
    fields.push_back(text.substr(0, text.find('\0')));
    text.remove_prefix(fields.back().size() + 1);
  }
  fields.push_back(text);
  if (fields.size() % 2 != 0) fields.emplace_back();
  return fields;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const mhe::Context kContext({.threads = 1});
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string_view> fields = split_in_fields(bytes.substr(1));
  mhe::text::VectorizerBuilder builder(kContext, options_from(data[0]),
                                       mhe::text::KeepDocuments::kYes);
  builder.add(Documents(fields, 2));
  const mhe::text::Fitted fitted = builder.finish();
  if (fitted.vectorizer.transform(kContext, Documents(fields, 2)) != fitted.features) std::abort();
  return 0;
}
