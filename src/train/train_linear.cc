// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/train_linear.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include <fmt/ranges.h>

#include "base/check.h"
#include "base/checksum.h"
#include "base/memory.h"
#include "labels/order.h"
#include "model/linear_model.h"
#include "train/memory_plan.h"
#include "train/partial_file.h"

namespace mhe::train {
namespace {

constexpr std::size_t kMaxHeldOut = 1000;  // rows; ten labels of each make a smooth curve
constexpr std::size_t kMinHeldOut = 200;   // unless that is more than a twentieth
constexpr float kDefaultPower = 0.3F;

// Everything that decides what the blocks of a training are.
std::uint64_t fingerprint(const Context& context, const TrainingSet& set,
                          const LinearOptions& options) {
  const SparseMatrix& features = set.examples.features;
  const std::string description = to_json(options);
  const std::uint64_t sums[] = {
      context.seed(),
      checksum64(std::as_bytes(std::span(description))),
      checksum64(std::as_bytes(std::span(features.offsets))),
      checksum64(std::as_bytes(std::span(features.columns))),
      checksum64(std::as_bytes(std::span(features.values))),
      checksum64(std::as_bytes(std::span(set.examples.labels.offsets))),
      checksum64(std::as_bytes(std::span(set.examples.labels.items))),
  };
  return checksum64(std::as_bytes(std::span(sums)));
}

void check_covers(const std::vector<std::uint32_t>& lengths, std::size_t num_labels) {
  double product = 1;
  for (const std::uint32_t length : lengths) product *= length;
  require(product >= static_cast<double>(num_labels),
          "lengths {} cover {:.0f} labels; the data has {}", fmt::join(lengths, ","), product,
          num_labels);
}

model::TrainedMember train_member(const Context& context, const TrainingSet& set,
                                  const LinearOptions& options,
                                  const std::vector<std::uint32_t>& lengths,
                                  heads::BlockStore& store) {
  labels::Order order = order_labels(context, set.examples, set.names.size(), lengths);
  std::vector<heads::SparseLevel> levels =
      heads::train_cascade(context, {set.examples.features, set.examples.labels, order.positions()},
                           lengths, options.cascade, &store);
  const float power = options.parent_power > 0 ? options.parent_power : kDefaultPower;
  return {std::move(order), std::move(levels), {.beam = options.beam, .parent_power = power}};
}

// Trained cascades as a search sees them.
struct MemberViews {
  std::vector<std::vector<std::uint32_t>> label_at;
  std::vector<model::LinearMember> members;

  explicit MemberViews(std::span<const model::TrainedMember> trained) {
    label_at.reserve(trained.size());
    for (const model::TrainedMember& member : trained) {
      label_at.push_back(model::labels_by_position(member.order));
      model::LinearMember& view = members.emplace_back();
      view.label_at = label_at.back();
      for (const heads::SparseLevel& level : member.levels) view.levels.push_back(level.view());
      view.search = member.search;
    }
  }
};

std::size_t held_out_rows(const LinearOptions& options, std::size_t rows) {
  if (options.held_out == 0) return 0;
  const auto share = static_cast<std::size_t>(options.held_out * static_cast<double>(rows));
  const std::size_t least = std::min(kMinHeldOut, rows / 20);
  return std::clamp(share, least, std::max(least, kMaxHeldOut));
}

void check_before_reading(const LinearOptions& options, const LinearRun& run) {
  validate(options);
  if (std::filesystem::is_directory(run.out)) {
    fail(ErrorCode::kInvalidArgument, "{} is a directory; expected a file to write", run.out);
  }
}

}  // namespace

LinearReport train_linear(const Context& context, const data::ReadOptions& input,
                          const LinearOptions& options, const LinearRun& run) {
  check_before_reading(options, run);
  ReadJudged read_judged;
  if (run.valid) {
    read_judged = [&](const TrainingSet& set) { return read_more(context, *run.valid, set); };
  }
  return train_on_set(context,
                      read_training_set(context, input, options.text, run.text_rule, run.ram_bytes),
                      options, run, read_judged);
}

LinearReport train_on_set(const Context& context, TrainingSet set, const LinearOptions& given,
                          const LinearRun& run, const ReadJudged& read_judged) {
  check_before_reading(given, run);
  const LinearOptions options = completed(given, set.examples.features);
  LinearReport report;
  report.rows = set.examples.rows();
  report.trimmed_labels = trim_labels(set, options.min_label_count);
  report.labels = set.names.size();
  report.features = set.examples.features.num_columns;
  report.members = options.ensemble;
  report.lengths = member_lengths(options, set.names.size(), 0);
  check_covers(report.lengths, set.names.size());
  const Examples judged =
      read_judged ? read_judged(set)
                  : hold_out(set.examples, held_out_rows(options, report.rows), context.seed());

  LinearOptions planned = options;
  if (run.ram_bytes > 0) {
    planned.cascade.solvers = plan_linear(context, set, options, run.ram_bytes).solvers;
  }
  release_free_memory();

  PartialFile partial({.path = run.out + ".partial",
                       .fingerprint = fingerprint(context, set, options),
                       .resume = run.resume,
                       .flush_after = run.flush_after});
  report.resumed_blocks = partial.num_found();
  std::vector<model::TrainedMember> members;
  for (std::size_t m = 0; m < options.ensemble; ++m) {
    const Context seeded = context.with_seed(context.seed() + m * 0x10001);
    MemberStore store(partial, m);
    members.push_back(
        train_member(seeded, set, planned, member_lengths(options, set.names.size(), m), store));
  }
  context.report({"calibrating", 0, 0, "rows"});
  MemberViews views(members);
  if (options.parent_power == 0) {
    for (std::size_t m = 0; m < members.size(); ++m) {
      const float power = choose_parent_power(context, views.members[m], judged);
      members[m].search.parent_power = views.members[m].search.parent_power = power;
    }
  }
  report.parent_power = members[0].search.parent_power;
  report.judged_rows = judged.rows();
  metrics::Calibration calibration;
  if (judged.rows() > 0) {
    calibration = calibrate(context, views.members, judged);
    report.precision = measure_precision(context, views.members, judged);
  }
  context.report({"writing the model", 0, 0, "bytes"});
  const std::vector<std::uint32_t> counts = count_labels(set.examples.labels, set.names.size());
  model::write_linear(run.out, {.names = set.names,
                                .members = members,
                                .num_features = set.examples.features.num_columns,
                                .vectorizer = set.vectorizer ? &*set.vectorizer : nullptr,
                                .calibration = std::move(calibration),
                                .training_rows = set.examples.rows(),
                                .label_counts = counts,
                                .options_json = to_json(given)});
  partial.remove();
  return report;
}

}  // namespace mhe::train
