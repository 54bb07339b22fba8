// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <mhe/model.h>

#include "flags/usage_error.h"
#include "output/train_command.h"
#include "output/units.h"
#include "verbs/verbs.h"

namespace mhe::app {
namespace {

using Json = nlohmann::ordered_json;
using Metadata = std::map<std::string, std::string, std::less<>>;

struct InspectFlags {
  std::string file;
  bool json = false;
  bool verify = false;
  bool command = false;
  std::size_t threads = 0;
};

// Metadata that hold a JSON object or array, parsed; nothing if they are other text, or so large or
// so deep that a hostile file could keep us busy or exhaust the stack.
std::optional<Json> parse_structure(std::string_view text) {
  constexpr std::size_t kMaxBytes = 1 << 18;
  constexpr int kMaxDepth = 32;
  if (!text.starts_with('{') && !text.starts_with('[')) return std::nullopt;
  if (text.size() > kMaxBytes) return std::nullopt;
  bool is_too_deep = false;
  const auto watch_depth = [&](int depth, Json::parse_event_t, Json&) {
    is_too_deep = is_too_deep || depth > kMaxDepth;
    return !is_too_deep;
  };
  Json parsed = Json::parse(text, watch_depth, /*allow_exceptions=*/false);
  if (parsed.is_discarded() || is_too_deep) return std::nullopt;
  return parsed;
}

std::string dump(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string format_shape(const std::vector<std::uint64_t>& shape) {
  return shape.empty() ? "scalar" : fmt::format("[{}]", fmt::join(shape, ", "));
}

void print_json(Console& console, const std::string& path, const FileCard& card) {
  Json json = {{"file", path}};
  json["format"] = card.format_version ? "mhe" : "safetensors";
  if (card.format_version) {
    json["format_version"] = *card.format_version;
    json["mhe_version"] = card.mhe_version;
  }
  json["file_bytes"] = card.file_bytes;
  json["header_bytes"] = card.header_bytes;
  json["padding_bytes"] = card.padding_bytes;
  json["metadata"] = Json::object();
  for (const auto& [key, value] : card.metadata) {
    const auto structure = parse_structure(value);
    json["metadata"][key] = structure ? *structure : Json(value);
  }
  json["tensors"] = Json::array();
  for (const TensorCard& tensor : card.tensors) {
    json["tensors"].push_back({{"name", tensor.name},
                               {"dtype", tensor.dtype},
                               {"shape", tensor.shape},
                               {"bytes", tensor.bytes},
                               {"file_offset", tensor.file_offset}});
  }
  if (card.damaged) {
    json["verified"] = card.damaged->empty();
    json["damaged"] = *card.damaged;
  }
  console.print(dump(json, 2) + "\n");
}

// Lines for people, each `key: value`; objects inside are indented, arrays stay on their line.
void append_lines(std::vector<std::string>& lines, const Json& json, const std::string& indent) {
  for (const auto& [key, value] : json.items()) {
    if (value.is_object() && !value.empty()) {
      lines.push_back(fmt::format("{}{}:", indent, key));
      append_lines(lines, value, indent + "  ");
    } else {
      lines.push_back(fmt::format("{}{}: {}", indent, key, dump(value)));
    }
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  const auto structure = parse_structure(text);
  if (structure && structure->is_object()) {
    append_lines(lines, *structure, "");
    return lines;
  }
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string format_metadata(const Metadata& metadata, std::size_t width) {
  constexpr std::size_t kMaxKey = 24;    // a longer key gets a line of its own
  constexpr std::size_t kMinValue = 40;  // even on a narrow terminal
  std::size_t column = 0;
  for (const auto& [key, value] : metadata) {
    column = std::max(column, std::min(kMaxKey, key.size()));
  }
  column += 2;
  const std::size_t max_value = std::max(kMinValue, width - std::min(width, column + 3));
  std::string text;
  for (const auto& [key, value] : metadata) {
    const std::string shown_key = printable(key, width);
    std::string start = fmt::format("{:<{}}", shown_key, column);
    if (shown_key.size() + 2 > column) start += fmt::format("\n{:<{}}", "", column);
    for (const std::string& line : lines_of(value)) {
      text += fmt::format("{}{}\n", start, printable(line, max_value));
      start.assign(column, ' ');
    }
    if (value.empty()) text += fmt::format("{}\n", shown_key);
  }
  return text;
}

std::string format_tensors(const FileCard& card) {
  constexpr std::size_t kMaxName = 300;
  std::size_t shape_width = 5;
  for (const TensorCard& tensor : card.tensors) {
    shape_width =
        std::max(shape_width, std::min<std::size_t>(32, format_shape(tensor.shape).size()));
  }
  // The name comes last: it is the one column that may be long and must not be cut.
  std::string text = fmt::format("{:>9}  {:>7}  {:<7}  {:<{}}  name\n", "bytes", "share", "dtype",
                                 "shape", shape_width);
  for (const TensorCard& tensor : card.tensors) {
    const double share =
        100 * static_cast<double>(tensor.bytes) / static_cast<double>(card.file_bytes);
    text += fmt::format("{:>9}  {:>5.1f} %  {:<7}  {:<{}}  {}\n", format_bytes(tensor.bytes), share,
                        tensor.dtype, format_shape(tensor.shape), shape_width,
                        printable(tensor.name, kMaxName));
  }
  return text;
}

std::string format_checksums(const FileCard& card) {
  if (!card.format_version) return "none";
  if (!card.damaged) return "of the header OK; --verify checks those of the tensors";
  if (card.damaged->empty()) return fmt::format("OK: the header, {} tensors", card.tensors.size());
  std::vector<std::string> names;
  for (const std::string& name : *card.damaged) names.push_back(in_quotes(name));
  return fmt::format("DAMAGED: {}", fmt::join(names, ", "));
}

void print_card(Console& console, const std::string& path, const FileCard& card) {
  std::uint64_t tensor_bytes = 0;
  for (const TensorCard& tensor : card.tensors) tensor_bytes += tensor.bytes;
  const std::string format =
      card.format_version
          ? fmt::format("mhe model, version {}, written by mhe {}", *card.format_version,
                        printable(card.mhe_version, console.width()))
          : "safetensors, not an mhe model";
  const std::string padding = card.padding_bytes == 0
                                  ? std::string()
                                  : fmt::format(", {} padding", format_bytes(card.padding_bytes));
  std::string text = fmt::format(
      "file       {}\nformat     {}\nsize       {}: {} header, {} in {}{}\nchecksums  "
      "{}\n",
      path, format, format_bytes(card.file_bytes), format_bytes(card.header_bytes),
      format_bytes(tensor_bytes), format_count(card.tensors.size(), "tensor"), padding,
      format_checksums(card));
  if (!card.metadata.empty()) text += "\n" + format_metadata(card.metadata, console.width());
  if (!card.tensors.empty()) text += "\n" + format_tensors(card);
  console.print(text);
}

void run_inspect(Console& console, const InspectFlags& flags) {
  if (flags.file == "-") {
    throw UsageError("a model file is mapped into memory, so it cannot come from standard input");
  }
  const auto context = console.make_context(flags.threads);
  const FileCard card = read_card(flags.file, flags.verify ? context.get() : nullptr);
  if (flags.verify && !card.format_version) {
    throw_error(ErrorCode::kInvalidData, "{} is not an mhe model: it holds no checksums to verify",
                flags.file);
  }
  if (flags.command) return console.print(train_command(flags.file, card) + "\n");
  if (flags.json) {
    print_json(console, flags.file, card);
  } else {
    print_card(console, flags.file, card);
  }
  if (card.damaged && !card.damaged->empty()) {
    throw_error(ErrorCode::kInvalidData, "{}: {}", flags.file, describe_damage(*card.damaged));
  }
  console.summarize({});
}

}  // namespace

std::function<void(Console&)> add_inspect(CLI::App& command) {
  auto flags =
      std::make_shared<InspectFlags>();  // shared: the flags outlive the parser that fills them
  command.add_option("file", flags->file, "A model, or any other safetensors file")->required();
  command.add_flag("--json", flags->json, "Print one JSON object");
  command
      .add_flag("--command", flags->command,
                "Print the command that trains this model again, byte for byte; its files are "
                "$DATA, $MODEL and such")
      ->excludes("--json");
  command.add_flag("--verify", flags->verify,
                   "Read everything and compare it with its checksums; exit 1 if it is damaged");
  command.add_option("--threads", flags->threads, "For --verify; default: one per core");
  return [flags](Console& console) { run_inspect(console, *flags); };
}

}  // namespace mhe::app
