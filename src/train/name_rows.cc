// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/name_rows.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <mhe/input.h>

#include "base/check.h"
#include "base/random.h"
#include "text/builder.h"

namespace mhe::train {
namespace {

// Rows of the sample: enough to tell a share of 0.25 from chance.
constexpr std::size_t kMostRows = 2000;
// Of long texts fewer will do, which hold more of a name; a rule of text looks at as many.
constexpr std::size_t kLeastRows = 256;
constexpr std::uint64_t kEnoughBytes = std::uint64_t{1} << 20U;

std::vector<Strings> first_of(std::span<const Strings> texts, std::size_t rows) {
  std::vector<Strings> first(texts.size());
  for (std::size_t field = 0; field < texts.size(); ++field) {
    for (std::size_t row = 0; row < rows; ++row) first[field].push_row(texts[field][row]);
  }
  return first;
}

// The product of two sparse vectors.
double dot(const SparseRow& a, const SparseRow& b) {
  double sum = 0;
  std::size_t j = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    while (j < b.size() && b.columns[j] < a.columns[i]) ++j;
    if (j == b.size()) break;
    if (b.columns[j] == a.columns[i]) sum += static_cast<double>(a.values[i]) * b.values[j];
  }
  return sum;
}

LabelId any_of(std::span<const LabelId> labels, RandomStream& random) {
  return labels[random.below(labels.size())];
}

}  // namespace

void check_label_text(std::string_view choice) {
  require(choice == "yes" || choice == "no" || choice == "auto",
          "label text \"{}\"; expected yes, no or auto", choice);
}

std::size_t count_sample_rows(std::span<const Strings> texts) {
  const std::size_t rows = texts.empty() ? 0 : std::min(kMostRows, texts[0].rows());
  for (std::size_t first = kLeastRows; first < rows; ++first) {
    std::uint64_t bytes = 0;
    for (const Strings& field : texts) bytes += field.offsets[first];
    if (bytes >= kEnoughBytes) return first;
  }
  return rows;
}

bool is_sample_whole(std::span<const Strings> texts) {
  const std::size_t rows = count_sample_rows(texts);
  return rows == kMostRows || (!texts.empty() && rows < texts[0].rows());
}

std::vector<Strings> name_documents(const LabelNames& names, std::size_t num_fields) {
  std::vector<Strings> fields(num_fields);
  for (std::uint32_t label = 0; label < names.size(); ++label) {
    const std::string name = names.name(LabelId{label});
    fields[0].push_row({name.data(), name.size()});
    for (std::size_t i = 1; i < num_fields; ++i) fields[i].end_row();
  }
  return fields;
}

bool do_names_tell(const Context& context, const LabelledTexts& first_rows, const LabelNames& names,
                   TextOptions options) {
  constexpr std::size_t kEnough = 100;  // pairs; fewer would decide by chance
  constexpr double kAlike = 0.1;        // cosine: a rare word, or some letters of one, in common
  constexpr double kShare = 0.25;       // of the rows; measured in docs/decisions/0011
  constexpr double kTimesChance = 5;
  if (names.num_numbered() > 0) return false;  // numbers are no names
  const std::size_t rows = count_sample_rows(first_rows.texts);
  options.min_df = 1;  // the sample is small
  text::VectorizerBuilder builder(context, options, text::KeepDocuments::kYes);
  builder.add(text::Documents(first_of(first_rows.texts, rows)));
  const text::Fitted fitted = builder.finish();
  const SparseMatrix vectors = fitted.vectorizer.transform(
      context, text::Documents(name_documents(names, options.fields.size())));
  RandomStream random(context.seed(), "train.name_rows");
  double own = 0;
  double others = 0;
  std::size_t pairs = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto labels = first_rows.labels[row];
    const auto other_labels = first_rows.labels[random.below(rows)];
    if (labels.empty() || other_labels.empty()) continue;
    const auto is_alike = [&](LabelId label) {
      return dot(fitted.features[row], vectors[index_of(label)]) > kAlike;
    };
    own += is_alike(any_of(labels, random)) ? 1 : 0;
    others += is_alike(any_of(other_labels, random)) ? 1 : 0;
    ++pairs;
  }
  return pairs >= kEnough && own >= kShare * static_cast<double>(pairs) &&
         own >= kTimesChance * others;
}

bool should_learn_names(const Context& context, std::string_view choice,
                        const LabelledTexts& first_rows, const LabelNames& names,
                        const TextOptions& options) {
  if (choice != "auto") return choice == "yes";
  return do_names_tell(context, first_rows, names, options);
}

}  // namespace mhe::train
