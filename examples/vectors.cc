// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// vectors: trains on sparse and on dense vectors in memory, after a look at the plan; options are
// set by name and as JSON.
#include <array>
#include <cstdio>
#include <numeric>

#include <mhe/error.h>
#include <mhe/predict.h>
#include <mhe/train.h>

namespace {

constexpr std::size_t kWidth = 12;

mhe::Model train(const mhe::Context& context, const mhe::Dataset& rows) {
  mhe::TrainOptions options;
  options.set_json(R"({"held_out": 0, "head": "onehot"})");
  options.encoder = mhe::choose_encoder(context, rows, options);
  if (mhe::options_of(options.encoder).contains("epochs")) options.set("epochs", "5");
  const mhe::TrainingPlan plan = mhe::plan_training(context, rows, options);
  std::printf("%s: %zu labels, %zu bytes\n", options.encoder.c_str(), plan.labels,
              plan.encoders[0].train_bytes);
  mhe::TrainReport report;
  mhe::Model model = mhe::train_in_memory(context, rows, options, &report);
  std::printf("%zu rows, %zu bytes of options\n", report.rows, options.to_json().size());
  return model;
}

}  // namespace

int main() try {
  const mhe::Context context({.threads = 2, .seed = 7});
  auto sparse = mhe::DatasetBuilder::of_vectors(kWidth);
  auto dense = mhe::DatasetBuilder::of_dense_vectors(kWidth);
  std::array<std::uint32_t, kWidth> columns{};
  std::iota(columns.begin(), columns.end(), 0U);
  std::array<float, kWidth> row{};
  while (dense.size() < 150) {  // label i % 3 has large numbers in four columns of its own
    const std::size_t i = dense.size();
    for (std::size_t j = 0; j < kWidth; ++j) row[j] = j / 4 == i % 3 ? 1.0F : 0.1F;
    row[i % kWidth] += 0.5F;
    const std::array label = {mhe::LabelId(i % 3)};
    sparse.add(mhe::SparseRow{columns, row}, label);
    dense.add(mhe::DenseRow(row), label);
  }
  const mhe::Model linear = train(context, std::move(sparse).build());
  const mhe::Model network = train(context, std::move(dense).build());
  const auto first = mhe::Session(linear).predict(mhe::SparseRow{columns, row}, {.k = 1})[0];
  mhe::Session session(network);
  const auto second = session.predict(mhe::DenseRow(row), {.k = 1})[0];
  std::printf("labels %s and %s, %s\n", linear.label_name(first.label).c_str(),
              session.model().label_name(second.label).c_str(),
              std::string(mhe::instruction_set_in_use()).c_str());
} catch (const mhe::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
