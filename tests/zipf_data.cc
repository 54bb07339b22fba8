// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes data like real texts, in the XMC format: labels by Zipf's law, each with words of its own
// among common ones, also by Zipf's law. zipf_data ROWS FEATURES LABELS WORDS > FILE
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/random.h"

namespace {

// Numbers below `count`, i with a weight of 1 / (i + 1).
class Zipf {
 public:
  explicit Zipf(std::size_t count) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      sum += 1.0 / static_cast<double>(i + 1);
      sums_.push_back(sum);
    }
  }
  std::uint32_t draw(mhe::RandomStream& random) const {
    const double at = static_cast<double>(random.below(1U << 30U)) / (1U << 30U) * sums_.back();
    const auto place = std::upper_bound(sums_.begin(), sums_.end(), at) - sums_.begin();
    return static_cast<std::uint32_t>(
        std::min<std::size_t>(static_cast<std::size_t>(place), sums_.size() - 1));
  }

 private:
  std::vector<double> sums_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) return 2;
  const auto number = [&](int i) {
    return static_cast<std::size_t>(std::strtoull(arguments[i], nullptr, 10));
  };
  const std::size_t rows = number(1);
  const std::size_t features = number(2);
  const std::size_t labels = number(3);
  const std::size_t words = number(4);
  constexpr std::size_t kTopic = 40;  // words that belong to a label
  const Zipf word_law(features);
  const Zipf label_law(labels);
  mhe::RandomStream random(1, "zipf_data");
  fmt::print("{} {} {}\n", rows, features, labels);
  for (std::size_t row = 0; row < rows; ++row) {
    std::set<std::uint32_t> mine;
    for (std::size_t i = 0; i < 3; ++i) mine.insert(label_law.draw(random));
    std::map<std::uint32_t, int> counts;
    for (std::size_t i = 0; i < words; ++i) ++counts[word_law.draw(random)];
    for (const std::uint32_t label : mine) {
      for (std::size_t i = 0; i < words / 6; ++i) {
        // Words of a topic are scattered over the vocabulary, the same for the label everywhere.
        const std::uint64_t word = (label * kTopic + random.below(kTopic)) * 2654435761U;
        ++counts[static_cast<std::uint32_t>(word % features)];
      }
    }
    std::string line;
    for (const std::uint32_t label : mine) {
      line += fmt::format("{}{}", line.empty() ? "" : ",", label);
    }
    for (const auto& [word, times] : counts) {
      line += fmt::format(" {}:{:.3f}", word, 1 + std::log(times));
    }
    fmt::print("{}\n", line);
  }
  return 0;
}
