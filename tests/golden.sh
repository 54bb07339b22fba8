#!/usr/bin/env bash
# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs one end-to-end case: golden.sh CASE_DIR. The folder holds
#   cmd      shell commands, run in a scratch copy of the folder with `mhe` on the PATH
#   stdout   what they print (absent: anything)
#   stderr   what they say, without the closing line of times and memory (absent: anything)
#   exit     their exit code (absent: 0)
# UPDATE=1 writes stdout, stderr and exit anew; read the difference before you commit it.
set -uo pipefail
case_dir=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/work"
ln -s "$(realpath "$MHE")" "$scratch/bin/mhe"
cp -R "$case_dir/." "$scratch/work"
cd "$scratch/work"

PATH="$scratch/bin:$PATH" LC_ALL=C.UTF-8 bash ./cmd >"$scratch/stdout" 2>"$scratch/stderr.all" </dev/null
echo $? >"$scratch/exit"
[[ $(cat "$scratch/exit") == 77 ]] && { cat "$scratch/stderr.all"; exit 77; }  # the case skips itself
grep -vE '^mhe: .* s wall, .* peak memory$' "$scratch/stderr.all" >"$scratch/stderr"

if [[ ${UPDATE:-} == 1 ]]; then
  cp "$scratch/stdout" "$case_dir/stdout"
  rm -f "$case_dir/stderr" "$case_dir/exit"
  [[ -s $scratch/stderr ]] && cp "$scratch/stderr" "$case_dir/stderr"
  [[ $(cat "$scratch/exit") == 0 ]] || cp "$scratch/exit" "$case_dir/exit"
  exit 0
fi
status=0
for part in stdout stderr exit; do
  expected="$case_dir/$part"
  if [[ ! -e $expected ]]; then
    [[ $part == exit ]] || continue
    [[ $(cat "$scratch/exit") == 0 ]] || { echo "exit $(cat "$scratch/exit"), expected 0"; cat "$scratch/stderr.all"; status=1; }
    continue
  fi
  diff -u --label "expected $part" --label "actual $part" "$expected" "$scratch/$part" || status=1
done
exit $status
