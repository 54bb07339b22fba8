// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "verbs/verbs.h"

#include <array>

#include "verbs/verb.h"

namespace mhe::app {

std::span<const Verb> all_verbs() {
  static constexpr std::array kVerbs = {
      Verb{"plan", "Number and length of heads, and what they cost", add_plan},
      Verb{"data", "Make a task: a real one from Debian, or synthetic", add_data},
      Verb{"stats", "Describe a data set, or compare two", add_stats},
      Verb{"convert", "Write a data set of any format in another", add_convert},
      Verb{"features", "Turn raw text into sparse TF-IDF vectors", add_features},
      Verb{"order", "Give labels their places in the label space", add_order},
      Verb{"train", "Train a model on text or vectors", add_train},
      Verb{"eval", "How good a model is on data with labels", add_eval},
      Verb{"predict", "Best labels of each row, and their probabilities", add_predict},
      Verb{"metrics", "Score the predictions of any system", add_metrics},
      Verb{"inspect", "What is in a model file", add_inspect},
      Verb{"bench", "Measure speed on this machine", add_bench},
      Verb{"info", "Version, instruction sets, threads and libraries", add_info},
  };
  return kVerbs;
}

}  // namespace mhe::app
