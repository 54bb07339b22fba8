#!/usr/bin/env bash
# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs the build tree $MHE_BINARY_DIR into a scratch prefix and builds a consumer and the
# examples against it.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$MHE_BINARY_DIR" --prefix "$scratch/prefix" >/dev/null
"$scratch/prefix/bin/mhe" --version

# The man page names every verb and flag that the program's help does.
gzip -dc "$scratch/prefix/share/man/man1/mhe.1.gz" >"$scratch/mhe.1"
sed 's/\\-/-/g; s/\\f[BR]//g' "$scratch/mhe.1" >"$scratch/plain.1"
for words in train predict "bench heads" "data synthetic"; do
  grep -q "^.SS \"mhe $words " "$scratch/plain.1"
  # shellcheck disable=SC2086  # a subcommand is two words
  "$MHE" $words --help | grep -oE '^  (-[a-z],)?--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+' >"$scratch/flags"
  while read -r flag; do
    grep -qE -- "^(-[a-z], )?$flag( |,|$)" "$scratch/plain.1" || { echo "the man page lacks $flag"; exit 1; }
  done <"$scratch/flags"
done
if command -v groff >/dev/null; then
  groff -man -ww -Tutf8 "$scratch/mhe.1" 2>"$scratch/warnings" >/dev/null
  [[ ! -s $scratch/warnings ]] || { cat "$scratch/warnings"; exit 1; }
fi

cmake -S "$MHE_SOURCE_DIR/tests/consumer" -B "$scratch/build" -G Ninja \
  -DMHE_EXAMPLES_DIR="$MHE_SOURCE_DIR/examples" -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$scratch/build" >/dev/null
"$scratch/build/consumer"
"$scratch/build/plugin_user"
for example in "$scratch"/build/example_*; do
  bash "$MHE_SOURCE_DIR/tests/example.sh" "${example##*/example_}" "$example"
done
bash "$MHE_SOURCE_DIR/tests/example.sh" predict "$scratch/build/predict_only"
for library in libzip liblzma libzstd libsimdjson libcrypto; do
  ! readelf -d "$scratch/build/predict_only" | grep -q "NEEDED.*$library" ||
    { echo "mhe::predict links $library"; exit 1; }
done
