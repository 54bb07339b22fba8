// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/reverse_dictionary.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "tasks/definition_rows.h"
#include "tasks/dictd.h"
#include "tasks/dictionary_entries.h"
#include "tasks/lines.h"
#include "tasks/task.h"
#include "tasks/wordnet.h"

namespace mhe::tasks {
namespace {

struct Dictionary {
  std::string_view name;
  std::string_view package;
  std::vector<Sense> (*parse)(std::string_view entry);
};

// Of the dictionaries from English only these have English glosses.
constexpr std::array<Dictionary, 7> kDictionaries = {{
    {"gcide", "dict-gcide", parse_gcide_entry},
    {"foldoc", "dict-foldoc", parse_foldoc_entry},
    {"freedict-eng-bul", "dict-freedict-eng-bul", parse_wikdict_entry},
    {"freedict-eng-fin", "dict-freedict-eng-fin", parse_wikdict_entry},
    {"freedict-eng-ind", "dict-freedict-eng-ind", parse_wikdict_entry},
    {"freedict-eng-jpn", "dict-freedict-eng-jpn", parse_wikdict_entry},
    {"freedict-eng-nor", "dict-freedict-eng-nor", parse_wikdict_entry},
}};

constexpr std::uint32_t kDevPermille = 50;
constexpr std::uint32_t kTestPermille = 100;

void add_row(Split split, const std::vector<std::string>& words, std::string_view definition,
             std::vector<DefinitionRow>& rows) {
  DefinitionRow row;
  row.split = split;
  for (const std::string& word : words) {
    std::string label = label_of_word(valid_utf8(word));
    if (!label.empty()) row.labels.push_back(std::move(label));
  }
  if (row.labels.empty()) return;
  std::sort(row.labels.begin(), row.labels.end());
  row.labels.erase(std::unique(row.labels.begin(), row.labels.end()), row.labels.end());
  row.text = valid_utf8(definition);
  rows.push_back(std::move(row));
}

void add_wordnet(const Context& context, const std::string& directory,
                 std::vector<DefinitionRow>& rows) {
  for (const std::string_view part : {"noun", "verb", "adj", "adv"}) {
    context.report({"reading WordNet", rows.size(), 0, "definitions"});
    for (const Synset& synset :
         read_synsets(open_decompressed(fmt::format("{}/data.{}", directory, part)))) {
      add_row(split_of(synset.id, kDevPermille, kTestPermille), synset.words, synset.definition,
              rows);
    }
  }
}

void add_dictionary(const Context& context, const std::string& directory,
                    const Dictionary& dictionary, std::vector<DefinitionRow>& rows) {
  const std::string stage = fmt::format("reading {}", dictionary.name);
  const Dictd dictd = Dictd::open(directory, std::string(dictionary.name));
  for (std::size_t i = 0; i < dictd.size(); ++i) {
    for (const Sense& sense : dictionary.parse(dictd[i])) {
      add_row(Split::kTrain, sense.words, sense.definition, rows);
    }
    constexpr std::size_t kReportEvery = 1000;
    if (i % kReportEvery == 0) context.report({stage, i, dictd.size(), "entries"});
  }
}

WordForms read_forms(const std::string& directory) {
  WordForms forms;
  for (const std::string_view part : {"noun", "verb", "adj", "adv"}) {
    forms.add_exceptions(open_decompressed(fmt::format("{}/{}.exc", directory, part)));
  }
  return forms;
}

std::vector<std::string> describe(const DefinitionLosses& losses) {
  return {fmt::format("left out: {} definitions of under two words without the headword, {} "
                      "repeated ones,",
                      losses.too_short, losses.repeated),
          fmt::format("  {} that more than ten words share, {} near-duplicates of held-out ones of "
                      "the same word,",
                      losses.ambiguous, losses.near_duplicates),
          fmt::format("  {} words with fewer than two training definitions", losses.rare_labels)};
}

}  // namespace

std::vector<std::string> reverse_dictionary_packages() {
  std::vector<std::string> packages = {"wordnet-base"};
  for (const Dictionary& dictionary : kDictionaries) packages.emplace_back(dictionary.package);
  return packages;
}

TaskResult build_reverse_dictionary(const Context& context, const ReverseDictionaryOptions& options,
                                    const TaskOutput& output) {
  OutputDirectory directory(output.directory, output.existing);
  std::vector<DefinitionRow> definitions;
  const WordForms forms = read_forms(options.wordnet);
  add_wordnet(context, options.wordnet, definitions);
  for (const Dictionary& dictionary : kDictionaries) {
    add_dictionary(context, options.dictd, dictionary, definitions);
  }
  context.report({"guarding", 0, definitions.size(), "definitions"});
  TaskResult result;
  result.notes = describe(guard_definitions(context, forms, definitions));
  std::vector<TextRow> rows;
  rows.reserve(definitions.size());
  for (DefinitionRow& row : definitions) {
    rows.push_back({row.split, {std::move(row.text)}, std::move(row.labels)});
  }
  write_text_rows(context, directory, {"text"}, std::move(rows), result);
  write_marker(directory, "reverse-dictionary", options.versions, result);
  directory.commit();
  return result;
}

}  // namespace mhe::tasks
