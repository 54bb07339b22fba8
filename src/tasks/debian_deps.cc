// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/debian_deps.h"

#include <algorithm>
#include <compare>
#include <filesystem>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "tasks/command.h"
#include "tasks/deb822.h"
#include "tasks/debian_version.h"
#include "tasks/task.h"
#include "text/hash.h"

namespace mhe::tasks {
namespace {

struct Package {
  std::string version;
  std::string source;
  std::string description;  // the first line
  std::string description_md5;
  std::string relations;
};
using Packages = std::map<std::string, Package, std::less<>>;  // by name: the order is the same

// "Package MD5" of a description -> the whole of it.
using LongDescriptions = std::unordered_map<std::string, std::string>;

std::string_view without_ending(std::string_view name) {
  for (const std::string_view ending : {".lz4", ".xz", ".gz", ".zst", ".bz2", ".lzma"}) {
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  }
  return name;
}

// apt knows compressions that we do not, and uses them for its lists.
std::unique_ptr<data::ByteSource> open_list(const std::string& path) {
  const bool ours = path.ends_with(".xz") || path.ends_with(".gz") || path.ends_with(".zst");
  if (ours || without_ending(path) == path) return open_decompressed(path);
  return open_command({"/usr/lib/apt/apt-helper", "cat-file", path});
}

std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find(' '));
}
std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

void add_package(const Stanza& stanza, const std::string& place, Packages& packages) {
  const std::string name(stanza["Package"]);
  if (name.empty()) fail(ErrorCode::kInvalidData, "{}: the paragraph names no Package", place);
  Package package;
  package.version = stanza["Version"];
  const auto known = packages.find(name);
  if (known != packages.end() &&
      std::is_lteq(compare_versions(package.version, known->second.version))) {
    return;
  }
  package.source = first_word(stanza["Source"]);
  if (package.source.empty()) package.source = name;
  package.description = first_line(stanza["Description"]);
  package.description_md5 = stanza["Description-md5"];
  package.relations = stanza["Depends"];
  if (!package.relations.empty() && !stanza["Recommends"].empty()) package.relations += ", ";
  package.relations += stanza["Recommends"];
  packages.insert_or_assign(name, std::move(package));
}

// Calls visit(stanza, place) for all paragraphs of the files.
template <class Visit>
void read_stanzas(const Context& context, const std::vector<std::string>& paths,
                  std::string_view stage, const Visit& visit) {
  std::uint64_t done = 0;
  Stanza stanza;
  for (const std::string& path : paths) {
    Deb822Reader reader(open_list(path));
    while (reader.next(stanza)) {
      visit(stanza, reader);
      constexpr std::uint64_t kReportEvery = 1000;
      if (++done % kReportEvery == 0) context.report({stage, done, 0, "packages"});
    }
  }
}

LongDescriptions read_descriptions(const Context& context, const AptIndex& index) {
  LongDescriptions all;
  read_stanzas(context, index.translations, "reading descriptions",
               [&](const Stanza& stanza, const Deb822Reader&) {
                 all.emplace(fmt::format("{} {}", stanza["Package"], stanza["Description-md5"]),
                             stanza["Description-en"]);
               });
  return all;
}

// A description as one line; a dot alone on its line is an empty line there.
std::string flatten(std::string_view description) {
  std::string text;
  while (!description.empty()) {
    const std::string_view line = first_line(description);
    if (line != ".") {
      text += line;
      text += ' ';
    }
    description.remove_prefix(std::min(description.size(), line.size() + 1));
  }
  return valid_utf8(squeeze_blanks(text));
}

std::string description_of(const std::string& name, const Package& package,
                           const LongDescriptions& descriptions) {
  const auto found = descriptions.find(name + " " + package.description_md5);
  return flatten(found == descriptions.end() ? package.description : found->second);
}

std::vector<TextRow> make_rows(const Packages& packages, const LongDescriptions& descriptions,
                               std::size_t min_label_count) {
  std::unordered_map<std::string, std::size_t> counts;
  std::vector<TextRow> rows;
  constexpr std::uint32_t kHeldOut = 100;  // thousandths of the sources, for dev and test each
  for (const auto& [name, package] : packages) {
    TextRow row;
    row.split = split_of(package.source, kHeldOut, kHeldOut);
    row.labels = parse_relations(package.relations);
    std::erase(row.labels, name);
    for (const std::string& label : row.labels) ++counts[label];
    row.fields = {name, description_of(name, package, descriptions)};
    rows.push_back(std::move(row));
  }
  for (TextRow& row : rows) {
    std::erase_if(row.labels, [&](const auto& label) { return counts[label] < min_label_count; });
  }
  std::erase_if(rows, [](const TextRow& row) { return row.labels.empty(); });
  return rows;
}

// What tells two states of the archive apart.
std::string fingerprint(const Packages& packages) {
  std::uint64_t hash = 0;
  for (const auto& [name, package] : packages) {
    hash = text::join_hashes(hash, text::hash_bytes(name + "=" + package.version));
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace

AptIndex find_apt_index(const std::string& lists) {
  AptIndex index;
  std::error_code status;
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(lists, status)) {
    paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    const std::string_view stem = without_ending(path);
    if (stem.ends_with("_Packages")) index.packages.push_back(path);
    if (stem.ends_with("_Translation-en")) index.translations.push_back(path);
  }
  return index;
}

std::vector<std::string> parse_relations(std::string_view field) {
  std::vector<std::string> names;
  while (!field.empty()) {
    const std::string_view clause = field.substr(0, field.find(','));
    field.remove_prefix(std::min(field.size(), clause.size() + 1));
    const std::size_t begin = clause.find_first_not_of(" \t\n");
    if (begin == std::string_view::npos) continue;
    const std::string_view first = clause.substr(begin);
    std::string name(first.substr(0, first.find_first_of(" \t\n(|:[<")));
    if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) continue;
    names.push_back(std::move(name));
  }
  return names;
}

TaskResult build_debian_deps(const Context& context, const DebianDepsOptions& options,
                             const TaskOutput& output) {
  const AptIndex index = find_apt_index(options.lists);
  if (index.packages.empty()) {
    fail(ErrorCode::kNotFound, "{} holds no index of packages; get it with: apt-get update",
         options.lists);
  }
  const bool wants_long = options.descriptions == Descriptions::kLong;
  if (wants_long && index.translations.empty()) {
    fail(ErrorCode::kNotFound,
         "{} holds no English descriptions; apt-get update -o Acquire::Languages=en gets them, and "
         "--short does without",
         options.lists);
  }
  OutputDirectory directory(output.directory, output.existing);
  Packages packages;
  read_stanzas(context, index.packages, "reading packages",
               [&](const Stanza& stanza, const Deb822Reader& reader) {
                 add_package(stanza, reader.place(), packages);
               });
  LongDescriptions descriptions;
  if (wants_long) descriptions = read_descriptions(context, index);
  TaskResult result;
  write_text_rows(context, directory, {"name", "description"},
                  make_rows(packages, descriptions, options.min_label_count), result);
  result.notes.push_back(
      fmt::format("{} packages in the index, version {}", packages.size(), fingerprint(packages)));
  write_marker(directory, "debian-deps",
               {{"descriptions", wants_long ? "long" : "short"},
                {"min_label_count", std::to_string(options.min_label_count)}},
               result);
  directory.commit();
  return result;
}

}  // namespace mhe::tasks
