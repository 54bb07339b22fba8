// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Labels for texts from many threads at once: predict MODEL TEXT...
#include <cstdio>
#include <string_view>
#include <thread>
#include <vector>

#include <mhe/error.h>
#include <mhe/model.h>

namespace {

// What each thread does with the model they share.
void predict_one(const mhe::Model& model, std::string_view text,
                 std::vector<mhe::Prediction>& answer) {
  mhe::Session session(model);  // keep it for the next text: it holds the memory
  const auto found = session.predict(text, 3);
  answer.assign(found.begin(), found.end());
}

int run(int argc, char** argv) {
  const mhe::Model model = mhe::Model::open(argv[1]);
  if (model.text_fields().size() != 1) {
    std::fprintf(stderr, "this example is for models of one text field\n");
    return 1;
  }
  const std::vector<std::string_view> texts(argv + 2, argv + argc);
  std::vector<std::vector<mhe::Prediction>> answers(texts.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      threads.emplace_back([&, i] { predict_one(model, texts[i], answers[i]); });
    }
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::printf("%s\n", argv[i + 2]);
    for (const mhe::Prediction& prediction : answers[i]) {
      std::printf("  %.3f %s\n", static_cast<double>(prediction.probability),
                  model.label_name(prediction.label).c_str());
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s MODEL TEXT...\n", argv[0]);
    return 2;
  }
  try {
    return run(argc, argv);
  } catch (const mhe::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
