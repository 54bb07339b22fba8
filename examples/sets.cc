// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// sets: product heads that predict whole sets of labels (a powerset), and what each head chose.
#include <array>
#include <cstdio>
#include <iostream>
#include <string>

#include <mhe/error.h>
#include <mhe/predict.h>
#include <mhe/train.h>

namespace {

mhe::Dataset make_rows() {
  auto rows = mhe::DatasetBuilder::of_texts({"title", "text"});
  for (int i = 0; i < 400; ++i) {
    const std::array<std::string_view, 4> words = {"cat", "dog", "pear", "saw"};
    std::string text = "row";
    std::vector<std::string_view> labels;
    for (std::size_t j = 0; j < words.size(); ++j) {  // a label for each word of the text
      if (((i * 7) >> j) % 2 == 0) continue;
      labels.push_back(words[j]);
      text.append(" ").append(words[j]);
    }
    const std::array<std::string_view, 2> fields = {"note", text};
    rows.add(fields, labels);
  }
  return std::move(rows).build();
}

}  // namespace

int main() try {
  const mhe::Context context;
  mhe::TrainOptions options = mhe::preset_options("default", "bag");
  options.text.fields = mhe::make_fields({"title", "text"}, {});
  for (const auto& [name, value] :
       {std::pair{"head", "product"}, {"heads", "2"}, {"dim", "32"}, {"powerset", "true"}}) {
    options.set(name, value);
  }
  const mhe::Model model = mhe::train_in_memory(context, make_rows(), options);
  mhe::Session session(model, context);
  mhe::HeadAccuracy accuracy(model);
  const std::array<std::string_view, 2> fields = {"note", "row cat pear"};
  const auto& found = session.predict(mhe::TextRows{fields, 2}, {.sets = 1, .choices = true});
  const std::array truth = {model.find_label("cat").value(), model.find_label("pear").value()};
  accuracy.add(truth, found.choices(0), found.phantom_mass(0));
  for (const auto label : found.sets(0)[0].labels) std::cout << model.label_name(label) << "\n";
  for (std::size_t head = 0; head < accuracy.shares().size(); ++head) {
    std::cout << "head " << head << " of " << model.head_choices()[head] << " sets is right in "
              << 100 * accuracy.shares()[head] << " %\n";
  }
  std::cout << accuracy.phantom_mass().value_or(0) << " goes to no set; best label "
            << model.label_name(session.predict(fields)[0].label) << "\n";
} catch (const mhe::Error& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
