// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Learns from texts in memory and labels new ones: train [MODEL]. With a file name the model stays
// there, for `predict MODEL` or `mhe predict MODEL`.
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include <mhe/dataset.h>
#include <mhe/error.h>
#include <mhe/predict.h>
#include <mhe/train.h>

namespace {

mhe::Dataset make_rows() {
  mhe::DatasetBuilder rows = mhe::DatasetBuilder::of_texts();
  for (int i = 1; i <= 20; ++i) {
    const std::string number = std::to_string(i);
    rows.add("cat number " + number + " chases the dog", {"animal", "story"});
    rows.add("apple number " + number + " ripens beside a pear", {"fruit"});
    rows.add("hammer number " + number + " lies by the saw", {"tool"});
  }
  return std::move(rows).build();
}

void print_labels(mhe::Session& session, const mhe::Model& model, std::string_view text) {
  std::printf("%.*s\n", static_cast<int>(text.size()), text.data());
  for (const mhe::ScoredLabel& found : session.predict(text, {.k = 2})) {
    std::printf("  %.3f %s\n", static_cast<double>(found.score),
                model.label_name(found.label).c_str());
  }
}

int run(int argc, char** argv) {
  const mhe::Context context({.seed = 1});
  const mhe::Dataset rows = make_rows();
  mhe::TrainOptions options = mhe::preset_options("fast");
  options.held_out = 0.2;
  mhe::TrainReport report;
  if (argc > 1) report = mhe::train_model(context, rows, options, {.out = argv[1]});
  const mhe::Model model =
      argc > 1 ? mhe::Model::open(argv[1]) : mhe::train_in_memory(context, rows, options, &report);
  std::printf("%zu rows, %zu labels, %zu rows held out\n", static_cast<std::size_t>(report.rows),
              model.num_labels(), report.validation_rows);
  mhe::Session session(model);
  print_labels(session, model, "a dog and a cat");
  print_labels(session, model, "an apple, a pear");
  print_labels(session, model, "saw and hammer");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const mhe::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
