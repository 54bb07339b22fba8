// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/task.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mhe/dataset.h>
#include <mhe/label_space.h>

#include "base/random.h"
#include "text/hash.h"
#include "text/utf8.h"

namespace mhe::tasks {
namespace {

constexpr std::size_t kTextBatchRows = 4096;

void add_row(const TextRow& row, LabelNames& names, RowBatch& batch) {
  for (std::size_t i = 0; i < row.fields.size(); ++i) batch.text[i].push_row(row.fields[i]);
  std::vector<LabelId> ids;
  for (const std::string& label : row.labels) ids.push_back(names.intern(label));
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  batch.labels.push_row(ids);
  ++batch.rows;
}

}  // namespace

std::string_view name_of(Split split) {
  switch (split) {
    case Split::kTrain:
      return "train";
    case Split::kDev:
      return "dev";
    case Split::kTest:
      return "test";
  }
  return "";
}

Split split_of(std::string_view key, std::uint32_t dev_permille, std::uint32_t test_permille) {
  const std::uint64_t place = text::hash_bytes(key) % 1000;
  if (place < test_permille) return Split::kTest;
  return place < test_permille + dev_permille ? Split::kDev : Split::kTrain;
}

void write_marker(const OutputDirectory& directory, std::string_view task,
                  const std::vector<std::pair<std::string, std::string>>& settings,
                  const TaskResult& result) {
  nlohmann::ordered_json json = {{"task", task}};
  for (const auto& [key, value] : settings) json[key] = value;
  for (const SplitFile& file : result.files) {
    auto& names = json["files"][std::string(name_of(file.split))];
    names = {file.name};
    if (!file.labels_name.empty()) names.push_back(file.labels_name);
  }
  json["notes"] = result.notes;
  write_file(directory.file(OutputDirectory::kMarker),
             json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

std::string valid_utf8(std::string_view text) {
  constexpr std::uint32_t kReplacement = 0xFFFD;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const bool invalid = text::next_code_point(text, at) == kReplacement;
    out += invalid ? std::string_view("\xEF\xBF\xBD") : text.substr(begin, at - begin);
  }
  return out;
}

void write_text_rows(const Context& context, const OutputDirectory& directory,
                     const std::vector<std::string>& field_names, std::vector<TextRow> rows,
                     TaskResult& result) {
  RandomStream(1, "tasks.order").shuffle(std::span(rows));
  Schema schema;
  schema.kind = InputKind::kText;
  schema.text_fields = field_names;
  LabelNames names;
  for (const Split split : kSplits) {
    const std::string name = fmt::format("{}.tsv", name_of(split));
    WriteOptions options;
    options.path = directory.file(name);
    const auto writer = open_writer(context, options, schema, names);
    RowBatch batch;
    batch.text.resize(field_names.size());
    const auto flush = [&] {
      writer->write(batch);
      batch.rows = 0;
      batch.labels.clear();
      for (Strings& field : batch.text) field.clear();
    };
    for (const TextRow& row : rows) {
      if (row.split != split) continue;
      add_row(row, names, batch);
      if (batch.rows == kTextBatchRows) flush();
    }
    flush();
    writer->finish();
    result.files.push_back({split, name, ""});
  }
}

}  // namespace mhe::tasks
