// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// labels VECTORS: which digits labels get: by id, at random, by frequency and by likeness, and what
// heads over them would cost. `mhe order` and `mhe plan` do the same.
#include <array>
#include <cmath>
#include <iostream>

#include <mhe/dataset.h>
#include <mhe/error.h>
#include <mhe/plan.h>

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "usage: labels VECTORS\n";
    return 2;
  }
  const mhe::Context context;
  mhe::LabelNames names;
  const auto reader = mhe::open_reader(context, mhe::ReadOptions{.path = argv[1]}, names);
  mhe::SparseMatrix features;
  mhe::Ragged<mhe::LabelId> labels;
  for (mhe::RowBatch batch; reader->next(batch);) {
    features.append(batch.features);
    labels.append(batch.labels);
  }
  const auto counts = mhe::label_counts(labels, names.size());
  const auto side = static_cast<std::uint32_t>(std::ceil(std::sqrt(counts.size())));
  const std::vector lengths = {side, side};
  const auto centroids = mhe::label_centroids(context, features, labels, {counts.size()});
  for (const mhe::LabelOrder& order :
       {mhe::identity_order(counts.size(), lengths), mhe::random_order(counts.size(), lengths, 1),
        mhe::frequency_order(counts, lengths),
        mhe::clustered_order(context.with_seed(3), centroids, lengths)}) {
    std::array<std::uint32_t, 2> digits{};
    order.digits(mhe::LabelId{0}, digits);
    const mhe::LabelOrder copy(lengths, {order.positions().begin(), order.positions().end()});
    std::cout << names.name(copy.label_at(order.position(mhe::LabelId{0})).value()) << ": "
              << digits[0] << "," << digits[1] << " of " << order.space().describe() << "\n";
  }
  const mhe::LabelOrder order = mhe::frequency_order(counts, lengths);
  mhe::write_order(order, names, "order.tsv");
  std::cout << "read back: " << (mhe::read_order("order.tsv", names, lengths) == order) << "\n";
  const mhe::LabelSpace sets = mhe::LabelSpace::powerset(20, 4);
  std::array<std::uint32_t, 4> digits{};
  sets.set_digits(std::array{3U, 17U}, digits);
  std::cout << sets.num_binary_labels() << " labels, set " << sets.label(digits) << " has "
            << sets.set_members(digits).size() << "\n";
  for (const char* head : {"onehot", "cascade"}) {
    const auto plan = mhe::make_plan({.num_labels = 1'000'000, .head = mhe::parse_head_kind(head)});
    std::cout << mhe::head_kind_name(plan.head) << ": " << plan.cost.train_bytes / 1e6 << " MB\n";
  }
} catch (const mhe::Error& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
