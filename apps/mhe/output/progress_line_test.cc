// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "output/progress_line.h"

#include <gtest/gtest.h>

namespace mhe::app {
namespace {

const Progress kHalf = {"training", 500, 1000, "rows", "epoch 3 of 10, loss 0.25"};

TEST(ProgressBar, ShowsShareRateAndTimeLeft) {
  EXPECT_EQ(progress_bar(kHalf, 5, 100, BarStyle::kAscii),
            "training [##########          ] 50 %, 100 rows/s, 5 s left; epoch 3 of 10, loss 0.25");
}

TEST(ProgressBar, GivesWayToWordsWhereRoomIsShort) {
  EXPECT_EQ(progress_bar(kHalf, 5, 79, BarStyle::kAscii),
            "training [########       ] 50 %, 100 rows/s, 5 s left; epoch 3 of 10, loss 0.25");
  EXPECT_EQ(progress_bar(kHalf, 5, 68, BarStyle::kAscii),
            "training 50 %, 100 rows/s, 5 s left; epoch 3 of 10, loss 0.25");
  EXPECT_EQ(display_width(progress_bar(kHalf, 5, 30, BarStyle::kAscii)), 30U);
}

TEST(ProgressBar, NeverEndsWithinACharacter) {
  const Progress progress = {"reading ünïcödé.txt", 1, 0, "rows"};
  EXPECT_EQ(display_width(progress_bar(progress, 1, 13, BarStyle::kBlocks)), 13U);
}

TEST(ProgressWords, SayWhatIsKnown) {
  EXPECT_EQ(progress_words({"reading a", 0, 0, "rows"}, 1), "reading a");
  EXPECT_EQ(progress_words({"reading a", 2000, 0, "rows"}, 2),
            "reading a: 2,000 rows, 1,000 rows/s");
  EXPECT_EQ(progress_words(kHalf, 5),
            "training: 500 rows of 1,000 rows (50 %), 100 rows/s, 5 s left; epoch 3 of 10, loss "
            "0.25");
}

TEST(ProgressWords, GiveASlowRateItsDigits) {
  EXPECT_EQ(progress_words({"training level 1", 1, 4, "nodes"}, 2),
            "training level 1: 1 nodes of 4 nodes (25 %), 0.5 nodes/s, 6 s left");
}

}  // namespace
}  // namespace mhe::app
