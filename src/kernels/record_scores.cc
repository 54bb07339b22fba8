// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/record_scores.h"

#include <bit>
#include <cmath>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/record_scores.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/record_scores-inl.h"

#if HWY_ONCE
namespace mhe::kernels {

HWY_EXPORT(start_query);
HWY_EXPORT(add_records);

void start_query(const RecordTable& table, const RecordSearch& search) noexcept {
  HWY_DYNAMIC_DISPATCH(start_query)(table, search);
}

void add_records(const RecordTable& table, const RecordSearch& search, float* scores) noexcept {
  if (search.blocks.empty() || search.columns.empty()) return;
  HWY_DYNAMIC_DISPATCH(add_records)(table, search, scores);
}

float add_records_reference(const RecordTable& table, const RecordSearch& search,
                            std::uint32_t block, std::size_t lane, float score) {
  for (std::size_t t = 0; t < search.columns.size(); ++t) {
    const std::uint32_t feature = search.columns[t];
    if (feature >= table.num_features()) continue;
    for (std::size_t w = table.word_begin[feature]; w < table.word_begin[feature + 1]; ++w) {
      const RecordWord& word = table.words[w];
      std::size_t rank = 0;
      for (std::uint32_t b = 0; b < 64; ++b) {
        if ((word.bits >> b & 1) == 0) continue;
        const std::uint8_t* const base = table.stream.data() + word.begin();
        const std::uint8_t* record = base + (base[2 * rank] | base[2 * rank + 1] << 8);
        ++rank;
        if (word.index() * 64 + b != block) continue;
        std::size_t before = 0;
        for (std::size_t i = 0; i < lane; ++i) before += record[i / 8] >> i % 8 & 1;
        if ((record[lane / 8] >> lane % 8 & 1) == 0) continue;
        const std::uint8_t* weight = record + table.num_groups + 2 * before;
        const auto bits = static_cast<std::uint32_t>(weight[0] | weight[1] << 8) << 16;
        score = std::fma(search.values[t], std::bit_cast<float>(bits), score);
      }
    }
  }
  return score;
}

}  // namespace mhe::kernels
#endif
