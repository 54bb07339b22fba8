// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// inspect MODEL: what a model file holds, whether it is whole, and where its labels stand.
#include <algorithm>
#include <iostream>

#include <mhe/error.h>
#include <mhe/model.h>
#include <mhe/plan.h>

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "usage: inspect MODEL\n";
    return 2;
  }
  mhe::return_large_blocks();
  mhe::use_instruction_set(mhe::instruction_sets().back());  // the slowest, for fun
  const mhe::Context context({.on_warning = [](auto words) { std::cerr << words << "\n"; }});
  const mhe::FileCard card = mhe::read_card(argv[1], &context);
  if (!card.damaged->empty()) context.warn(mhe::describe_damage(*card.damaged));
  for (const mhe::TensorCard& tensor : card.tensors) {
    std::cout << mhe::in_quotes(tensor.name) << " " << tensor.dtype << ", " << tensor.bytes
              << " bytes\n";
  }
  for (const auto& [key, value] : card.metadata) {
    std::cout << mhe::printable(key, 20) << ": " << mhe::printable(value, 60) << "\n";
  }
  const mhe::Model model = mhe::Model::open(argv[1], mhe::Verify::kNone);
  model.verify(context);
  std::cout << mhe::head_kind_name(model.head_kind()) << " of "
            << mhe::kind_name(model.input_kind()) << ", " << model.num_labels() << " labels, "
            << model.num_features() << " features, " << model.training_rows() << " rows"
            << (model.predicts_sets() ? ", sets" : "") << "\n";
  const auto counts = model.label_counts();
  const auto most = mhe::LabelId(std::ranges::max_element(counts) - counts.begin());
  const mhe::LabelNames names = model.label_names();
  const auto found = names.find(names.name(most));
  std::cout << "most frequent: " << model.label_name(found.value()) << ", "
            << counts[mhe::index_of(most)] << " rows\n";
  std::cout << mhe::version() << ", " << context.threads() << " threads, "
            << mhe::process_memory().peak / 1'000'000 << " MB\n";
} catch (const mhe::Error& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
