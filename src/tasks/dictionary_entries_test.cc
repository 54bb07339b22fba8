// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/dictionary_entries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mhe::tasks {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "word: definition" for each sense.
std::vector<std::string> lines_of(const std::vector<Sense>& senses) {
  std::vector<std::string> lines;
  for (const Sense& sense : senses) {
    std::string line;
    for (const std::string& word : sense.words) line += (line.empty() ? "" : "/") + word;
    lines.push_back(line + ": " + sense.definition);
  }
  return lines;
}

TEST(Gcide, TakesDefinitionsWithoutQuotationsNotesAndExamples) {
  EXPECT_THAT(lines_of(parse_gcide_entry(R"(Gadget \Gad"get\ (g[a^]j"[e^]t), n.; pl. {Gadgets}. [OF.
   gagette a small catch. See {Gage}, n.]
   1. (Mach.) A small {device}; as, a gadget
      to open tins. [Colloq.]
      [1913 Webster]

            What gadget is this, my lord?         --Anon.
      [1913 Webster]

   2. A thing; -- used when its name is forgotten. --Smith.
      [PJC]

   Note: Also spelled gadjet.
         [1913 Webster]

   Syn: Contraption.
)")),
              ElementsAre("Gadget: (Mach.) A small device",
                          "Gadget: A thing; -- used when its name is forgotten."));
}

TEST(Gcide, DropsSensesTakenFromWordNet) {
  EXPECT_THAT(
      lines_of(parse_gcide_entry("gizmo \\gizmo\\ n.\n   1. a copied sense.\n\n   Syn: "
                                 "gismo.\n        [WordNet 1.5 +PJC]\n\n   2. our own sense.\n"
                                 "      [PJC]\n")),
      ElementsAre("gizmo: our own sense."));
}

TEST(Gcide, ReadsExpressionsAndLeavesOutReferences) {
  EXPECT_THAT(
      lines_of(parse_gcide_entry("Ball \\Ball\\, n.\n   A sphere.\n   [1913 Webster]\n\n"
                                 "   {Ball valve} (Mach.), a valve with a\n      {ball} in it.\n\n"
                                 "   {To ball up}, to confuse.\n   {Ball cock}. See {Cock}.\n\n"
                                 "   2. (Bot.) See {Globe}.\n   [1913 Webster]\n")),
      ElementsAre("Ball: A sphere.", "Ball valve: (Mach.), a valve with a ball in it.",
                  "ball up: to confuse."));
}

TEST(Foldoc, TakesTheFirstParagraphForAllHeadwords) {
  EXPECT_THAT(lines_of(parse_foldoc_entry("Frob\nfrobnicate\n\n   <jargon, tool> To {tweak}\n   "
                                          "aimlessly.\n\n   More.\n\n   (1999-01-01)\n")),
              ElementsAre("Frob/frobnicate: To tweak aimlessly."));
  EXPECT_THAT(parse_foldoc_entry("x\n\n   <tool> See {y}.\n"), IsEmpty());
}

TEST(Wikdict, TakesGlossesAndNotTranslations) {
  EXPECT_THAT(
      lines_of(parse_wikdict_entry("fond //f// <n>\n1. malli 2.\nbackground of lace\n 3.\n"
                                   "group of records\n2. liemi\n3. fondi\nused in cooking\n"
                                   "   Synonyms: {x}\n")),
      ElementsAre("fond: background of lace", "fond: group of records", "fond: used in cooking"));
  EXPECT_THAT(lines_of(parse_wikdict_entry("all right <adv>\nkunnossa\nin good order\n")),
              ElementsAre("all right: in good order"));
}

TEST(DictionaryEntries, OddOnesGiveNothing) {
  for (const std::string_view entry : {"", "\n\n", "x", " \\", "   [", "a\n", "{"}) {
    EXPECT_THAT(parse_gcide_entry(entry), IsEmpty()) << entry;
    EXPECT_THAT(parse_foldoc_entry(entry), IsEmpty()) << entry;
    EXPECT_THAT(parse_wikdict_entry(entry), IsEmpty()) << entry;
  }
}

}  // namespace
}  // namespace mhe::tasks
