// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/task.h"

#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "text/hash.h"

namespace mhe::tasks {

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
  AtomicFile marker(directory.file(OutputDirectory::kMarker));
  marker.write(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  marker.commit();
}

}  // namespace mhe::tasks
