// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Trains on texts in memory and labels new ones: train [MODEL]. With a file name the model stays
// there, for `predict MODEL` or `mhe predict MODEL`. Ctrl-C stops it cleanly.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <string>

#include <mhe/error.h>
#include <mhe/predict.h>
#include <mhe/train.h>

namespace {

std::atomic<bool> stop = false;

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

void run(const std::string& path) {
  std::signal(SIGINT, [](int) { stop = true; });
  const auto say = [](const mhe::Progress& now) { std::cerr << now.stage << "\n"; };
  const mhe::Context context({.on_progress = say, .should_stop = [] { return stop.load(); }});
  mhe::TrainOptions options = mhe::preset_options("fast");
  options.held_out = 0.2;
  const mhe::Dataset rows = make_rows();
  if (!path.empty()) (void)mhe::train_model(context, rows, options, {.out = path});
  const mhe::Model model =
      path.empty() ? mhe::train_in_memory(context, rows, options) : mhe::Model::open(path);
  mhe::Session session(model);
  for (const char* text : {"a dog and a cat", "an apple, a pear", "saw and hammer"}) {
    std::printf("%s\n", text);
    for (const mhe::ScoredLabel& found : session.predict(text, {.k = 2})) {
      std::printf("  %.3f %s\n", static_cast<double>(found.score),
                  model.label_name(found.label).c_str());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc > 1 ? argv[1] : "");
  } catch (const mhe::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
