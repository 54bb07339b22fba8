// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Product heads of every kind, small enough to be checked against their definition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "heads/dense_head.h"
#include "labels/product_codes.h"

namespace mhe::testing {

struct ProductCase {
  std::string name;
  heads::HeadSpec spec;
  heads::HeadSetup setup;
  std::size_t most_labels = 1;
};

inline heads::HeadSpec product_spec(std::uint64_t num_labels, std::vector<std::uint32_t> lengths,
                                    heads::ProductCode code) {
  heads::HeadSpec spec;
  spec.num_labels = num_labels;
  spec.lengths = std::move(lengths);
  spec.dim = 7;
  spec.own = heads::ProductSpec{.code = code};
  return spec;
}

/// Every code with softmax, with sigmoids and with three groups.
inline std::vector<ProductCase> product_cases() {
  using heads::ProductCode;
  const Context context({.threads = 1});
  std::vector<ProductCase> cases;
  cases.push_back({"digits", product_spec(20, {5, 4}, ProductCode::kDigits), {}, 1});
  cases.push_back({"phantoms", product_spec(17, {5, 4}, ProductCode::kDigits), {}, 3});
  cases.push_back({"an order", product_spec(17, {3, 3, 2}, ProductCode::kDigits), {}, 1});
  cases.back().setup.order = random_order(17, {3, 3, 2}, 4, Placement::kCompact);
  cases.push_back({"redundant", product_spec(20, {5, 5, 5, 5}, ProductCode::kTable), {}, 2});
  cases.back().setup.codes = labels::product_codes(context, 20, {}, cases.back().spec.lengths);
  cases.push_back({"powerset", product_spec(6, {4, 4, 4}, ProductCode::kPowerset), {}, 3});
  for (std::size_t i = cases.size(); i-- > 0;) {
    cases.push_back(cases[i]);
    cases.back().name += ", rank 3";
    cases.back().spec.as<heads::ProductSpec>()->rank = 3;
    cases.push_back(cases[i]);
    cases.back().name += ", sigmoids";
    cases.back().spec.loss = heads::Loss::kSigmoid;
  }
  return cases;
}

}  // namespace mhe::testing
