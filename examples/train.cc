// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Learns from texts in memory and labels new ones: train [MODEL]. With a file name the model stays
// there, for `predict MODEL` or `mhe predict MODEL`.
#include <cstdio>
#include <string>
#include <string_view>

#include <mhe/error.h>
#include <mhe/predict.h>
#include <mhe/train.h>

namespace {

mhe::TrainingRows make_rows() {
  mhe::TrainingRows rows = mhe::TrainingRows::of_texts();
  for (int i = 1; i <= 20; ++i) {
    const std::string number = std::to_string(i);
    rows.add("cat number " + number + " chases the dog", {"animal", "story"});
    rows.add("apple number " + number + " ripens beside a pear", {"fruit"});
    rows.add("hammer number " + number + " lies by the saw", {"tool"});
  }
  return rows;
}

void print_labels(mhe::Session& session, const mhe::Model& model, std::string_view text) {
  std::printf("%.*s\n", static_cast<int>(text.size()), text.data());
  for (const mhe::ScoredLabel& found : session.predict(text, {.k = 2})) {
    std::printf("  %.3f %s\n", static_cast<double>(found.score),
                model.label_name(found.label).c_str());
  }
}

int run(int argc, char** argv) {
  const mhe::TrainingRows rows = make_rows();
  const mhe::TrainOptions options = {.preset = "fast", .seed = 1, .held_out = 0.2};
  const mhe::Trained trained =
      argc > 1 ? mhe::train_model(rows, options, argv[1]) : mhe::train_model(rows, options);
  std::printf("%zu rows, %zu labels, %zu rows held out\n", trained.num_rows,
              trained.model.num_labels(), trained.num_judged_rows);
  mhe::Session session(trained.model);
  print_labels(session, trained.model, "a dog and a cat");
  print_labels(session, trained.model, "an apple, a pear");
  print_labels(session, trained.model, "saw and hammer");
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
