// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <mhe/plan.h>

#include "flags/help.h"
#include "output/units.h"
#include "verbs/plan_data.h"
#include "verbs/verbs.h"

namespace mhe::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostCandidates = 1'000'000;  // more than any number of groups
constexpr double kMostLabels = 0x1.0p62;              // as mhe/plan.h says

struct PlanFlags {
  std::string head;
  std::string ram;
  PlanOptions options;
  bool json = false;
  DataPlanFlags data;  // with data
};

// "1000000", "1,000,000", "1_000_000", "1e6". Digits are read as they are: a double would round
// them above 2^53.
std::uint64_t parse_count(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (c != ',' && c != '_' && c != '\'') plain += c;
  }
  const char* const last = plain.data() + plain.size();
  std::uint64_t count = 0;
  const auto digits = std::from_chars(plain.data(), last, count);
  if (digits.ec == std::errc() && digits.ptr == last && count >= 1) return count;
  double value = 0;
  const auto [end, status] = std::from_chars(plain.data(), last, value);
  if (status != std::errc() || end != last || value != std::floor(value) ||
      !(value >= 1 && value <= kMostLabels)) {
    throw UsageError(
        fmt::format("\"{}\" is not a number of labels; expected one up to 2^62, such as 30938, "
                    "1,000,000 or 1e6",
                    text));
  }
  return static_cast<std::uint64_t>(value);
}

Plan plan_from(const PlanFlags& flags) {
  PlanOptions options = flags.options;
  const std::string& labels = flags.data.data.labels;
  if (!labels.empty()) options.num_labels = parse_count(labels);
  if (options.num_labels == 0 && options.num_binary_labels == 0) {
    throw UsageError("the number of labels is missing; give --labels N or --binary-labels N");
  }
  if (!flags.ram.empty()) options.ram_bytes = parse_bytes(flags.ram);
  const bool by_default = flags.head.empty();
  const bool subsets = options.num_binary_labels > 0;
  options.head = !by_default ? parse_head_kind(flags.head)
                 : subsets   ? HeadKind::kProduct
                             : HeadKind::kCascade;
  return make_plan(options);
}

// 512 -> "512", 1234567 -> "1,234,567", 6.2e26 -> "6.2e+26".
std::string format_number(double value) {
  constexpr double kExact = 0x1.0p53;
  if (value < kExact) return format_count(static_cast<std::uint64_t>(value));
  return fmt::format("{:.3g}", value);
}

std::string format_memory(double bytes) {
  constexpr double kMost = 0x1.0p63;
  if (bytes < kMost) return format_bytes(static_cast<std::uint64_t>(bytes));
  return fmt::format("{:.3g} B", bytes);
}

std::string format_time(double us) {
  if (us < 999.5) return fmt::format("{:.3g} us", us);
  if (us < 999.5e3) return fmt::format("{:.3g} ms", us * 1e-3);
  return fmt::format("{:.3g} s", us * 1e-6);
}

std::string format_degree(const std::optional<double>& degree) {
  return degree ? fmt::format("{:.3g}", *degree) : "-";
}

std::string format_ratio(double one_hot, double head) {
  const double ratio = one_hot / head;
  return ratio >= 999.5 ? fmt::format("{}x", format_number(std::round(ratio)))
                        : fmt::format("{:.3g}x", ratio);
}

// "37 x 37 x 36 x 36", runs of equal lengths shortened if there are many: "32 (16 times)".
std::string format_lengths(std::span<const std::uint32_t> lengths) {
  if (lengths.size() <= 4) {
    std::vector<std::string> parts;
    for (const std::uint32_t length : lengths) parts.push_back(format_count(length));
    return fmt::format("{}", fmt::join(parts, " x "));
  }
  std::vector<std::string> runs;
  for (std::size_t begin = 0; begin < lengths.size();) {
    std::size_t end = begin;
    while (end < lengths.size() && lengths[end] == lengths[begin]) ++end;
    const std::string length = format_count(lengths[begin]);
    runs.push_back(end - begin == 1 ? length : fmt::format("{}^{}", length, end - begin));
    begin = end;
  }
  return fmt::format("{}", fmt::join(runs, " x "));
}

std::string format_labels(const Plan& plan) {
  if (plan.space.num_labels()) return format_count(*plan.space.num_labels());
  return fmt::format("2^{}", plan.space.num_binary_labels());
}

std::string format_phantoms(const Plan& plan) {
  if (!plan.space.capacity() || !plan.space.num_labels()) return "none";
  const std::uint64_t phantoms = *plan.space.capacity() - *plan.space.num_labels();
  return phantoms == 0 ? "none" : format_count(phantoms);
}

