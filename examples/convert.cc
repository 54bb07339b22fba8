// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// convert FROM TO: writes a data set in the format that TO's ending names, and what it holds to
// TO.txt. Labels that are numbers below 10 get these ids, whatever the order of the rows.
#include <atomic>
#include <csignal>
#include <iostream>
#include <string>

#include <mhe/dataset.h>
#include <mhe/error.h>

namespace {

std::atomic<bool> stop = false;

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::cerr << "usage: convert FROM TO\n";
    return 2;
  }
  std::signal(SIGINT, [](int) { stop = true; });
  const mhe::Context context({.on_progress = [](const auto& now) { std::cerr << now.done << "\n"; },
                              .should_stop = [] { return stop.load(); }});
  const std::string out = argv[2];
  mhe::LabelNames names = mhe::LabelNames::numbered(5);
  names.extend_numbered(10);
  const mhe::ReadReport read =
      mhe::convert(context, mhe::ReadOptions{.path = argv[1]}, {.path = out}, names);
  const mhe::LabelId other = names.intern("other");

  mhe::Distribution labels_per_row;
  mhe::InputViews views;
  std::string kind;
  const auto reader = mhe::open_reader(context, mhe::ReadOptions{.path = out}, names);
  for (mhe::RowBatch batch; !context.stop_requested() && reader->next(batch);) {
    const mhe::InputBatch rows = views.of(batch);
    kind = mhe::kind_name(mhe::kind_of(rows));
    for (std::size_t row = 0; row < mhe::size_of(rows); ++row) {
      labels_per_row.add(batch.labels[row].size(), 1);
    }
    context.report({.stage = "counting", .done = labels_per_row.count(), .unit = "rows"});
  }
  context.check_stop();
  mhe::write_file(out + ".txt", std::to_string(read.rows) + " rows of " + kind + ", " +
                                    std::to_string(mhe::index_of(other)) + " labels, at most " +
                                    std::to_string(labels_per_row.max()) + " in a row\n");
} catch (const mhe::Error& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
