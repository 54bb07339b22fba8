// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "flags/data_flags.h"

#include <fmt/format.h>

#include <mhe/dataset.h>
#include <mhe/error.h>

#include "flags/checks.h"
#include "flags/usage_error.h"

namespace mhe::app {

void add_data_flags(CLI::App& command, DataFlags& flags) {
  const std::size_t others = command.get_options().size();
  command
      .add_option(
          "--format", flags.format,
          "xmc, xmc-pair, svmlight, fasttext, csv, tsv, jsonl, text, npy or npz; auto: by content")
      ->capture_default_str();
  command.add_option("--label-file", flags.label_file,
                     "Second file with the labels of the rows, a line each (or a label matrix)");
  command
      .add_option("--columns", flags.columns,
                  "Names of the columns of a CSV or TSV file that has no header line")
      ->delimiter(',');
  command.add_option("--text", flags.text, "Columns (JSON: keys) that hold text, in this order")
      ->delimiter(',');
  command.add_option("--labels", flags.labels, "Column (JSON: key) that holds the labels");
  command.add_option("--label-separator", flags.label_separator,
                     "What separates labels: characters, or tab, space, comma, none; if not given, "
                     "guessed from the first rows");
  command.add_option("--label-prefix", flags.label_prefix, "How a label of a fastText file starts")
      ->default_str("__label__")
      ->check([](const std::string& text) {
        return text.empty() ? std::string("expected at least one character") : std::string();
      });
  command.add_option("--id", flags.id, "Column (JSON: key) that holds the rows' own ids");
  command
      .add_option("--index-base", flags.index_base,
                  "First feature id of sparse text: 0 or 1; if not given, ids stay as they are")
      ->check(whole_between(0, 1));
  command
      .add_option("--skip-bad", flags.skip_bad,
                  "How many bad lines to skip and report before giving up")
      ->capture_default_str();
  const std::vector<CLI::Option*> all = command.get_options();
  for (std::size_t i = others; i < all.size(); ++i) all[i]->group("Reading data");
}

void add_own_flag(CLI::App& command, std::vector<std::string>& own) {
  command.add_option("--own", own,
                     "A text column that gets features of its own beside the common ones, their "
                     "weight, and what they are: title=2, or text=1:first=3:chars=3-5 for "
                     "character n-grams of the first three words; may be repeated");
}

ReadOptions make_read_options(const DataFlags& flags, const std::string& path) {
  ReadOptions options;
  options.path = path;
  try {
    options.format = parse_format(flags.format);
  } catch (const Error& error) {
    throw UsageError(std::string("--format: ") + error.what());
  }
  options.label_path = flags.label_file;
  options.columns = flags.columns;
  options.text_columns = flags.text;
  options.label_column = flags.labels;
  options.id_column = flags.id;
  options.label_separator = parse_label_separator(flags.label_separator);
  options.label_prefix = flags.label_prefix;
  if (flags.index_base >= 0) options.index_base = static_cast<std::uint32_t>(flags.index_base);
  options.skip_bad = flags.skip_bad;
  if (options.path == "-" && options.label_path == "-") {
    throw UsageError("standard input cannot be both the data and its --label-file");
  }
  return options;
}

std::string parse_label_separator(const std::string& text) {
  if (text == "tab" || text == "\\t") return "\t";
  if (text == "space") return " ";
  if (text == "comma") return ",";
  if (text == "none") return "\n";  // never inside a line, so nothing is split
  return text;
}

}  // namespace mhe::app