std::string header_of(const Plan& plan) {
  std::string line = fmt::format("{} labels, dim {}, batch {}", format_labels(plan),
                                 format_count(plan.dim), format_count(plan.batch));
  if (plan.head == HeadKind::kCascade) {
    line += fmt::format(", {} candidates a level", plan.candidates);
    if (plan.inner_dim != plan.dim) {
      line += fmt::format(", inner dim {}", format_count(plan.inner_dim));
    }
  }
  if (plan.head == HeadKind::kSampling) {
    line += fmt::format(", {} {} an example", plan.candidates,
                        plan.candidates == 1 ? "group" : "groups");
  }
  return wrap_words(line, 80, "  ") + "\n" +
         wrap_words(
             fmt::format("{} {}", plan.head == HeadKind::kSampling ? "groups x labels:" : "heads:",
                         format_lengths(plan.space.lengths())),
             80, "  ") +
         "\n";
}

std::string table_of(const Plan& plan) {
  struct Row {
    std::string_view title;
    double HeadCost::*value;
    std::string (*format)(double);
  };
  static constexpr std::array kRows = {
      Row{"parameters", &HeadCost::parameters, format_number},
      Row{"RAM to train", &HeadCost::train_bytes, format_memory},
      Row{"model size", &HeadCost::model_bytes, format_memory},
      Row{"flops an example, training", &HeadCost::train_flops, format_number},
      Row{"flops an example, predicting", &HeadCost::predict_flops, format_number},
      Row{"weights read to predict one", &HeadCost::predict_bytes, format_memory},
      Row{"time to predict one, estimate", &HeadCost::predict_us, format_time},
  };
  const bool one_hot_only = plan.head == HeadKind::kOneHot;
  const auto line = [&](std::string_view title, std::string_view mine, std::string_view one_hot,
                        std::string_view ratio) {
    if (one_hot_only) return fmt::format("{:<30} {:>16}\n", title, mine);
    std::string text = fmt::format("{:<30} {:>16} {:>18} {:>12}", title, mine, one_hot, ratio);
    text.resize(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::string text = line("", head_kind_name(plan.head), "onehot", "saves");
  for (const Row& row : kRows) {
    text += line(row.title, row.format(plan.cost.*row.value), row.format(plan.one_hot.*row.value),
                 format_ratio(plan.one_hot.*row.value, plan.cost.*row.value));
  }
  if (one_hot_only) return text;
  text += line("confusion degree", format_degree(plan.confusion_degree), "-", "");
  return text + line("phantom labels", format_phantoms(plan), "-", "");
}

Json number_json(double value) {
  constexpr double kExact = 0x1.0p53;
  if (value < kExact && value == std::floor(value)) return static_cast<std::uint64_t>(value);
  return value;  // nlohmann-json writes infinity as null
}

Json cost_json(const HeadCost& cost) {
  return {{"parameters", number_json(cost.parameters)},
          {"train_bytes", number_json(cost.train_bytes)},
          {"model_bytes", number_json(cost.model_bytes)},
          {"train_flops", number_json(cost.train_flops)},
          {"predict_flops", number_json(cost.predict_flops)},
          {"predict_bytes", number_json(cost.predict_bytes)},
          {"predict_us", cost.predict_us}};
}

Json plan_json(const Plan& plan) {
  Json json = {{"head", head_kind_name(plan.head)}};
  if (plan.space.num_labels()) {
    json["labels"] = *plan.space.num_labels();
  } else {
    json["binary_labels"] = plan.space.num_binary_labels();
  }
  json["lengths"] = plan.space.lengths();
  json["dim"] = plan.dim;
  if (plan.head == HeadKind::kCascade) json["inner_dim"] = plan.inner_dim;
  if (plan.candidates > 0) json["candidates"] = plan.candidates;
  json["batch"] = plan.batch;
  json["confusion_degree"] = plan.confusion_degree ? Json(*plan.confusion_degree) : Json();
  json.update(cost_json(plan.cost));
  json["one_hot"] = cost_json(plan.one_hot);
  json["notes"] = plan.notes;
  return json;
}

// One key a line; arrays of numbers stay on their line, which dump(2) would break up.
std::string format_json(const Json& json) {
  std::vector<std::string> lines;
  for (const auto& [key, value] : json.items()) {
    std::vector<std::string> parts;
    for (const Json& part : value.is_array() ? value : Json::array()) parts.push_back(part.dump());
    lines.push_back(
        fmt::format("  \"{}\": {}", key,
                    value.is_array() ? fmt::format("[{}]", fmt::join(parts, ", ")) : value.dump()));
  }
  return fmt::format("{{\n{}\n}}\n", fmt::join(lines, ",\n"));
}

void run_plan(Console& console, const PlanFlags& flags) {
  const Plan plan = plan_from(flags);
  if (flags.json) {
    console.print(format_json(plan_json(plan)));
    console.summarize({.rows = {}, .labels = plan.space.num_labels()});
    return;
  }
  std::string text = header_of(plan) + "\n" + table_of(plan);
  for (const std::string& note : plan.notes)
    text += "\n" + wrap_words("Note: " + note + ".", 80, "  ") + "\n";
  if (plan.head == HeadKind::kCascade) {
    text += "\nA cascade saves arithmetic, not parameters: its last level has a row a label.\n";
  }
  console.print(text);
  console.summarize({.rows = {}, .labels = plan.space.num_labels()});
}

// Flags that plans with and without data share are read by the latter.
DataPlanFlags data_flags_of(const PlanFlags& flags, const CLI::App& command) {
  DataPlanFlags data = flags.data;
  TrainOptions& options = data.train.options;
  options.head = flags.head.empty() ? options.head : flags.head;
  options.lengths = flags.options.lengths;
  if (flags.options.candidates) {
    options.candidates = static_cast<std::int32_t>(
        std::min<std::uint64_t>(*flags.options.candidates, kMostCandidates));
  }
  if (command.count("--heads") > 0) options.heads = flags.options.num_heads;
  if (command.count("--dim") > 0) options.dim = flags.options.dim;
  if (command.count("--inner-dim") > 0) options.inner_dim = flags.options.inner_dim.value_or(0);
  if (command.count("--batch") > 0) options.batch = flags.options.batch;
  return data;
}

void run_plan_of_data(Console& console, const PlanFlags& flags, const CLI::App& command) {
  for (const char* flag : {"--binary-labels", "--latency-us", "--memory-gbs", "--gflops"}) {
    if (command.count(flag) > 0) {
      throw UsageError(fmt::format("{} is for plans without DATA", flag));
    }
  }
  run_data_plan(console, data_flags_of(flags, command), command,
                {.ram_bytes = flags.ram.empty() ? 0 : parse_bytes(flags.ram), .json = flags.json});
}

void add_machine_flags(CLI::App& command, PlanOptions& options) {
  command
      .add_option("--memory-gbs", options.memory_gb_per_s,
                  "Memory speed for the time estimate, GB/s")
      ->capture_default_str();
  command.add_option("--gflops", options.gflops, "Arithmetic speed for it, GFLOP/s")
      ->capture_default_str();
}

}  // namespace

std::function<void(Console&)> add_plan(CLI::App& command) {
  auto flags = std::make_shared<PlanFlags>();  // shared: outlives the parser that fills it
  PlanOptions& options = flags->options;
  command.add_option("--binary-labels", options.num_binary_labels,
                     "Instead: the labels are all subsets of N");
  command.add_option("--head", flags->head,
                     "onehot, product, cascade or sampling; default: cascade, for subsets product");
  command.add_option("--heads", options.num_heads, "Heads (sampling: groups); default: few");
  command.add_option("--lengths", options.lengths, "Lengths of the heads, such as 107,40")
      ->delimiter(',');
  command.add_option("--dim", options.dim, "Width of the feature vector")->capture_default_str();
  command.add_option("--inner-dim", options.inner_dim,
                     "Cascade: width after level 1; default: dim");
  command.add_option("--candidates", options.candidates,
                     "Cascade: parents kept (20); sampling: groups (1)");
  command.add_option("--batch", options.batch, "Examples trained at once")->capture_default_str();
  command.add_option("--ram", flags->ram, "Most memory to train the head, such as 2G");
  command.add_option("--latency-us", options.latency_us,
                     "Most time to score one example, microseconds");
  add_machine_flags(command, options);
  command.add_flag("--json", flags->json, "Print one JSON object");
  add_data_plan_flags(command, flags->data);
  command.get_option("--labels")
      ->description("Number of labels, such as 30938 or 1e6; with DATA: its label column");
  show_first(command,
             {"--labels", "--binary-labels", "--head", "--heads", "--lengths", "--dim", "--ram",
              "--latency-us", "--json", "--text", "--label-separator", "--preset", "--encoder",
              "--threads"},
             "Examples:\n"
             "  mhe plan --labels 1e6 --head cascade --ram 2G\n"
             "  mhe plan reviews.csv --text title,body --labels tags --encoder bag\n\n"
             "If --ram or --latency-us cannot be kept, what is left open gives way in this\n"
             "order: more heads, a narrower cascade. docs/plan.md has the formulas.");
  return [flags, &command](Console& console) {
    if (flags->data.input.empty()) {
      run_plan(console, *flags);
    } else {
      run_plan_of_data(console, *flags, command);
    }
  };
}

}  // namespace mhe::app
