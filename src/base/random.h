// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Random numbers that are the same on every machine and for any number of threads: each use derives
// a stream of its own from (seed, stage, index) instead of sharing one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

namespace mhe {

/// A stream of random numbers (SplitMix64: one word of state, passes BigCrush). Satisfies
/// std::uniform_random_bit_generator, but do not feed it to std distributions: those differ between
/// standard libraries.
class RandomStream {
 public:
  using result_type = std::uint64_t;

  /// `stage` names the use, such as "order.split"; `index` tells streams of one use apart.
  constexpr RandomStream(std::uint64_t seed, std::string_view stage,
                         std::uint64_t index = 0) noexcept
      : state_(mix(mix(seed) ^ hash(stage)) ^ mix(index + kStep)) {}

  static constexpr result_type min() noexcept { return 0; }
  static constexpr result_type max() noexcept { return std::numeric_limits<result_type>::max(); }

  constexpr result_type operator()() noexcept {
    state_ += kStep;
    return mix(state_);
  }

  /// Uniform in [0, bound); bound must not be 0. Unbiased (Lemire 2019).
  constexpr std::uint64_t below(std::uint64_t bound) noexcept {
    __extension__ using Wide = unsigned __int128;
    Wide product = static_cast<Wide>((*this)()) * bound;
    const std::uint64_t threshold = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < threshold) {
      product = static_cast<Wide>((*this)()) * bound;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  /// Uniform in [0, 1), with 53 random bits.
  constexpr double uniform() noexcept { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }

  /// Fisher-Yates; std::shuffle is not the same on every standard library.
  template <class T>
  constexpr void shuffle(std::span<T> items) noexcept {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio, as published

  static constexpr std::uint64_t mix(std::uint64_t z) noexcept {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  static constexpr std::uint64_t hash(std::string_view text) noexcept {  // FNV-1a
    std::uint64_t h = 0xCBF29CE484222325;
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    return h;
  }

  std::uint64_t state_;
};

}  // namespace mhe
