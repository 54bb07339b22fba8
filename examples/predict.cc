// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// predict MODEL < TEXTS: a pool of threads that share one model, each with a session of its own.
#include <cstdio>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <mhe/error.h>
#include <mhe/predict.h>

namespace {

// Takes lines from standard input until there are none left.
class Lines {
 public:
  bool next(std::string& line) {
    const std::lock_guard lock(mutex_);
    return static_cast<bool>(std::getline(std::cin, line));
  }

 private:
  std::mutex mutex_;
};

void work(const mhe::Model& model, Lines& lines) {
  mhe::Session session(model);  // kept for all texts: it holds the memory
  for (std::string text; lines.next(text);) {
    std::string answer = text + "\n";
    for (const mhe::ScoredLabel& found : session.predict(text, {.k = 3, .threshold = 0.1F})) {
      answer += "  " + std::to_string(found.score) + " " + model.label_name(found.label) + "\n";
    }
    std::fputs(answer.c_str(), stdout);  // one call, so that answers stay whole
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s MODEL < TEXTS\n", argv[0]);
    return 2;
  }
  try {
    const mhe::Model model = mhe::Model::open(argv[1]);
    mhe::Session(model).check({.k = 3});
    Lines lines;
    std::vector<std::jthread> pool;
    for (int i = 0; i < 4; ++i) pool.emplace_back([&] { work(model, lines); });
  } catch (const mhe::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
