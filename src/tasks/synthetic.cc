// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/synthetic.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include <mhe/dataset.h>
#include <mhe/label_space.h>

#include "base/check.h"
#include "base/parallel.h"

namespace mhe::tasks {
namespace {

constexpr std::size_t kBatchRows = 16'384;
constexpr std::size_t kGrain = 256;  // rows a thread makes at a stretch: a few milliseconds

std::uint64_t coprime_near(std::uint64_t wanted, std::uint64_t modulus) {
  if (modulus <= 2) return 1;
  std::uint64_t candidate = std::max<std::uint64_t>(wanted % modulus, 1);
  while (std::gcd(candidate, modulus) != 1) ++candidate;  // modulus + 1 is coprime at the latest
  return candidate;
}

std::uint64_t rows_of(const SyntheticOptions& options, Split split) {
  constexpr std::uint64_t kMostHeldOut = 50'000;
  if (split == Split::kTrain) return options.rows;
  const std::int64_t given = split == Split::kDev ? options.dev_rows : options.test_rows;
  if (given >= 0) return static_cast<std::uint64_t>(given);
  return std::min(options.rows / 10, kMostHeldOut);
}

}  // namespace

void validate(const SyntheticOptions& options) {
  constexpr std::uint64_t kMostIds = 4'000'000'000;  // ids are 32 bits wide
  const auto in_range = [](const char* what, std::uint64_t value, std::uint64_t most) {
    require(value >= 1 && value <= most, "{} {}; expected 1 to {}", what, value, most);
  };
  in_range("features", options.features, kMostIds);
  in_range("labels", options.labels, kMostIds);
  in_range("words per row", options.words_per_row, 100'000);
  in_range("words per label", options.words_per_label, 100'000);
  require(options.labels_per_row >= 1 && options.labels_per_row <= 10'000 &&
              options.labels_per_row * 2 <= static_cast<double>(options.labels) + 1,
          "labels per row {}; expected 1 to half of the {} labels, and at most 10,000",
          options.labels_per_row, options.labels);
  constexpr std::uint64_t kMostIndependent = 100'000;  // each is drawn for each row
  require(!options.independent_labels || options.labels <= kMostIndependent,
          "{} independent labels; expected {} at most", options.labels, kMostIndependent);
  require(
      !options.independent_labels || options.features > options.labels * options.words_per_label,
      "{} features; {} labels with {} words of their own each need more", options.features,
      options.labels, options.words_per_label);
  require(options.noise >= 0 && options.noise <= 1, "noise {}; expected 0 to 1", options.noise);
  require(options.zipf >= 0 && options.zipf <= 4, "zipf {}; expected 0 to 4", options.zipf);
  require(options.dev_rows >= -1 && options.test_rows >= -1,
          "dev and test rows {} and {}; expected -1 or more", options.dev_rows, options.test_rows);
  require(options.format == "xmc" || options.format == "svmlight" || options.format == "jsonl",
          "format {}; expected xmc, svmlight or jsonl", options.format);
}

struct SyntheticRows::Scratch {
  std::vector<std::uint32_t> labels;
  std::vector<std::uint32_t> words;
};

SyntheticRows::SyntheticRows(const SyntheticOptions& options, std::uint64_t seed)
    : options_(options),
      seed_(seed),
      // The golden section spreads neighbouring ranks far apart.
      stride_(coprime_near(
          static_cast<std::uint64_t>(static_cast<double>(options.labels) * 0.6180339887),
          options.labels)),
      label_law_(options.labels, options.zipf),
      word_law_(options.features, options.zipf) {}

std::uint32_t SyntheticRows::label_of_rank(std::uint64_t rank) const {
  return static_cast<std::uint32_t>(rank * stride_ % options_.labels);  // both below 2^32
}

std::uint32_t SyntheticRows::own_word(std::uint32_t label, std::uint64_t which) const {
  RandomStream random(seed_, "synthetic.own_word", label * options_.words_per_label + which);
  return static_cast<std::uint32_t>(random.below(options_.features));
}

void SyntheticRows::add_row(Split split, std::uint64_t row, Scratch& scratch, RowBatch& out) const {
  RandomStream random(seed_, name_of(split), row);
  scratch.labels.clear();
  scratch.words.clear();
  if (options_.independent_labels) {
    draw_independent(random, scratch);
  } else {
    draw_labels_and_words(random, scratch);
  }
  std::sort(scratch.labels.begin(), scratch.labels.end());
  for (const std::uint32_t label : scratch.labels) out.labels.items.push_back(LabelId{label});
  out.labels.end_row();
  std::sort(scratch.words.begin(), scratch.words.end());
  for (auto word = scratch.words.begin(); word != scratch.words.end();) {
    const auto next = std::upper_bound(word, scratch.words.end(), *word);
    out.features.columns.push_back(*word);
    out.features.values.push_back(std::sqrt(static_cast<float>(next - word)));
    word = next;
  }
  out.features.end_row();
  ++out.rows;
}

void SyntheticRows::draw_labels_and_words(RandomStream& random, Scratch& scratch) const {
  const double floor = std::floor(options_.labels_per_row);
  const bool one_more = random.uniform() < options_.labels_per_row - floor;
  const std::size_t num_labels = static_cast<std::size_t>(floor) + (one_more ? 1 : 0);
  // A steep law repeats its first ranks again and again; so many tries are enough for all others.
  for (std::size_t tries = 0; scratch.labels.size() < num_labels && tries < 20 * num_labels;
       ++tries) {
    const std::uint32_t label = label_of_rank(label_law_.draw(random));
    if (std::find(scratch.labels.begin(), scratch.labels.end(), label) == scratch.labels.end()) {
      scratch.labels.push_back(label);
    }
  }
  for (std::uint64_t i = 0; i < options_.words_per_row; ++i) {
    if (random.uniform() < options_.noise) {
      scratch.words.push_back(static_cast<std::uint32_t>(word_law_.draw(random)));
    } else {
      const std::uint32_t label = scratch.labels[random.below(scratch.labels.size())];
      scratch.words.push_back(own_word(label, random.below(options_.words_per_label)));
    }
  }
}

// What shows one label has no part in what shows another.
void SyntheticRows::draw_independent(RandomStream& random, Scratch& scratch) const {
  const double chance = options_.labels_per_row / static_cast<double>(options_.labels);
  const auto num_words = static_cast<double>(options_.words_per_row);
  const auto common = static_cast<std::uint64_t>(std::lround(options_.noise * num_words));
  const auto own = static_cast<std::uint64_t>(
      std::max(1L, std::lround((1 - options_.noise) * num_words / options_.labels_per_row)));
  for (std::uint32_t label = 0; label < options_.labels; ++label) {
    if (random.uniform() >= chance) continue;
    scratch.labels.push_back(label);
    for (std::uint64_t i = 0; i < own; ++i) {
      scratch.words.push_back(static_cast<std::uint32_t>(label * options_.words_per_label +
                                                         random.below(options_.words_per_label)));
    }
  }
  // Behind the words of all labels.
  const std::uint64_t first = options_.labels * options_.words_per_label;
  for (std::uint64_t i = 0; i < common; ++i) {
    scratch.words.push_back(
        static_cast<std::uint32_t>(first + word_law_.draw(random) % (options_.features - first)));
  }
}

void SyntheticRows::make(const Context& context, Split split, std::uint64_t first,
                         std::size_t count, RowBatch& batch) const {
  std::vector<RowBatch> parts((count + kGrain - 1) / kGrain);
  parallel_blocks(context, count, kGrain, [&](const Block& block) {
    Scratch scratch;
    for (std::size_t i = block.begin; i < block.end; ++i) {
      add_row(split, first + i, scratch, parts[block.index]);
    }
  });
  batch.first_row = first;
  batch.rows = count;
  batch.labels.clear();
  batch.features.clear();
  batch.features.num_columns = options_.features;
  for (const RowBatch& part : parts) {
    batch.labels.append(part.labels);
    batch.features.append(part.features);
  }
}

TaskResult build_synthetic(const Context& context, const SyntheticOptions& options,
                           const TaskOutput& output) {
  validate(options);
  const SyntheticRows rows(options, context.seed());
  OutputDirectory directory(output.directory, output.existing);
  const auto names = LabelNames::numbered(options.labels);
  Schema schema;
  schema.kind = InputKind::kSparse;
  TaskResult result;
  RowBatch batch;
  for (const Split split : kSplits) {
    const std::uint64_t total = rows_of(options, split);
    if (total == 0) continue;
    const std::string stage = fmt::format("making {}", name_of(split));
    const std::string name = fmt::format("{}.{}", name_of(split), options.format);
    WriteOptions write;
    write.path = directory.file(name);
    write.num_rows = total;
    write.num_features = options.features;
    write.num_labels = options.labels;
    const auto writer = open_writer(context, write, schema, names);
    for (std::uint64_t row = 0; row < total; row += kBatchRows) {
      context.report({stage, row, total, "rows"});
      rows.make(context, split, row,
                static_cast<std::size_t>(std::min<std::uint64_t>(kBatchRows, total - row)), batch);
      writer->write(batch);
    }
    writer->finish();
    context.report({stage, total, total, "rows"});
    result.files.push_back({split, name, ""});
  }
  std::vector<std::pair<std::string, std::string>> settings = {
      {"seed", std::to_string(context.seed())}};
  SyntheticOptions visited = options;
  visited.visit([&](const char* key, auto& value, const char*) {
    settings.emplace_back(key, fmt::format("{}", value));
  });
  write_marker(directory, "synthetic", settings, result);
  directory.commit();
  return result;
}

}  // namespace mhe::tasks
