// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// A small model with random weights, for tests of using one.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mhe/context.h>
#include <mhe/label_space.h>

#include "base/random.h"
#include "heads/sparse_level.h"
#include "model/linear_member.h"
#include "model/model.h"
#include "text/builder.h"
#include "train/members.h"

namespace mhe::testing {

struct ToyOptions {
  bool text = false;  ///< else sparse vectors
  std::size_t members = 1;
  bool neighbours = false;
  std::vector<std::uint32_t> lengths = {3, 5};
  std::size_t num_features = 40;  ///< of sparse vectors
  DataLayout layout = {};         ///< that the file records; format kAuto: none, as older files
};

inline constexpr std::string_view kToyText =
    "the sea is wide and the fish is fast but a net is as wide as the sea is deep";

inline heads::NodeWeights random_node(std::size_t width, std::size_t num_features,
                                      RandomStream& random) {
  heads::NodeWeights node;
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - width);
  node.present = all;
  for (std::size_t i = 0; i < width; ++i) {
    node.bias.push_back(static_cast<float>(random.uniform()) - 1.0F);
  }
  for (std::uint32_t feature = 0; feature < num_features; ++feature) {
    const std::uint64_t mask = random() & all & (random.below(2) == 0 ? random() : all);
    if (mask == 0 || random.below(3) == 0) continue;
    node.features.push_back(feature);
    node.masks.push_back(mask);
    for (int i = 0; i < std::popcount(mask); ++i) {
      node.values.push_back(static_cast<float>(2 * random.uniform() - 1));
    }
  }
  return node;
}

inline train::TrainedCascade random_member(const ToyOptions& options, std::size_t num_features,
                                           std::uint64_t seed) {
  RandomStream random(seed, "toy_model");
  std::size_t num_nodes = 1;
  std::vector<heads::SparseLevel> levels;
  for (const std::uint32_t length : options.lengths) {
    const heads::LevelShape shape = heads::LevelShape::of(num_nodes, length);
    std::vector<heads::NodeWeights> blocks;
    for (std::size_t b = 0; b < shape.num_blocks(); ++b) {
      const heads::ChildRange range = shape.children_of_block(b);
      blocks.push_back(random_node(range.end - range.begin, num_features, random));
    }
    levels.push_back(heads::build_level(shape, num_features, std::move(blocks)));
    num_nodes *= length;
  }
  return {random_order(num_nodes, options.lengths, seed),
          std::move(levels),
          {.beam = 2, .parent_power = 0.5F}};
}

/// Twenty rows of the first features, two of them one stem.
inline heads::NeighbourIndex random_neighbours(std::size_t num_features, std::size_t num_labels) {
  RandomStream random(7, "toy_model");
  SparseMatrix rows;
  rows.num_columns = num_features;
  Ragged<LabelId> labels;
  std::vector<heads::NeighbourFeature> used;
  for (std::uint32_t i = 0; i < std::min<std::size_t>(num_features, 20); ++i) {
    used.push_back({i, i < 2 ? 0 : heads::kNoStem});
    rows.columns.push_back(i);
    rows.values.push_back(1);
    rows.end_row();
    labels.items.push_back(LabelId{static_cast<std::uint32_t>(random.below(num_labels))});
    labels.end_row();
  }
  return heads::build_neighbours(rows, labels, used);
}

inline void write_toy_model(const std::string& path, const ToyOptions& options = {}) {
  const Context context({.threads = 1});
  std::optional<text::Vectorizer> vectorizer;
  if (options.text) {
    TextOptions text_options;
    text_options.fields = {{.name = "title", .own = true}, {.name = "body"}};
    text::VectorizerBuilder builder(context, text_options);
    const std::vector<std::string_view> texts = {"sea", kToyText, "fish", "a wide net"};
    builder.add(text::Documents(texts, 2));
    vectorizer = builder.finish().vectorizer;
  }
  const std::size_t num_features = vectorizer ? vectorizer->num_features() : options.num_features;
  std::vector<train::TrainedCascade> members;
  for (std::size_t m = 0; m < options.members; ++m) {
    members.push_back(random_member(options, num_features, m + 1));
  }
  LabelNames names;
  const std::size_t num_labels = members.front().order.num_labels();
  for (std::size_t i = 0; i < num_labels; ++i) names.intern("label " + std::to_string(i));
  const std::vector<std::uint32_t> counts(num_labels, 1);
  const heads::NeighbourIndex neighbours = random_neighbours(num_features, num_labels);
  const train::MemberViews views(members);
  const model::LinearMember member(views.cascades,
                                   {neighbours.view(), options.neighbours ? 0.5F : 0.0F});
  const model::Member* const all[] = {&member};
  model::write_model(path, {.names = names,
                            .num_features = num_features,
                            .vectorizer = vectorizer ? &*vectorizer : nullptr,
                            .training_rows = 2,
                            .label_counts = counts,
                            .layout = options.layout,
                            .options_json = "{}",
                            .members = all});
}

/// The linear member of a model that is nothing else.
inline const model::LinearMember& linear_member(const model::Model& model) {
  return dynamic_cast<const model::LinearMember&>(*model.members().front());
}

}  // namespace mhe::testing
