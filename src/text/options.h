// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/text.h>

namespace mhe::text {

/// Throws kInvalidArgument, saying which option is wrong, unless the options can be worked with.
void validate(const TextOptions& options);

/// The options as a JSON object.
[[nodiscard]] std::string options_to_json(const TextOptions& options);

/// The reverse. Options that are not named keep their defaults. Throws kInvalidData for anything
/// but an object of known options with values of the right kind, kInvalidArgument as validate().
[[nodiscard]] TextOptions options_from_json(std::string_view json);

/// A set of features that is normalised and weighted on its own: the common ones, or a field's own.
struct Part {
  std::string prefix;  ///< of feature names: empty, or "title:"
  double weight = 1.0;
  std::uint32_t word_ngrams = 0;
  std::uint32_t char_min = 0;
  std::uint32_t char_max = 0;
  std::uint32_t first_words = 0;
  std::vector<std::size_t> fields;  ///< whose words it takes
};

/// The parts in the order of their columns: the common one, if any field adds to it, then the
/// fields that have features of their own.
[[nodiscard]] std::vector<Part> make_parts(const TextOptions& options);

}  // namespace mhe::text
