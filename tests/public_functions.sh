#!/usr/bin/env bash
# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# Do the examples together call every public function? public_functions.sh LIBRARY LIBRARY OBJECT...
# takes the two archives and the object files of the examples, and prints the functions of the
# headers in include/mhe that no example calls; there may be none. Looked at are functions that lie
# in the archives, not those that headers define.
set -euo pipefail
libraries=("$1" "$2") examples=("${@:3}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C

# Names that public parts of headers declare with a "(" after them, as "name" or "Class::name".
awk '
  FNR == 1 { scope = ""; hidden = 0 }
  /^(class|struct) [A-Za-z0-9]+.*\{$/ { scope = $2 "::"; hidden = /^class/ }
  /^};/ { scope = ""; hidden = 0 }
  /^ public:/ { hidden = 0 }
  /^ (private|protected):/ { hidden = 1 }
  /^ *\/\// || /^#/ || hidden { next }
  /&& other\) noexcept;/ || /[A-Za-z]+\([A-Za-z]+&&\) noexcept;/ || / ~/ { next }
  {
    sub(/ \/\/.*/, "")
    while (match($0, /(operator\(\)|operator\[\]|[A-Za-z_][A-Za-z0-9_]*) *\(/)) {
      name = substr($0, RSTART, RLENGTH - 1)
      print scope name
      $0 = substr($0, RSTART + RLENGTH)
    }
  }' "$MHE_SOURCE_DIR"/include/mhe/*.h | sort -u >"$scratch/declared"

nm --defined-only "${libraries[@]}" 2>/dev/null | awk 'NF == 3 && $2 == "T" { print $3 }' |
  grep -E '^_ZNK?3mhe' | grep -vE '[CD]2E' | sort -u >"$scratch/defined"
for example in "${examples[@]}"; do nm --undefined-only "$example"; done |
  awk '{ print $2 }' | sed -E 's/([CD])2E/\11E/' | sort -u >"$scratch/called"
c++filt <"$scratch/called" | sed -nE 's/^mhe::([A-Za-z]+::[A-Za-z]+)\(.*/\1/p' | sort -u >"$scratch/called_names"

comm -23 "$scratch/defined" "$scratch/called" | c++filt |
  sed -E 's/\[abi:[a-z0-9]+\]//g; s/^mhe:://' |
  awk -v declared="$scratch/declared" -v called="$scratch/called_names" '
    BEGIN {
      while ((getline name < declared) > 0) known[name] = 1
      while ((getline name < called) > 0) used[name] = 1
    }
    {
      name = $0
      sub(/\(\).*/, "()", name)                 # operator()
      if (name !~ /operator\(\)$/) { name = $0; sub(/\(.*/, "", name) }
      parts = split(name, part, "::")
      if (name ~ /~/ || name ~ /operator=/) next            # made by the compiler as it likes
      # One constructor is enough: others are private, or move.
      if (parts == 2 && part[1] == part[2] && name in used) next
      if (name in known) print
    }' | sort -u >"$scratch/missing"
echo "$(grep -c . "$scratch/declared") names are declared in public headers," \
  "$(grep -c . "$scratch/missing") functions behind them are called by no example"
cat "$scratch/missing"
[[ ! -s $scratch/missing ]]
