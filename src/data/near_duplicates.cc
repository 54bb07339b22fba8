// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/near_duplicates.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>

#include "base/check.h"
#include "base/parallel.h"
#include "base/random.h"

namespace mhe::data {
namespace {

constexpr std::size_t kRowsPerBlock = 64;  // long texts: small blocks keep all threads busy
constexpr std::uint64_t kNoMinimum = std::numeric_limits<std::uint64_t>::max();
// A band shared by more rows than this holds words that say little; the others will do.
constexpr std::ptrdiff_t kMaxCandidates = 4096;
using Minima = std::array<std::uint64_t, RowPrint::kBins>;

// The finaliser of SplitMix64: every input bit changes every output bit with probability 1/2.
constexpr std::uint64_t mix(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

std::uint64_t hash_bytes(std::uint64_t hash, const void* data, std::size_t size) noexcept {
  const auto* bytes = static_cast<const char*>(data);
  hash = mix(hash ^ size);  // so that the border between two strings counts
  for (; size >= sizeof(std::uint64_t); size -= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof(word));
    bytes += sizeof(word);
    hash = mix(hash ^ word);
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, bytes, size);
  return mix(hash ^ rest);
}

bool is_word_character(unsigned char c) noexcept {
  return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

void add_element(std::uint64_t hash, Minima& minima) noexcept {
  std::uint64_t& minimum = minima[hash % RowPrint::kBins];
  minimum = std::min(minimum, hash);
}

void add_words(std::string_view text, Minima& minima) noexcept {
  constexpr std::uint64_t kStart = 0xCBF29CE484222325;  // FNV-1a
  std::uint64_t hash = kStart;
  bool in_word = false;
  for (const char character : text) {
    auto c = static_cast<unsigned char>(character);
    if (is_word_character(c)) {
      if (c >= 'A' && c <= 'Z') c = static_cast<unsigned char>(c + ('a' - 'A'));
      hash = (hash ^ c) * 0x100000001B3;
      in_word = true;
    } else if (in_word) {
      add_element(mix(hash), minima);
      hash = kStart;
      in_word = false;
    }
  }
  if (in_word) add_element(mix(hash), minima);
}

using ProbeOrders = std::array<std::array<std::uint8_t, RowPrint::kBins>, RowPrint::kBins>;

// For each bin a random order of all bins. A table (16 KiB, in L1) because rows of a few words
// probe thousands of times.
constexpr ProbeOrders make_probe_orders() {
  ProbeOrders orders = {};
  for (std::size_t bin = 0; bin < orders.size(); ++bin) {
    for (std::size_t i = 0; i < RowPrint::kBins; ++i) {
      orders[bin][i] = static_cast<std::uint8_t>(i);
    }
    RandomStream(0, "near_duplicates.probe", bin).shuffle(std::span<std::uint8_t>(orders[bin]));
  }
  return orders;
}

// Gives each empty bin the minimum of the first full one in the bin's own order. Reads only what
// was full before, so that the order of the bins does not matter.
void densify(Minima& minima) noexcept {
  static const ProbeOrders orders = make_probe_orders();
  const Minima full = minima;
  for (std::size_t bin = 0; bin < minima.size(); ++bin) {
    for (std::size_t i = 0; minima[bin] == kNoMinimum && i < RowPrint::kBins; ++i) {
      minima[bin] = full[orders[bin][i]];
    }
  }
}

void summarize(const Minima& minima, RowPrint& print) noexcept {
  for (std::size_t bin = 0; bin < RowPrint::kBins; ++bin) {
    print.signature[bin] = static_cast<std::uint8_t>(mix(minima[bin]) >> 56);
  }
  for (std::size_t band = 0; band < RowPrint::kBands; ++band) {
    const std::uint64_t hash = hash_bytes(band, minima.data() + band * RowPrint::kBandSize,
                                          RowPrint::kBandSize * sizeof(minima[0]));
    print.bands[band] = static_cast<std::uint32_t>(hash >> 32);
  }
}

void add_text(const RowBatch& batch, std::size_t row, RowPrint& print, Minima& minima) {
  for (const Strings& field : batch.text) {
    const std::string_view text = string_at(field, row);
    print.content = hash_bytes(print.content, text.data(), text.size());
    print.empty = print.empty && text.empty();
    add_words(text, minima);
  }
}

void add_features(const SparseRow& features, RowPrint& print, Minima& minima) {
  print.content = hash_bytes(print.content, features.columns.data(), features.columns.size_bytes());
  print.content = hash_bytes(print.content, features.values.data(), features.values.size_bytes());
  print.empty = print.empty && features.columns.empty();
  for (const std::uint32_t column : features.columns) {
    add_element(mix(column + 0x9E3779B97F4A7C15), minima);  // mix(0) is 0
  }
}

std::vector<RowPrint> make_prints(const Context& context, const RowBatch& batch) {
  std::vector<RowPrint> prints(batch.rows);
  parallel_blocks(context, batch.rows, kRowsPerBlock, [&](const Block& block) {
    for (std::size_t row = block.begin; row < block.end; ++row) {
      prints[row] = make_row_print(batch, row);
    }
  });
  return prints;
}

}  // namespace

RowPrint make_row_print(const RowBatch& batch, std::size_t row) {
  RowPrint print;
  Minima minima;
  minima.fill(kNoMinimum);
  add_text(batch, row, print, minima);
  if (batch.features.rows() > row) add_features(batch.features[row], print, minima);
  if (batch.dense.rows() > row) {
    const std::span<const float> values = batch.dense[row];
    print.content = hash_bytes(print.content, values.data(), values.size_bytes());
    print.empty = false;
  }
  print.has_elements = std::any_of(minima.begin(), minima.end(),
                                   [](std::uint64_t minimum) { return minimum != kNoMinimum; });
  if (print.has_elements) {
    densify(minima);
    summarize(minima, print);
  }
  return print;
}

double estimate_similarity(const RowPrint& a, const RowPrint& b) {
  std::size_t equal = 0;
  for (std::size_t bin = 0; bin < RowPrint::kBins; ++bin) {
    equal += a.signature[bin] == b.signature[bin] ? 1 : 0;
  }
  constexpr double kChance = 1.0 / 256;  // that bytes of different minima agree
  const double share = static_cast<double>(equal) / static_cast<double>(RowPrint::kBins);
  return std::max(0.0, (share - kChance) / (1 - kChance));
}

NearDuplicates::NearDuplicates(const NearDuplicateOptions& options) : options_(options) {
  require(options.min_similarity > 0 && options.min_similarity <= 1,
          "expected a similarity in (0, 1], found {}", options.min_similarity);
  require(options.max_rows > 0 && options.max_rows < std::numeric_limits<std::uint32_t>::max(),
          "expected a number of rows that fits 32 bits, found {}", options.max_rows);
}

void NearDuplicates::add(const Context& context, const RowBatch& batch) {
  MHE_ASSERT(!frozen_);
  std::vector<RowPrint> prints = make_prints(context, batch);
  for (std::size_t row = 0; row < prints.size(); ++row) {
    const std::uint64_t number = report_.rows++;
    if (prints[row].empty) {
      ++report_.empty_rows;
      continue;
    }
    const std::uint64_t priority = RandomStream(0, "near_duplicates.sample", number)();
    if (priority >= limit_) continue;
    rows_.push_back({prints[row], priority});
    if (rows_.size() > options_.max_rows) shrink_sample();
  }
}

// Keeps every row with probability 1/2.
void NearDuplicates::shrink_sample() {
  limit_ /= 2;
  std::erase_if(rows_, [&](const SoughtRow& row) { return row.priority >= limit_; });
}

void NearDuplicates::freeze() {
  if (frozen_) return;
  frozen_ = true;
  report_.looked_for = rows_.size();
  for (const SoughtRow& row : rows_) contents_.push_back(row.print.content);
  std::sort(contents_.begin(), contents_.end());
  contents_.erase(std::unique(contents_.begin(), contents_.end()), contents_.end());
  content_found_.assign(contents_.size(), 0);
  freeze_groups();
}

void NearDuplicates::freeze_groups() {
  const auto print = [this](std::uint32_t row) -> const RowPrint& { return rows_[row].print; };
  std::vector<std::uint32_t> order(rows_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (print(a).signature != print(b).signature) return print(a).signature < print(b).signature;
    return print(a).bands != print(b).bands ? print(a).bands < print(b).bands : a < b;
  });
  group_of_row_.assign(rows_.size(), 0);
  for (const std::uint32_t row : order) {
    const bool same = !groups_.empty() && print(groups_.back().row).bands == print(row).bands &&
                      print(groups_.back().row).signature == print(row).signature &&
                      print(row).has_elements;
    if (!same) groups_.push_back({row, false});
    group_of_row_[row] = static_cast<std::uint32_t>(groups_.size() - 1);
  }
  for (std::size_t band = 0; band < RowPrint::kBands; ++band) {
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      const RowPrint& member = print(groups_[group].row);
      if (member.has_elements) {
        bands_[band].push_back(std::uint64_t{member.bands[band]} << 32 | group);
      }
    }
    std::sort(bands_[band].begin(), bands_[band].end());
  }
}

