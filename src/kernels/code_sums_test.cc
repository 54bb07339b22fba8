// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/code_sums.h"

#include <vector>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "base/random.h"

namespace mhe::kernels {
namespace {

// The meaning of sum_codes() for one label.
float sum_codes_reference(const CodeTable& table, std::span<const float> scores,
                          std::size_t label) noexcept {
  float sum = 0;
  std::size_t begin = 0;
  for (std::size_t h = 0; h < table.lengths.size(); ++h) {
    const std::uint32_t digit = table.codes[h * table.num_labels + label];
    sum += scores[begin + (digit < table.lengths[h] ? digit : table.lengths[h])];
    begin += table.lengths[h] + 1;
  }
  return sum;
}

// The same additions in the same order: bits are equal, on every target.
TEST(SumCodes, AgreesWithTheReferenceOnAllTargets) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    for (const std::size_t num_labels : {1U, 7U, 64U, 131U}) {
      RandomStream random(num_labels, "code-sums-test");
      const std::vector<std::uint32_t> lengths = {3, 1, 40};
      std::vector<std::uint32_t> codes(lengths.size() * num_labels);
      for (std::uint32_t& code : codes) code = static_cast<std::uint32_t>(random.below(42));
      codes[num_labels / 2] = 0xFFFFFFFF;  // a damaged file
      std::vector<float> scores(44 + lengths.size());
      for (float& score : scores) score = static_cast<float>(random.uniform());
      const CodeTable table = {codes, lengths, num_labels};
      for (const std::size_t begin : {std::size_t{0}, num_labels / 3}) {
        std::vector<float> sums(num_labels - begin);
        sum_codes(table, scores, begin, sums);
        for (std::size_t i = 0; i < sums.size(); ++i) {
          EXPECT_EQ(sums[i], sum_codes_reference(table, scores, begin + i)) << target << ' ' << i;
        }
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace
}  // namespace mhe::kernels
