// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Parsing XMC text against plainly reading and splitting the same bytes on whitespace, turn by turn
// in one run and with the same number of threads. The counter `ratio` is the time of the one over
// that of the other, over all turns; `best_ratio` is that of the fastest turns, which a noisy
// machine disturbs less. The file is in the page cache for both.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/parallel.h"
#include "base/random.h"
#include "data/open_format.h"

namespace mhe {
namespace {

constexpr std::size_t kFileBytes = 100'000'000;

// A file of about 100 MB like those of the repository: 100 features a row with 6 decimals each.
class XmcFile {
 public:
  XmcFile()
      : path_(std::filesystem::temp_directory_path() / fmt::format("mhe-bench-{}", ::getpid())) {
    RandomStream random(1, "parse_bench");
    std::string body;
    std::size_t rows = 0;
    for (; body.size() < kFileBytes; ++rows) {
      body += fmt::format("{},{},{}", random.below(600'000), random.below(600'000),
                          random.below(600'000));
      std::uint64_t feature = 0;
      for (int i = 0; i < 100; ++i) {
        feature += 1 + random.below(8000);
        body += fmt::format(" {}:{:.6f}", feature, random.uniform());
      }
      body += '\n';
    }
    std::ofstream(path_, std::ios::binary) << fmt::format("{} 900000 600000\n", rows) << body;
  }
  ~XmcFile() { std::filesystem::remove(path_); }
  XmcFile(const XmcFile&) = delete;
  XmcFile& operator=(const XmcFile&) = delete;

  [[nodiscard]] std::string path() const { return path_.string(); }
  [[nodiscard]] std::uint64_t size() const { return std::filesystem::file_size(path_); }

 private:
  std::filesystem::path path_;
};

const XmcFile& file() {
  static const XmcFile instance;
  return instance;
}

std::size_t split(std::string_view text, std::vector<std::string_view>& tokens) {
  tokens.clear();
  const auto is_space = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
  std::size_t at = 0;
  while (true) {
    while (at < text.size() && is_space(text[at])) ++at;
    if (at == text.size()) return tokens.size();
    const std::size_t begin = at;
    while (at < text.size() && !is_space(text[at])) ++at;
    tokens.push_back(text.substr(begin, at - begin));
  }
}

// Reads 1 MB for each thread at a time, and splits them side by side. A token across two pieces
// counts twice: plain is plain.
std::size_t read_and_split(const Context& context) {
  const std::size_t num_pieces = 2 * context.threads();
  std::vector<std::string> pieces(num_pieces, std::string(1 << 20, '\0'));
  std::vector<std::vector<std::string_view>> tokens(num_pieces);
  std::vector<std::size_t> counts(num_pieces);
  std::FILE* const input = std::fopen(file().path().c_str(), "rb");
  std::setvbuf(input, nullptr, _IONBF, 0);
  std::size_t total = 0;
  while (true) {
    std::vector<std::string_view> filled;
    for (std::string& piece : pieces) {
      const std::size_t got = std::fread(piece.data(), 1, piece.size(), input);
      if (got > 0) filled.emplace_back(piece.data(), got);
    }
    if (filled.empty()) break;
    parallel_for(context, filled.size(),
                 [&](std::size_t i) { counts[i] = split(filled[i], tokens[i]); });
    for (std::size_t i = 0; i < filled.size(); ++i) total += counts[i];
  }
  std::fclose(input);
  return total;
}

std::size_t parse(const Context& context) {
  ReadOptions options;
  options.path = file().path();
  LabelNames names;
  const auto reader = open_reader(context, options, names);
  RowBatch batch;
  std::size_t features = 0;
  while (reader->next(batch)) features += batch.features.nonzeros();
  return features;
}

template <class Work>
double seconds_of(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  benchmark::DoNotOptimize(work());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void parse_xmc(benchmark::State& state) {
  const Context context({.threads = static_cast<std::size_t>(state.range(0))});
  (void)file();
  double plain_total = 0;
  double parse_total = 0;
  double plain_best = std::numeric_limits<double>::max();
  double parse_best = plain_best;
  for (auto _ : state) {
    const double plain = seconds_of([&] { return read_and_split(context); });
    const double parsed = seconds_of([&] { return parse(context); });
    state.SetIterationTime(parsed);
    plain_total += plain;
    parse_total += parsed;
    plain_best = std::min(plain_best, plain);
    parse_best = std::min(parse_best, parsed);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(file().size()));
  state.counters["split_MB/s"] = static_cast<double>(file().size()) / plain_best * 1e-6;
  state.counters["ratio"] = parse_total / plain_total;
  state.counters["best_ratio"] = parse_best / plain_best;
}
BENCHMARK(parse_xmc)->ArgName("threads")->Arg(1)->Arg(2)->UseManualTime()->MinTime(3)->Unit(
    benchmark::kMillisecond);

}  // namespace
}  // namespace mhe
