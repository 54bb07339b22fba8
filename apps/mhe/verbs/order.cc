// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <mhe/dataset.h>
#include <mhe/label_space.h>

#include "flags/checks.h"
#include "output/units.h"
#include "verbs/verbs.h"

namespace mhe::app {
namespace {

struct OrderFlags {
  ReadOptions read;
  std::string format = "auto";
  std::string kind = "clustered";
  std::vector<std::uint32_t> lengths;
  std::string out = "-";
  std::size_t max_terms = 1000;
  std::size_t threads = 0;
  std::uint64_t seed = 1;
  bool compact = false;
};

// What an order is made from; features only for a clustered one.
struct LabeledRows {
  LabelNames names;
  Ragged<LabelId> labels;
  SparseMatrix features;
};

void append_dense(const DenseMatrix& dense, SparseMatrix& features) {
  for (std::size_t row = 0; row < dense.rows(); ++row) {
    for (std::size_t column = 0; column < dense.num_columns; ++column) {
      if (dense[row][column] == 0) continue;
      features.columns.push_back(static_cast<std::uint32_t>(column));
      features.values.push_back(dense[row][column]);
    }
    features.end_row();
  }
  features.num_columns = dense.num_columns;
}

LabeledRows read_rows(Console& console, const Context& context, const OrderFlags& flags) {
  LabeledRows rows;
  const auto reader = open_reader(context, flags.read, rows.names);
  if (!reader->schema().has_labels) {
    throw_error(ErrorCode::kInvalidData, "{}: the rows have no labels to order", flags.read.path);
  }
  const bool clustered = flags.kind == "clustered";
  if (clustered && reader->schema().kind == InputKind::kText) {
    throw_error(
        ErrorCode::kInvalidData,
        "{}: a clustered order needs features, but the rows are text; give another --kind or "
        "features",
        flags.read.path);
  }
  RowBatch batch;
  while (reader->next(batch)) {
    rows.labels.append(batch.labels);
    if (!clustered) continue;
    if (reader->schema().kind == InputKind::kDense) {
      append_dense(batch.dense, rows.features);
    } else {
      rows.features.append(batch.features);
    }
  }
  for (const std::string& bad : reader->report().bad_lines) console.say(bad);
  if (rows.names.size() == 0) {
    throw_error(ErrorCode::kInvalidData, "{}: no row has a label", flags.read.path);
  }
  return rows;
}

LabelOrder make_order(const Context& context, const OrderFlags& flags, const LabeledRows& rows) {
  const std::size_t num_labels = rows.names.size();
  const auto placement = flags.compact ? Placement::kCompact : Placement::kSpread;
  if (flags.kind == "identity") return identity_order(num_labels, flags.lengths);
  if (flags.kind == "random") {
    return random_order(num_labels, flags.lengths, flags.seed, placement);
  }
  if (flags.kind == "frequency") {
    return frequency_order(label_counts(rows.labels, num_labels), flags.lengths, placement);
  }
  ClusterOptions options;
  options.placement = placement;
  const SparseMatrix centroids =
      label_centroids(context, rows.features, rows.labels,
                      {.num_labels = num_labels, .max_terms = flags.max_terms});
  return clustered_order(context, centroids, flags.lengths, options);
}

void run_order(Console& console, OrderFlags flags) {
  flags.read.format = flags.format == "auto" ? Format::kAuto : parse_format(flags.format);
  const auto context = console.make_context(flags.threads, flags.seed);
  const LabeledRows rows = read_rows(console, *context, flags);
  const LabelOrder order = make_order(*context, flags, rows);
  write_order(order, rows.names, flags.out);
  console.summarize({.rows = rows.labels.rows(), .labels = rows.names.size()});
}

void add_read_flags(CLI::App& command, OrderFlags& flags) {
  command.add_option("DATA", flags.read.path, "Data set with labels; - is standard input")
      ->required();
  command.add_option("--format", flags.format, "Format of DATA; auto: by content")
      ->capture_default_str();
  command.add_option("--label-file", flags.read.label_path, "Second file, with the labels");
  command.add_option("--columns", flags.read.columns, "Columns of a CSV/TSV without a header line")
      ->delimiter(',');
  command.add_option("--text", flags.read.text_columns, "Text columns")->delimiter(',');
  command.add_option("--labels", flags.read.label_column, "Label column");
  command.add_option("--label-separator", flags.read.label_separator, "Between labels of a row");
  command.add_option("--skip-bad", flags.read.skip_bad, "Bad lines to skip and report")
      ->capture_default_str();
}

}  // namespace

std::function<void(Console&)> add_order(CLI::App& command) {
  auto flags = std::make_shared<OrderFlags>();  // shared: outlives the parser that fills it
  add_read_flags(command, *flags);
  command.add_option("--kind", flags->kind, "identity, random, frequency or clustered")
      ->check(one_of({"identity", "random", "frequency", "clustered"}))
      ->capture_default_str();
  command.add_option("--lengths", flags->lengths, "Lengths of the heads, such as 107,40")
      ->delimiter(',')
      ->required();
  command.add_option("--out", flags->out, "TSV: position, label, digits; - is standard output")
      ->capture_default_str();
  command.add_option("--max-terms", flags->max_terms, "Entries kept of a centroid; 0: all")
      ->capture_default_str();
  command.add_flag("--compact", flags->compact, "Empty positions last, not spread evenly");
  command.add_option("--seed", flags->seed, "Random seed")->capture_default_str();
  command.add_option("--threads", flags->threads, "Threads; 0: one a core")->capture_default_str();
  return [flags](Console& console) { run_order(console, *flags); };
}

}  // namespace mhe::app
