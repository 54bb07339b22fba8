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

#include "base/check.h"
#include "model/container.h"
#include "model/model_file.h"
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
  std::size_t threads = 0;
};

// What there is to tell of a file, ours or another's.
struct Card {
  std::string path;
  std::optional<std::uint64_t> format_version;  // of an mhe model
  std::string mhe_version;
  std::uint64_t file_bytes = 0;
  std::uint64_t header_bytes = 0;
  std::uint64_t padding_bytes = 0;
  Metadata metadata;  // without the container's own keys
  std::vector<model::TensorInfo> tensors;
  std::optional<std::vector<std::string>> damaged;  // if it was looked for
};

Card describe_model(const model::ModelFile& file) {
  Card card;
  card.path = file.path();
  card.format_version = file.format_version();
  card.mhe_version = file.metadata(model::kMheVersionKey);
  card.file_bytes = file.file_bytes();
  card.header_bytes = file.header_bytes();
  card.padding_bytes = file.padding_bytes();
  for (const auto& [key, value] : file.all_metadata()) {
    if (!model::is_container_key(key)) card.metadata.emplace(key, value);
  }
  card.tensors.assign(file.tensors().begin(), file.tensors().end());
  return card;
}

Card describe_other(const model::SafetensorsFile& file) {
  Card card;
  card.path = file.path();
  card.file_bytes = file.bytes().size();
  card.header_bytes = file.data_start();
  card.metadata = file.metadata();
  card.tensors = file.tensors();
  return card;
}

bool is_model(const model::SafetensorsFile& file) {
  const auto format = file.metadata().find(model::kFormatKey);
  return format != file.metadata().end() && format->second == model::kFormatName;
}

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

std::string format_shape(const model::Shape& shape) {
  return shape.empty() ? "scalar" : fmt::format("[{}]", fmt::join(shape, ", "));
}

void print_json(Console& console, const Card& card) {
  Json json = {{"file", card.path}};
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
  for (const model::TensorInfo& tensor : card.tensors) {
    json["tensors"].push_back({{"name", tensor.name},
                               {"dtype", model::name_of(tensor.dtype)},
                               {"shape", tensor.shape},
                               {"bytes", tensor.num_bytes()},
                               {"file_offset", card.header_bytes + tensor.begin}});
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
    const std::string shown_key = model::printable(key, width);
    std::string start = fmt::format("{:<{}}", shown_key, column);
    if (shown_key.size() + 2 > column) start += fmt::format("\n{:<{}}", "", column);
    for (const std::string& line : lines_of(value)) {
      text += fmt::format("{}{}\n", start, model::printable(line, max_value));
      start.assign(column, ' ');
    }
    if (value.empty()) text += fmt::format("{}\n", shown_key);
  }
  return text;
}

std::string format_tensors(const Card& card) {
  constexpr std::size_t kMaxName = 300;
  std::size_t shape_width = 5;
  for (const model::TensorInfo& tensor : card.tensors) {
    shape_width =
        std::max(shape_width, std::min<std::size_t>(32, format_shape(tensor.shape).size()));
  }
  // The name comes last: it is the one column that may be long and must not be cut.
  std::string text = fmt::format("{:>9}  {:>7}  {:<7}  {:<{}}  name\n", "bytes", "share", "dtype",
                                 "shape", shape_width);
  for (const model::TensorInfo& tensor : card.tensors) {
    const double share =
        100 * static_cast<double>(tensor.num_bytes()) / static_cast<double>(card.file_bytes);
    text += fmt::format("{:>9}  {:>5.1f} %  {:<7}  {:<{}}  {}\n", format_bytes(tensor.num_bytes()),
                        share, model::name_of(tensor.dtype), format_shape(tensor.shape),
                        shape_width, model::printable(tensor.name, kMaxName));
  }
  return text;
}

std::string format_checksums(const Card& card) {
  if (!card.format_version) return "none";
  if (!card.damaged) return "of the header OK; --verify checks those of the tensors";
  if (card.damaged->empty()) return fmt::format("OK: the header, {} tensors", card.tensors.size());
  std::vector<std::string> names;
  for (const std::string& name : *card.damaged) names.push_back(model::in_quotes(name));
  return fmt::format("DAMAGED: {}", fmt::join(names, ", "));
}

void print_card(Console& console, const Card& card) {
  std::uint64_t tensor_bytes = 0;
  for (const model::TensorInfo& tensor : card.tensors) tensor_bytes += tensor.num_bytes();
  const std::string format =
      card.format_version
          ? fmt::format("mhe model, version {}, written by mhe {}", *card.format_version,
                        model::printable(card.mhe_version, console.width()))
          : "safetensors, not an mhe model";
  const std::string padding = card.padding_bytes == 0
                                  ? std::string()
                                  : fmt::format(", {} padding", format_bytes(card.padding_bytes));
  std::string text = fmt::format(
      "file       {}\nformat     {}\nsize       {}: {} header, {} in {}{}\nchecksums  "
      "{}\n",
      card.path, format, format_bytes(card.file_bytes), format_bytes(card.header_bytes),
      format_bytes(tensor_bytes), format_count(card.tensors.size(), "tensor"), padding,
      format_checksums(card));
  if (!card.metadata.empty()) text += "\n" + format_metadata(card.metadata, console.width());
  if (!card.tensors.empty()) text += "\n" + format_tensors(card);
  console.print(text);
}

Card describe(Console& console, const InspectFlags& flags) {
  model::SafetensorsFile file(MappedFile::open(flags.file));
  if (!is_model(file)) {
    if (flags.verify) {
      fail(ErrorCode::kInvalidData, "{} is not an mhe model: it holds no checksums to verify",
           flags.file);
    }
    return describe_other(file);
  }
  const model::ModelFile model_file(std::move(file));
  Card card = describe_model(model_file);
  if (flags.verify) card.damaged = model_file.find_damage(*console.make_context(flags.threads));
  return card;
}

void run_inspect(Console& console, const InspectFlags& flags) {
  if (flags.file == "-") {
    throw UsageError("a model file is mapped into memory, so it cannot come from standard input");
  }
  const Card card = describe(console, flags);
  if (flags.json) {
    print_json(console, card);
  } else {
    print_card(console, card);
  }
  if (card.damaged && !card.damaged->empty()) {
    fail(ErrorCode::kInvalidData, "{}: {}", flags.file, model::describe_damage(*card.damaged));
  }
  console.summarize({});
}

}  // namespace

std::function<void(Console&)> add_inspect(CLI::App& command) {
  auto flags =
      std::make_shared<InspectFlags>();  // shared: the flags outlive the parser that fills them
  command.add_option("file", flags->file, "A model, or any other safetensors file")->required();
  command.add_flag("--json", flags->json, "Print one JSON object");
  command.add_flag("--verify", flags->verify,
                   "Read everything and compare it with its checksums; exit 1 if it is damaged");
  command.add_option("--threads", flags->threads, "For --verify; 0: one per core");
  return [flags](Console& console) { run_inspect(console, *flags); };
}

}  // namespace mhe::app
