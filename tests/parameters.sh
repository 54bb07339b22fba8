#!/usr/bin/env bash
# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# docs/parameters.md lists the options of `mhe train` as its help does; both follow from `visit` of
# include/mhe/train.h. UPDATE=1 writes the page.
set -euo pipefail
root=${MHE_SOURCE_DIR:-$(realpath "$(dirname "$0")/..")}
page=$root/docs/parameters.md
made=$(mktemp)
trap 'rm -f "$made"' EXIT

"$MHE" train --help-all | awk '
  function fail(what) { print "parameters.sh: " what > "/dev/stderr"; failed = 1; exit 1 }
  function begin_table(title, text) {
    printf "\n## %s\n\n%s\n\n| option | default | meaning |\n|---|---|---|\n", title, text
    in_table = 1; ++tables
  }
  function end_option() {
    if (names == "") return
    gsub(/\|/, "\\|", meaning)
    if (meaning == "") fail(names " has no description")
    if (match(meaning, /; [Dd]efault: .*/)) {
      value = substr(meaning, RSTART + 11)
      meaning = substr(meaning, 1, RSTART - 1)
    }
    printf "| %s | %s | %s |\n", names, value, meaning
    names = ""; ++options
  }
  BEGIN {
    print "# Options of training\n"
    print "Every option of `mhe train` but those for [reading data](formats.md), with the values of"
    print "`--preset default`. In C++ those that decide the model are fields of `TrainOptions` in"
    print "`mhe/train.h`, with `_` for `-`; there 0, -1 or `auto` stand for a default that follows from the data, as"
    print "[training](train.md) and [learned encoders](learned.md) say. Words such as head and candidates"
    print "are in the [glossary](architecture.md#glossary)."
    print "\n`tests/parameters.sh` makes this page from `mhe train --help-all`: `UPDATE=1` writes it."
  }
  /^[A-Z].*:$/ {
    end_option(); in_table = 0
    if ($0 == "Options:") begin_table("What most use", "These are what `mhe train --help` shows.")
    else if ($0 == "The run:") begin_table("The run", "How the training runs.")
    else if ($0 == "Every encoder:") begin_table("Every encoder", "What all encoders have.")
    else if ($0 == "Only with --encoder linear:") begin_table("Linear solver", "For `linear` members only.")
    else if ($0 == "Only with --encoder bag or dense:") begin_table("Training with gradients", "For `bag` and `dense` members only.")
    else if ($0 == "Text to features:") begin_table("Text", "How [text](text.md) becomes features.")
    else if ($0 != "Positionals:" && $0 != "Reading data:" && $0 != "Examples:") fail("no table for the group \"" $0 "\"")
    next
  }
  !in_table { next }
  /^  -/ {
    end_option()
    line = substr($0, 3); value = ""
    if (line ~ /^(-h,|--help)/) { names = ""; next }
    if (!match(line, /^[^ ]+/)) fail("cannot read: " $0)
    names = substr(line, 1, RLENGTH); line = substr(line, RLENGTH + 1)
    sub(/^ +/, "", line)
    if (substr($0, 30, 1) == " ") line = substr($0, 31); else line = ""
    gsub(/,/, "`, `", names); names = "`" names "`"
    sub(/^ +/, "", line); meaning = line
    next
  }
  /^ +[^ ]/ && names != "" { sub(/^ +/, ""); meaning = meaning (meaning == "" ? "" : " ") $0 }
  END {
    if (failed) exit 1
    end_option()
    if (tables != 6 || options < 60) fail("help has " tables " tables and " options " options; expected 6, and more than 60")
  }
' >"$made"

if [[ -n ${UPDATE-} ]]; then
  cp "$made" "$page"
  chmod 644 "$page"
elif ! diff -u "$page" "$made" >&2; then
  echo "docs/parameters.md is not what help says; UPDATE=1 tests/parameters.sh with MHE set writes it" >&2
  exit 1
fi
