// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// How long it takes to order many labels by clustering, and to decode product heads.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <benchmark/benchmark.h>

#include <mhe/context.h>
#include <mhe/label_space.h>

#include "base/random.h"
#include "labels/k_best.h"

namespace mhe::labels {
namespace {

// Unit centroids of 100 to 1000 features, drawn with a skew as words have, half of them from a
// topic that 50 labels share.
SparseMatrix make_centroids(std::size_t num_labels, std::size_t num_features) {
  SparseMatrix centroids;
  centroids.num_columns = num_features;
  std::vector<std::uint32_t> columns;
  for (std::size_t label = 0; label < num_labels; ++label) {
    RandomStream random(1, "order-bench", label);
    const std::size_t topic = random.below(num_labels / 50);
    const double log_size = std::log(100.0) + random.uniform() * std::log(10.0);
    columns.clear();
    for (std::size_t i = 0; i < static_cast<std::size_t>(std::exp(log_size)); ++i) {
      const auto skewed = static_cast<std::uint64_t>(static_cast<double>(num_features) *
                                                     std::pow(random.uniform(), 3));
      const std::uint64_t shift = i % 2 == 0 ? 0 : topic * 7919;
      columns.push_back(static_cast<std::uint32_t>((skewed + shift) % num_features));
    }
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    const auto value = static_cast<float>(1 / std::sqrt(static_cast<double>(columns.size())));
    centroids.columns.insert(centroids.columns.end(), columns.begin(), columns.end());
    centroids.values.resize(centroids.columns.size(), value);
    centroids.end_row();
  }
  return centroids;
}

void order_labels(benchmark::State& state) {
  static const SparseMatrix kCentroids = make_centroids(40000, 200000);
  const Context context({.threads = static_cast<std::size_t>(state.range(0))});
  for (auto _ : state) {
    benchmark::DoNotOptimize(clustered_order(context, kCentroids, {1000, 40}));
  }
  state.counters["nonzeros"] = static_cast<double>(kCentroids.nonzeros());
}
BENCHMARK(order_labels)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

// 10^6 labels in two heads of 1000; argument: k.
void decode_product_heads(benchmark::State& state) {
  KBestDecoder decoder(LabelSpace(1000000, {1000, 1000}));
  RandomStream random(1, "k-best-bench");
  std::vector<float> scores(2000);
  for (float& score : scores) score = static_cast<float>(random.uniform());
  for (auto _ : state) {
    benchmark::DoNotOptimize(decoder.decode(scores, static_cast<std::size_t>(state.range(0))));
  }
}
BENCHMARK(decode_product_heads)->Arg(1)->Arg(5)->Arg(100)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace mhe::labels
