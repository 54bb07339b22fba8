// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a user says about an encoder, and what its kind says where the user does not.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mhe::encoders {

struct EncoderOptions {
  std::size_t dim = 512;            ///< width of the feature vector
  int hidden_layers = -1;           ///< beyond a bag's first; -1: by encoder
  std::string activation = "relu";  ///< or gelu
  bool normalize = false;           ///< features of length 1

  template <class Visitor>
  void visit(Visitor&& v) {
    v("dim", dim, "width of the feature vector");
    v("hidden_layers", hidden_layers, "layers beyond a bag's embedding; -1: bag 0, dense 1");
    v("activation", activation, "relu or gelu");
    v("normalize", normalize, "features of length 1");
  }
};

/// Throws kInvalidArgument, saying which option is wrong.
void validate(const EncoderOptions& options);

/// Defaults that were measured for an encoder: docs/decisions/0009-learned-encoders.md.
struct DefaultRules {
  std::string_view table_rule;     ///< how the rows of tables move: adagrad, adam or sgd
  float dropout = 0;               ///< share of features that a step leaves out
  int hidden_layers = 0;           ///< beyond a bag's first
  bool fits_head_to_rows = false;  ///< heads begin at biases or centroids, else at random
  std::string_view cascade_order;  ///< of the labels of a cascade
};

}  // namespace mhe::encoders
