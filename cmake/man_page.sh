#!/bin/sh
# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# Makes the man page from the program's own help: man_page.sh MHE PAGE asks MHE for its help and that
# of each verb and subcommand, and writes PAGE and PAGE.gz.
set -eu
mhe=$1
page=$2

subcommands() { "$mhe" "$@" --help | awk '/^Subcommands:/ { on = 1; next } on && /^  [a-z]/ { print $1 } on && /^$/ { exit }'; }
help_of() {
  printf '\001mhe %s\n' "$*"
  "$mhe" "$@" --help-all 2>/dev/null || "$mhe" "$@" --help
}

helps=$(
  help_of
  for verb in $(subcommands); do
    help_of "$verb"
    for part in $(subcommands "$verb"); do help_of "$verb" "$part"; done
  done
)
printf '%s\n' "$helps" | awk -v version="$("$mhe" --version)" '
  function escaped(text) {
    gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text)
    if (text ~ /^[.\047]/) text = "\\&" text
    return text
  }
  function bold(text) { return "\\fB" escaped(text) "\\fR" }
  function italic(text) { return "\\fI" escaped(text) "\\fR" }

  # An option or a verb: its name, what it takes, and what is said of it.
  function item(name, about,    n, names, i, head, rest) {
    i = index(name, " ")
    rest = i ? substr(name, i + 1) : ""
    if (i) name = substr(name, 1, i - 1)
    n = split(name, names, ",")
    for (i = 1; i <= n; ++i) head = head (i > 1 ? ", " : "") bold(names[i])
    if (sub(/ ?\(required\)/, "", rest)) about = about " (required)"
    if (match(rest, / ?Excludes: .*/)) {
      about = about " (not with" substr(rest, RSTART + 10) ")"
      rest = substr(rest, 1, RSTART - 1)
    }
    return ".TP\n" head (rest != "" ? " " italic(rest) : "") "\n" escaped(about) "\n"
  }

  # What is gathered of a group goes to the text of a command. A group that an earlier command has as
  # well is only named.
  function end_item() {
    if (name != "") items = items item(name, about)
    name = about = ""
  }
  function end_group(    text) {
    end_item()
    if (items == "") return
    text = items
    items = ""
    if (group == "Subcommands" && command == "mhe") { verbs = text; return }
    if (group == "Options" && command == "mhe") { options = text; return }
    if (group !~ /^(Positionals|Options|Subcommands)$/) {
      if ((group, text) in seen) {
        body = body ".PP\n" escaped(group) ": as for " bold(seen[group, text]) "\n"
        return
      }
      seen[group, text] = command
    }
    body = body ".PP\n" escaped(group == "Positionals" ? "Arguments" : group) ":\n" text
  }
  function end_command() {
    end_group()
    if (command == "") return
    if (command == "mhe") { about_all = description; footer_all = footer }
    else {
      commands = commands ".SS \"" escaped(usage) "\"\n" escaped(description) "\n" body
      if (footer != "") commands = commands ".PP\n" escaped(footer) "\n"
    }
    body = description = usage = footer = ""
  }

  /^\001/ { end_command(); command = substr($0, 2); sub(/ $/, "", command); part = "description"; next }
  /^Examples:$/ { end_group(); part = "examples"; next }
  part == "examples" { next }
  /^$/ { end_item(); was_blank = 1; next }
  /^Usage: / { usage = substr($0, 8); part = "usage"; next }
  part == "description" { description = description (description == "" ? "" : " ") $0; next }
  /^[^ ].*:$/ && was_blank { end_group(); group = substr($0, 1, length($0) - 1); part = "group"; was_blank = 0; next }
  /^[^ ]/ { end_group(); footer = footer (footer == "" ? "" : " ") $0; next }
  { was_blank = 0 }
  /^  [^ ]/ {
    end_item()
    # Names have 28 columns; a longer one has a line to itself.
    name = substr($0, 3); about = ""
    if (substr($0, 30, 1) == " " && length($0) > 30) { name = substr($0, 3, 27); about = substr($0, 31); sub(/ +$/, "", name) }
    # Every command has --help; a page need not say so each time.
    if (name ~ /^-h,--help/ && command != "mhe") name = about = ""
    next
  }
  { sub(/^ +/, ""); if (name != "") about = about (about == "" ? "" : " ") $0 }

  END {
    end_command()
    sub(/^mhe /, "", version)
    printf ".TH MHE 1 \"\" \"mhe %s\" \"User Commands\"\n", version
    print ".nh\n.ad l"  # no hyphens that are not there
    print ".SH NAME\nmhe \\- classification with very many labels"
    print ".SH SYNOPSIS\n.B mhe\n.I VERB\n.RI [ OPTIONS ]\n.RI [ FILE .\\|.\\|.]"
    print ".SH DESCRIPTION\n" escaped(about_all)
    print ".PP\nResults go to standard output, everything else to standard error. The file name \\- is standard"
    print "input or output."
    print ".PP\n" escaped(footer_all)
    printf ".SH OPTIONS\n%s", options
    printf ".SH VERBS\n%s", verbs
    printf ".SH COMMANDS\n%s", commands
    print ".SH EXIT STATUS\n.TP\n0\nAll went well.\n.TP\n1\nThe data, a file or the machine was at fault.\n.TP\n2\nThe command line was."
    print ".SH EXAMPLES\n.EX"
    print "mhe train reviews.csv \\-\\-text title,body \\-\\-labels tags \\-\\-out reviews.mhe"
    print "mhe eval reviews.mhe test.csv \\-\\-labels tags"
    print "echo \"some text\" | mhe predict reviews.mhe \\-k 5\n.EE"
  }' >"$page"
gzip -9nc "$page" >"$page.gz"  # n: no name and no time, so the same page gives the same file
