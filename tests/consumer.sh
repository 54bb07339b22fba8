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
cmake -S "$MHE_SOURCE_DIR/tests/consumer" -B "$scratch/build" -G Ninja \
  -DMHE_EXAMPLES_DIR="$MHE_SOURCE_DIR/examples" -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$scratch/build" >/dev/null
"$scratch/build/consumer"
bash "$MHE_SOURCE_DIR/tests/example_predict.sh" "$scratch/build/example_predict"
bash "$MHE_SOURCE_DIR/tests/example_train.sh" "$scratch/build/example_train"
