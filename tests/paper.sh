#!/usr/bin/env bash
# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# docs/paper.md lists every numbered item of the paper once; the files, tests and commands that it
# names exist. A row is: | item | what it says | code | test | command | status |
set -euo pipefail
cd "${MHE_SOURCE_DIR:-$(realpath "$(dirname "$0")/..")}"
page=docs/paper.md
# What the paper prints, by the last number of each kind.
declare -A last=([Eq.]=45 [Theorem]=4 [Corollary]=1 [Algorithm]=4 [Table]=9 [Fig.]=12)

bad=0
complain() { echo "$page: $*" >&2; bad=1; }
trim() { sed -E 's/^ +//; s/ +$//' <<<"$1"; }
names_in() { grep -oE '`[^`]*`' <<<"$1" | tr -d '`' || true; }  # what stands in backticks

declare -A is_test=() flags_of=() listed=()
while read -r name; do is_test[$name]=1; done < <(
  find src apps tests -name '*_test.cc' -print0 | xargs -0 cat | tr -s '\n ' ' ' |
    grep -oE 'TEST(_F|_P)?\([A-Za-z0-9_]+, [A-Za-z0-9_]+\)' | sed -E 's/^.*\(//; s/, /./; s/\)$//')

check_command() {  # ITEM COMMAND
  local verb flag help
  verb=$(grep -oE '^mhe( [a-z][a-z0-9-]*)+' <<<"$2") || { complain "$1: \"$2\" is no command"; return; }
  if [[ -z ${flags_of[$verb]-} ]]; then
    help=$("$MHE" ${verb#mhe } --help-all 2>/dev/null || "$MHE" ${verb#mhe } --help)  # for an unknown verb that of the program
    [[ $help == *"Usage: $verb "* ]] || { complain "$1: there is no command \"$verb\""; return; }
    flags_of[$verb]=$(grep -oE -- '--[a-z0-9-]+' <<<"$help" | tr '\n' ' ')
  fi
  for flag in $(grep -oE -- ' --[a-z0-9-]+' <<<"$2" || true); do
    [[ " ${flags_of[$verb]}" == *" $flag "* ]] || complain "$1: \"$verb\" has no $flag"
  done
}

check_item() {  # ITEM, such as "Eq. 7" or "Eq. 21-23"
  local kind=${1% *} numbers=${1##* } number
  if [[ -z ${last[$kind]-} || ! $numbers =~ ^[0-9]+(-[0-9]+)?$ ]]; then
    complain "\"$1\" is no item; expected one such as \"Eq. 7\" or \"Eq. 21-23\""
    return
  fi
  for number in $(seq "${numbers%-*}" "${numbers#*-}"); do
    [[ -z ${listed[$kind $number]-} ]] || complain "$kind $number is listed twice"
    (( number <= last[$kind] )) || complain "the paper has no $kind $number"
    listed[$kind $number]=1
  done
}

rows=0
while IFS='|' read -r _ item _ code tests command status _; do
  item=$(trim "$item") status=$(trim "$status")
  rows=$((rows + 1))
  check_item "$item"
  while read -r name; do
    [[ -z $name || -f $name ]] || complain "$item: there is no file \"$name\""
  done < <(names_in "$code")
  while read -r name; do
    [[ -z $name || -n ${is_test[$name]-} || ( $name == tests/* && -e $name ) ]] ||
      complain "$item: there is no test \"$name\""
  done < <(names_in "$tests")
  while read -r name; do
    [[ -z $name ]] || check_command "$item" "$name"
  done < <(names_in "$command")
  case $status in
    done* | differs:*)
      [[ $code == *\`* && $tests == *\`* ]] || complain "$item: \"$status\" without a file and a test" ;;
    'open: needs a deep encoder'* | 'nothing to build'*) ;;
    *) complain "$item: \"$status\" is no status" ;;
  esac
done < <(grep -E '^\| (Eq\.|Theorem|Corollary|Algorithm|Table|Fig\.) ([^|]*\|){6}$' "$page")
for kind in "${!last[@]}"; do
  for number in $(seq "${last[$kind]}"); do
    [[ -n ${listed[$kind $number]-} ]] || complain "$kind $number is missing"
  done
done
while read -r link; do
  [[ -z $link || -e docs/$link ]] || complain "a link leads to \"$link\", which does not exist"
done < <(grep -oE '\]\([^)#]+' "$page" | cut -c3- | grep -v '^https:' || true)
(( bad )) || echo "$page: $rows rows"
exit $bad
