// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/word_forms.h"

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "memory_source.h"

namespace mhe::tasks {
namespace {

WordForms forms() {
  WordForms forms;
  forms.add_exceptions(
      data::make_memory_source("noun.exc", "mice mouse\naides-de-camp aide-de-camp\nwent go\n"));
  return forms;
}

TEST(WordForms, KnowsRegularAndIrregularInflections) {
  const WordForms known = forms();
  for (const auto& [word, headword] : {std::pair{"cats", "cat"},
                                       {"cat", "cat"},
                                       {"glasses", "glass"},
                                       {"churches", "church"},
                                       {"flies", "fly"},
                                       {"making", "make"},
                                       {"walked", "walk"},
                                       {"nicest", "nice"},
                                       {"happier", "happy"},
                                       {"firemen", "fireman"},
                                       {"mice", "mouse"},
                                       {"went", "go"}}) {
    EXPECT_TRUE(known.is_form_of(word, headword)) << word;
  }
  for (const auto& [word, headword] : {std::pair{"cat", "cats"},
                                       {"cattle", "cat"},
                                       {"walker", "talk"},
                                       {"mice", "house"},
                                       {"as", "a"},
                                       {"ed", "e"}}) {
    EXPECT_FALSE(known.is_form_of(word, headword)) << word;
  }
}

TEST(WordForms, TakesHeadwordsOutOfATextInAnyCase) {
  EXPECT_EQ(forms().remove_forms("To Walk, or one who walked; a walker's walk.", {"walk"}),
            "To , or one who ; a .");
  EXPECT_EQ(forms().remove_forms("the mouse's mice eat", {"mouse"}), "the eat");
}

TEST(WordForms, TakesOutExpressionsAsAWholeOnly) {
  EXPECT_EQ(forms().remove_forms("jet planes and jumbo-jets of jumbo size", {"jumbo jet"}),
            "jet planes and of jumbo size");
}

TEST(WordForms, LeavesATextWithoutItsHeadwordAlone) {
  EXPECT_EQ(forms().remove_forms("a b c", {"x", "?"}), "a b c");
  EXPECT_EQ(forms().remove_forms("", {"x"}), "");
}

TEST(WordForms, RefusesAFormWithoutBase) {
  WordForms broken;
  EXPECT_THROW(broken.add_exceptions(data::make_memory_source("x", "mice\n")), Error);
}

}  // namespace
}  // namespace mhe::tasks
