// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mhe/context.h>
#include <mhe/train.h>

#include "base/atomic_file.h"
#include "bench/head_timing.h"
#include "bench/machine_roof.h"
#include "charts/bench_svg.h"
#include "flags/checks.h"
#include "output/table.h"
#include "output/units.h"
#include "verbs/verbs.h"

namespace mhe::app {
namespace {

// One-hot first: the others are measured against it.
constexpr std::array kHeads = {
    TimedHead{"onehot", HeadKind::kOneHot, 0},
    TimedHead{"product", HeadKind::kProduct, 0},
    TimedHead{"cascade", HeadKind::kCascade, 0},
    TimedHead{"sampling", HeadKind::kSampling, 0},
    TimedHead{"sampling-16", HeadKind::kSampling, 16},
};

struct BenchHeadsFlags {
  std::vector<std::uint64_t> labels = {10'000, 100'000, 1'000'000, 10'000'000};
  std::vector<std::string> heads;
  TimingOptions timing;
  std::string loss = "softmax";
  std::size_t threads = 0;
  std::string ram;
  bool json = false;
  std::string svg;
};

struct HeadRow {
  HeadTiming timing;
  std::optional<double> ratio;  // to one-hot over the same labels; none if that was not timed
  double roof_percent = 0;
};

std::vector<TimedHead> chosen_heads(const std::vector<std::string>& names) {
  std::vector<TimedHead> heads;
  for (const TimedHead& head : kHeads) {
    if (names.empty() || std::find(names.begin(), names.end(), head.name) != names.end()) {
      heads.push_back(head);
    }
  }
  for (const std::string& name : names) {
    const bool known = std::any_of(kHeads.begin(), kHeads.end(),
                                   [&](const TimedHead& head) { return head.name == name; });
    if (!known) throw UsageError(fmt::format("there is no head {} to time", name));
  }
  return heads;
}

// What training may take: what was allowed, or what the machine has to spare.
double memory_limit(const BenchHeadsFlags& flags) {
  if (!flags.ram.empty()) return static_cast<double>(parse_bytes(flags.ram));
  constexpr double kShare = 0.8;  // others want some, and so does the process itself
  return kShare * static_cast<double>(available_memory());
}

std::vector<HeadRow> time_heads(Console& console, const Context& context,
                                const BenchHeadsFlags& flags) {
  std::vector<HeadRow> rows;
  for (const std::uint64_t num_labels : flags.labels) {
    TimingOptions options = flags.timing;
    options.num_labels = num_labels;
    std::optional<double> one_hot;
    for (const TimedHead& head : chosen_heads(flags.heads)) {
      const double needed = timed_memory(head, options);
      if (needed > memory_limit(flags)) {
        console.say(fmt::format("{} over {} labels needs {}: left out", head.name,
                                format_count(num_labels),
                                format_bytes(static_cast<std::uint64_t>(needed))));
        continue;
      }
      console.say(fmt::format("timing {} over {} labels", head.name, format_count(num_labels)));
      HeadRow row;
      row.timing = time_head(context, head, options);
      if (head.kind == HeadKind::kOneHot) one_hot = row.timing.step_s;
      if (one_hot) row.ratio = *one_hot / row.timing.step_s;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::string to_json(const std::vector<HeadRow>& rows, const BenchHeadsFlags& flags,
                    const MachineRoof& roof, std::size_t threads) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const HeadRow& row : rows) {
    const HeadTiming& timing = row.timing;
    nlohmann::ordered_json item = {
        {"head", timing.head},
        {"labels", timing.num_labels},
        {"lengths", timing.lengths},
        {"dim", flags.timing.dim},
        {"batch", flags.timing.batch},
        {"loss", flags.loss},
        {"step_ms", timing.step_s * 1e3},
        {"predict_us", timing.predict_s * 1e6},
        {"ratio_to_onehot", nullptr},
        {"bytes", timing.step_bytes},
        {"flops", timing.step_flops},
        {"roof_percent", row.roof_percent},
        {"memory_mb", static_cast<double>(timing.memory_bytes) / 1e6},
        {"threads", threads},
        {"isa", instruction_set_in_use()},
        {"roof_gflops", roof.gflops},
        {"roof_gb_per_s", roof.gb_per_s},
    };
    if (row.ratio) item["ratio_to_onehot"] = *row.ratio;
    list.push_back(std::move(item));
  }
  return list.dump() + "\n";
}

std::string to_text(const std::vector<HeadRow>& rows, const MachineRoof& roof, std::size_t threads,
                    std::size_t width) {
  Table table;
  // Both in the column that a narrow terminal repeats.
  table.add_row(
      {"head, labels", "step ms", "x onehot", "predict us", "GB", "GFLOP", "roof %", "memory"});
  for (const HeadRow& row : rows) {
    const HeadTiming& timing = row.timing;
    table.add_row({fmt::format("{}, {}", timing.head, format_count(timing.num_labels)),
                   fmt::format("{:.2f}", timing.step_s * 1e3),
                   row.ratio ? fmt::format("{:.1f}", *row.ratio) : "-",
                   fmt::format("{:.1f}", timing.predict_s * 1e6),
                   fmt::format("{:.3f}", timing.step_bytes / 1e9),
                   fmt::format("{:.2f}", timing.step_flops / 1e9),
                   fmt::format("{:.0f}", row.roof_percent), format_bytes(timing.memory_bytes)});
  }
  return table.render(width) + fmt::format("\n{} ({}): {:.0f} GFLOP/s, {:.1f} GB/s\n",
                                           format_count(threads, "thread"),
                                           instruction_set_in_use(), roof.gflops, roof.gb_per_s);
}

void write_svg(AtomicFile& file, const std::vector<HeadRow>& rows, const BenchHeadsFlags& flags,
               std::size_t threads) {
  Chart time = {.title = "Time of a training step",
                .x_unit = "labels",
                .y_unit = "ms",
                .x_scale = Scale::kLogarithmic,
                .y_scale = Scale::kLogarithmic};
  Chart memory = time;
  memory.title = "Memory to train";
  memory.y_unit = "MB";
  for (const TimedHead& head : chosen_heads(flags.heads)) {
    Curve times = {std::string(head.name), {}};
    Curve sizes = times;
    for (const HeadRow& row : rows) {
      if (row.timing.head != head.name) continue;
      const auto labels = static_cast<double>(row.timing.num_labels);
      times.points.push_back({labels, row.timing.step_s * 1e3});
      const auto bytes = static_cast<double>(std::max<std::uint64_t>(row.timing.memory_bytes, 1));
      sizes.points.push_back({labels, bytes / 1e6});
    }
    time.curves.push_back(std::move(times));
    memory.curves.push_back(std::move(sizes));
  }
  const Chart charts[] = {std::move(time), std::move(memory)};
  file.write(line_svg(
      charts,
      fmt::format("Heads: width {}, batch {}, {}, {}, {}", flags.timing.dim, flags.timing.batch,
                  flags.loss, format_count(threads, "thread"), instruction_set_in_use())));
  file.commit();
}

void run_bench_heads(Console& console, BenchHeadsFlags flags) {
  if (flags.timing.repeat == 0) throw UsageError("--repeat must be above 0");
  if (flags.timing.candidates == 0) throw UsageError("--candidates must be above 0");
  flags.timing.loss = flags.loss == "softmax" ? heads::Loss::kSoftmax : heads::Loss::kSigmoid;
  std::sort(flags.labels.begin(), flags.labels.end());
  (void)chosen_heads(flags.heads);
  std::optional<AtomicFile> svg;  // a place that cannot be written to is told before the timing
  if (!flags.svg.empty()) svg.emplace(flags.svg);
  const auto context = console.make_context(flags.threads);
  // Before and after: a machine that others use has good and bad moments.
  MachineRoof roof = measure_roof(*context);
  std::vector<HeadRow> rows = time_heads(console, *context, flags);
  roof.raise_to(measure_roof(*context));
  for (HeadRow& row : rows) {
    row.roof_percent =
        100 * roof.seconds(row.timing.step_flops, row.timing.step_bytes) / row.timing.step_s;
  }
  if (svg) write_svg(*svg, rows, flags, context->threads());
  console.print(flags.json ? to_json(rows, flags, roof, context->threads())
                           : to_text(rows, roof, context->threads(), console.width()));
  console.summarize({});
}

}  // namespace

std::function<void(Console&)> add_bench_heads(CLI::App& command) {
  auto flags = std::make_shared<BenchHeadsFlags>();
  command
      .add_option("--labels", flags->labels, "Numbers of labels; those that fit memory are timed")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--heads", flags->heads, "Heads to time: onehot, cascade, ...; default: all")
      ->delimiter(',');
  command.add_option("--dim", flags->timing.dim, "Width of the feature vector")
      ->capture_default_str();
  command.add_option("--batch", flags->timing.batch, "Examples of a step")->capture_default_str();
  command.add_option("--candidates", flags->timing.candidates, "cascade: parents kept a level")
      ->capture_default_str();
  command.add_option("--loss", flags->loss, "softmax or sigmoid")
      ->check(one_of({"softmax", "sigmoid"}))
      ->capture_default_str();
  command.add_option("--repeat", flags->timing.repeat, "Steps; the quickest counts")
      ->capture_default_str();
  command.add_option("--ram", flags->ram, "Time only what needs no more memory, such as 8G");
  command.add_option("--threads", flags->threads, "Threads; default: one per core");
  command.add_flag("--json", flags->json, "Print a JSON list");
  command.add_option("--svg", flags->svg, "Write a picture of time and memory here");
  return [flags](Console& console) { run_bench_heads(console, *flags); };
}

}  // namespace mhe::app