void NearDuplicates::match(const Context& context, const RowBatch& batch) {
  freeze();
  std::vector<Hits> hits((batch.rows + kRowsPerBlock - 1) / kRowsPerBlock);
  parallel_blocks(context, batch.rows, kRowsPerBlock, [&](const Block& block) {
    for (std::size_t row = block.begin; row < block.end; ++row) {
      find(make_row_print(batch, row), hits[block.index]);
    }
  });
  for (const Hits& block : hits) {
    for (const std::size_t content : block.contents) content_found_[content] = 1;
    for (const std::uint32_t group : block.groups) groups_[group].found = true;
  }
}

void NearDuplicates::find(const RowPrint& print, Hits& hits) const {
  if (print.empty) return;
  const auto content = std::lower_bound(contents_.begin(), contents_.end(), print.content);
  if (content != contents_.end() && *content == print.content) {
    hits.contents.push_back(static_cast<std::size_t>(content - contents_.begin()));
  }
  if (!print.has_elements) return;
  for (std::size_t band = 0; band < RowPrint::kBands; ++band) find_in_band(print, band, hits);
}

void NearDuplicates::find_in_band(const RowPrint& print, std::size_t band, Hits& hits) const {
  const std::vector<std::uint64_t>& entries = bands_[band];
  const std::uint64_t key = std::uint64_t{print.bands[band]} << 32;
  auto entry = std::lower_bound(entries.begin(), entries.end(), key);
  const auto last = entries.end() - entry > kMaxCandidates ? entry + kMaxCandidates : entries.end();
  for (; entry != last && (*entry >> 32) == print.bands[band]; ++entry) {
    const auto index = static_cast<std::uint32_t>(*entry);
    const Group& group = groups_[index];
    if (group.found) continue;  // in an earlier batch: nothing is written while threads read
    if (estimate_similarity(print, rows_[group.row].print) >= options_.min_similarity) {
      hits.groups.push_back(index);
    }
  }
}

NearDuplicateReport NearDuplicates::report() const {
  NearDuplicateReport report = report_;
  if (!frozen_) report.looked_for = rows_.size();
  for (std::size_t row = 0; frozen_ && row < rows_.size(); ++row) {
    const auto content =
        std::lower_bound(contents_.begin(), contents_.end(), rows_[row].print.content);
    const bool exact = content_found_[static_cast<std::size_t>(content - contents_.begin())] != 0;
    report.exact += exact ? 1 : 0;
    report.near += exact || groups_[group_of_row_[row]].found ? 1 : 0;
  }
  return report;
}

}  // namespace mhe::data
