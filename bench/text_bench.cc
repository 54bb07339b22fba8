// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// TF-IDF of raw text beside plainly reading and splitting the same bytes on whitespace, with the
// same threads in the same run. The text is made here; MHE_BENCH_TEXT names a file with a document
// a line to use in its place.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include <mhe/context.h>

#include "base/parallel.h"
#include "base/random.h"
#include "text/builder.h"

namespace mhe::text {
namespace {

constexpr std::size_t kTextBytes = std::size_t{64} << 20;
constexpr std::size_t kVocabulary = 200000;
constexpr std::size_t kWordsPerDocument = 300;
constexpr std::size_t kRowsPerBatch = 4096;

// Words of 1 to 14 letters, frequent ones short as in real text; one in fifty has a letter beyond
// ASCII, one in ten a capital.
std::vector<std::string> make_words() {
  constexpr std::string_view kLetters = "eeeeaaoottiinnsshhrrddlluucmwfgypbvk";
  std::vector<std::string> words;
  RandomStream random(1, "bench.words");
  for (std::size_t rank = 1; rank <= kVocabulary; ++rank) {
    const auto longest = 2 + static_cast<std::size_t>(std::log2(static_cast<double>(rank)) / 1.5);
    std::string word;
    for (std::size_t i = 1 + random.below(longest) / 2; i <= longest; ++i) {
      word += kLetters[random.below(kLetters.size())];
    }
    if (random.below(50) == 0) word.insert(random.below(word.size()), "\u00E9");
    if (random.below(10) == 0 && word[0] >= 'a') word[0] = static_cast<char>(word[0] - 'a' + 'A');
    words.push_back(std::move(word));
  }
  return words;
}

// Documents by Zipf's law: rank r with a probability of about 1 / r. Every other word was in the
// document before, as texts keep to their subject.
std::string make_text() {
  const std::vector<std::string> words = make_words();
  RandomStream random(1, "bench.text");
  std::string text;
  std::vector<std::size_t> recent;
  text.reserve(kTextBytes + 4096);
  while (text.size() < kTextBytes) {
    const std::size_t size = kWordsPerDocument / 2 + random.below(kWordsPerDocument);
    recent.clear();
    for (std::size_t i = 0; i < size; ++i) {
      const double rank = std::exp(random.uniform() * std::log(static_cast<double>(kVocabulary)));
      const bool repeats = i > 0 && random.below(2) == 0;
      recent.push_back(repeats ? recent[random.below(i)] : static_cast<std::size_t>(rank) - 1);
      text += words[recent.back()];
      text += random.below(12) == 0 ? ", " : " ";
    }
    text.back() = '\n';
  }
  return text;
}

std::string read_text() {
  const char* path = std::getenv("MHE_BENCH_TEXT");
  if (path == nullptr) return make_text();
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Corpus {
  std::string text = read_text();
  std::vector<std::string_view> documents;

  Corpus() {
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      documents.push_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
};

const Corpus& corpus() {
  static const Corpus kCorpus;
  return kCorpus;
}

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

// The yardstick: every byte read, every word between spaces noted.
std::size_t split(std::string_view text, std::vector<std::string_view>& words) {
  words.clear();
  const char* p = text.data();
  const char* const end = p + text.size();
  while (true) {
    while (p != end && is_space(*p)) ++p;
    if (p == end) return words.size();
    const char* begin = p;
    while (p != end && !is_space(*p)) ++p;
    words.emplace_back(begin, static_cast<std::size_t>(p - begin));
  }
}

void finish(benchmark::State& state) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(corpus().text.size()));
}

// Reading is a copy out of memory, as from a file that the system has cached.
void bm_split(benchmark::State& state) {
  const Context context({.threads = static_cast<std::size_t>(state.range(0))});
  const auto& documents = corpus().documents;
  for (auto _ : state) {
    std::vector<std::vector<std::string_view>> words(context.threads());
    std::vector<std::string> buffers(context.threads());
    parallel_blocks(context, documents.size(), 64, [&](const Block& block) {
      for (std::size_t i = block.begin; i < block.end; ++i) {
        std::string& buffer = buffers[block.worker];
        buffer.assign(documents[i]);
        benchmark::DoNotOptimize(split(buffer, words[block.worker]));
      }
    });
  }
  finish(state);
}

Fitted fit(const Context& context, const TextOptions& options, KeepDocuments keep) {
  VectorizerBuilder builder(context, options, keep);
  const std::span<const std::string_view> documents = corpus().documents;
  for (std::size_t i = 0; i < documents.size(); i += kRowsPerBatch) {
    builder.add(Documents(documents.subspan(i, std::min(kRowsPerBatch, documents.size() - i)), 1));
  }
  return builder.finish();
}

void run_fit_transform(benchmark::State& state, const TextOptions& options) {
  const Context context({.threads = static_cast<std::size_t>(state.range(0))});
  for (auto _ : state) {
    const Fitted fitted = fit(context, options, KeepDocuments::kYes);
    benchmark::DoNotOptimize(fitted.features.values.data());
    state.counters["features"] = static_cast<double>(fitted.vectorizer.num_features());
    state.counters["nonzeros"] = static_cast<double>(fitted.features.nonzeros());
  }
  finish(state);
}

void run_transform(benchmark::State& state, const TextOptions& options) {
  const Context context({.threads = static_cast<std::size_t>(state.range(0))});
  const Fitted fitted = fit(context, options, KeepDocuments::kNo);
  const Documents documents(corpus().documents, 1);
  for (auto _ : state) {
    const SparseMatrix matrix = fitted.vectorizer.transform(context, documents);
    benchmark::DoNotOptimize(matrix.values.data());
  }
  finish(state);
}

void bm_fit_transform(benchmark::State& state) {
  run_fit_transform(state, {});
}
void bm_fit_transform_bigrams(benchmark::State& state) {
  run_fit_transform(state, {.word_ngrams = 2});
}
void bm_fit_transform_hashed(benchmark::State& state) {
  run_fit_transform(state, {.hash_bits = 20});
}
void bm_transform(benchmark::State& state) {
  run_transform(state, {});
}
void bm_transform_min_df_2(benchmark::State& state) {
  run_transform(state, {.min_df = 2});
}

// On a machine shared with others the least of several repetitions says most.
double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

void threads(benchmark::internal::Benchmark* b) {
  b->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond)->ComputeStatistics("min", least);
}
BENCHMARK(bm_split)->Apply(threads);
BENCHMARK(bm_fit_transform)->Apply(threads);
BENCHMARK(bm_transform)->Apply(threads);
BENCHMARK(bm_transform_min_df_2)->Apply(threads);
BENCHMARK(bm_fit_transform_hashed)->Apply(threads);
BENCHMARK(bm_fit_transform_bigrams)->Apply(threads);

}  // namespace
}  // namespace mhe::text

BENCHMARK_MAIN();
