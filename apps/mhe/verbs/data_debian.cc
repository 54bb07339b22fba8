// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The tasks of `mhe data` that are made from Debian's packages.
#include <memory>
#include <string>

#include "tasks/cjk_glyphs.h"
#include "tasks/debian_deps.h"
#include "tasks/reverse_dictionary.h"
#include "verbs/data.h"
#include "verbs/debian_packages.h"

namespace mhe::app {
namespace {

void add_install_flag(CLI::App& command, TaskFlags& flags) {
  command.add_flag("--install", flags.install,
                   "Get what is missing with apt-get, as root or through sudo");
}

}  // namespace

BuildTask add_cjk_glyphs(CLI::App& command, TaskFlags& common) {
  auto options = std::make_shared<tasks::CjkGlyphsOptions>();  // shared: outlives the parser
  add_install_flag(command, common);
  command.add_option("--fonts", options->fonts, "Directory of the fonts")->capture_default_str();
  command
      .add_option("--variants", options->variants, "Pictures of each character and training face")
      ->capture_default_str();
  command
      .add_option("--every", options->every,
                  "Only characters whose code point is a multiple of this: 6 leaves 3,496")
      ->capture_default_str();
  return [&common, options](Console& console, const Context& context,
                            const tasks::TaskOutput& output) {
    if (options->fonts == tasks::CjkGlyphsOptions().fonts) {
      options->versions = need_packages(console, tasks::cjk_font_packages(), common.consent());
    }
    return tasks::build_cjk_glyphs(context, *options, output);
  };
}

BuildTask add_debian_deps(CLI::App& command, TaskFlags& common) {
  auto options = std::make_shared<tasks::DebianDepsOptions>();  // shared: outlives the parser
  auto take_short = std::make_shared<bool>(false);
  add_install_flag(command, common);
  command.add_option("--lists", options->lists, "Directory of apt's index")->capture_default_str();
  command.add_flag("--short", *take_short, "First lines of the descriptions only");
  command
      .add_option("--min-label-count", options->min_label_count,
                  "Leave out labels of fewer packages")
      ->capture_default_str();
  return [&common, options, take_short](Console& console, const Context& context,
                                        const tasks::TaskOutput& output) {
    options->descriptions = *take_short ? tasks::Descriptions::kShort : tasks::Descriptions::kLong;
    const bool is_system = options->lists == tasks::DebianDepsOptions().lists;
    if (is_system && !*take_short && tasks::find_apt_index(options->lists).translations.empty()) {
      fetch_descriptions(console, common.consent());
    }
    return tasks::build_debian_deps(context, *options, output);
  };
}

BuildTask add_reverse_dictionary(CLI::App& command, TaskFlags& common) {
  auto options =
      std::make_shared<tasks::ReverseDictionaryOptions>();  // shared: outlives the parser
  add_install_flag(command, common);
  command.add_option("--wordnet", options->wordnet, "Directory of WordNet's files")
      ->capture_default_str();
  command.add_option("--dictd", options->dictd, "Directory of the dictionaries")
      ->capture_default_str();
  return [&common, options](Console& console, const Context& context,
                            const tasks::TaskOutput& output) {
    const tasks::ReverseDictionaryOptions defaults;
    // Files from elsewhere need no packages.
    if (options->wordnet == defaults.wordnet && options->dictd == defaults.dictd) {
      options->versions =
          need_packages(console, tasks::reverse_dictionary_packages(), common.consent());
    }
    return tasks::build_reverse_dictionary(context, *options, output);
  };
}

}  // namespace mhe::app
