#!/usr/bin/env bash
# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs the commands of a guide: guides.sh FILE.md. Blocks run one after the other in one scratch
# directory, with `mhe` on the PATH:
#   ```sh        commands; they must succeed
#   ```console   commands behind "$ " and what they print, on either stream. "..." in what they
#                print stands for anything: times, memory, lines that say nothing new. Numbers
#                with a decimal point may be others: accuracy moves as training gets better
# Other blocks are not run.
set -uo pipefail
guide=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/work" "$scratch/steps"
ln -s "$MHE" "$scratch/bin/mhe"

# Each command becomes steps/NNN.sh, what it must print steps/NNN.out (console blocks only).
awk -v steps="$scratch/steps" '
  function begin_step() { step = sprintf("%s/%03d", steps, ++count); printf "" > (step ".sh"); print NR > (step ".line") }
  /^```/ && kind == "" { kind = substr($0, 4); if (kind == "sh") begin_step(); if (kind == "") kind = "other"; next }
  /^```/ { kind = ""; continued = 0; next }
  kind == "sh" { print > (step ".sh") }
  kind == "console" && (/^\$ / || continued) {
    if (!continued) { begin_step(); printf "" > (step ".out"); sub(/^\$ /, "") }
    print > (step ".sh"); continued = /\\$/; next
  }
  kind == "console" { print > (step ".out") }
  END { if (kind != "") { print "a block is not closed"; exit 1 } }
' "$guide" || exit 1

# Without what may differ: decimals, and the blanks that make columns of them.
mask() { sed -E 's/[0-9]+\.[0-9]+(e-[0-9]+)?/#/g; s/ +/ /g; s/ $//'; }
# What is expected as a pattern of the shell.
pattern_of() { mask <"$1" | sed -e 's/[][\*?\\]/\\&/g' -e 's/\.\.\./*/g'; }

status=0 count=0
for script in "$scratch"/steps/*.sh; do
  [[ -e $script ]] || { echo "$guide has no commands"; exit 1; }
  step=${script%.sh}
  actual=$(cd "$scratch/work" && PATH="$scratch/bin:$PATH" LC_ALL=C.UTF-8 COLUMNS=80 bash -eo pipefail "$script" 2>&1 </dev/null)
  code=$?
  where="$(basename "$guide"):$(cat "$step.line")"
  count=$((count + 1))
  if (( code != 0 )) && [[ ! -e $step.out ]]; then
    printf '%s: exit %d\n%s\n%s\n' "$where" "$code" "$(cat "$script")" "$actual"
    exit 1  # what follows builds on it
  fi
  [[ -e $step.out ]] || continue
  # shellcheck disable=SC2053 # a pattern is meant
  if [[ $(mask <<<"$actual") != $(pattern_of "$step.out") ]]; then
    printf '%s: prints something else\n' "$where"
    diff -u --label guide --label actual "$step.out" <(printf '%s\n' "$actual")
    status=1
  fi
done
(( status == 0 )) && echo "$count steps of $(basename "$guide") pass"
exit $status
