// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// evaluate MODEL DATA: precision and nDCG of a model on a file of any format, read batch by batch.
#include <cstdio>
#include <memory>

#include <mhe/dataset.h>
#include <mhe/error.h>
#include <mhe/metrics.h>
#include <mhe/predict.h>

namespace {

int run(const char* model_path, const char* data_path) {
  const mhe::Context context;
  const mhe::Model model = mhe::Model::open(model_path);
  mhe::LabelNames names = model.label_names();  // so that labels of the data get the same ids
  const auto reader = mhe::open_reader(context, model.read_options(data_path), names);
  const auto count_of = [&model](mhe::LabelId label) -> std::uint64_t {
    const auto counts = model.label_counts();  // of labels that the model does not know: 0
    return mhe::index_of(label) < counts.size() ? counts[mhe::index_of(label)] : 0;
  };
  const mhe::PropensityCurve propensity(model.training_rows());
  mhe::Evaluator evaluator({.cutoffs = {1, 3, 5}}, mhe::training_labels(count_of, propensity));
  mhe::Session session(model, context);
  mhe::InputViews views;
  mhe::RowBatch batch;
  while (reader->next(batch)) {
    const mhe::Predictions& found =
        session.predict(views.of(batch, model.text_fields().size()), {.k = 5});
    mhe::Ragged<mhe::ScoredLabel> ranked;
    for (std::size_t row = 0; row < found.size(); ++row) ranked.push_row(found[row]);
    evaluator.add(context, batch.labels, ranked);
  }
  const mhe::MetricsReport report = evaluator.report(context);
  for (const char* metric : {"P@1", "P@3", "P@5", "nDCG@5", "PSP@5"}) {
    std::printf("%-7s %.2f\n", metric, 100 * report.value(metric));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s MODEL DATA\n", argv[0]);
    return 2;
  }
  try {
    return run(argv[1], argv[2]);
  } catch (const mhe::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
