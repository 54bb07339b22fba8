#!/usr/bin/env bash
# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# Writes the broken files that are not text into the directory $1.
set -euo pipefail
cd "$1"

xmc=$'2 3 2\n1 0:1\n0 2:1\n'
mkdir a_directory
: >empty.txt

# npy DESCR SHAPE ORDER: the header of an array, to be followed by its bytes.
npy() {
  local header="{'descr': '$1', 'fortran_order': $3, 'shape': $2, }"
  printf '\x93NUMPY\x01\x00'
  printf "\\x$(printf %02x $((${#header} + 1)))\\x00"
  printf '%s\n' "$header"
}
one='\x00\x00\x80\x3f'  # 1.0F

{ npy '<f4' '(2, 2)' False; printf "$one$one$one"; } >short.npy
{ npy '<f4' '(1, 1)' False; printf "$one$one"; } >long.npy
{ npy '>f4' '(1, 1)' False; printf "$one"; } >big_endian.npy
{ npy '<f4' '(2, 2)' True; printf "$one$one$one$one"; } >fortran.npy
{ npy '<c8' '(1, 1)' False; printf "$one$one"; } >complex.npy
{ npy '|O' '(1,)' False; printf "$one"; } >object.npy
{ npy '<f4' '(2, 2, 2)' False; } >three_dimensions.npy
{ npy '<f4' '(-1, 2)' False; } >negative_shape.npy
{ npy '<f4' '(888888888888888888, 888888888888888888)' False; } >huge_shape.npy
{ npy '<f4' '(1, 200000000)' False; printf "$one"; } >wide.npy
{ npy '<f4' '(1, 1)' False; printf '\x00\x00\xc0\x7f'; } >nan.npy
printf '\x93NUMPY' >magic_only.npy
printf '\x93NUMPY\x09\x00\x00\x00' >version.npy
printf '\x93NUMPY\x02\x00\xff\xff\xff\xff' >huge_header.npy
printf '\x93NUMPY\x01\x00\x05\x00hello' >no_header.npy
{ npy '<f4' '(2, 1)' False; printf "$one$one"; } >two_rows.npy
{ npy '<i8' '(1,)' False; printf '\x01\x00\x00\x00\x00\x00\x00\x00'; } >one_label.npy

printf 'PK\x03\x04 this is no archive' >no_archive.npz
printf 'PK\x05\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00' >empty.npz

printf '%s' "$xmc" | gzip -nc >good.gz
head -c 20 good.gz >cut.gz
{ cat good.gz; printf 'and more'; } >garbage_behind.gz
printf '\x1f\x8b\x08\x00not deflate at all' >damaged.gz
printf '%s' "$xmc" | xz -c >good.xz
head -c 40 good.xz >cut.xz
{ head -c 24 good.xz; printf '\xff\xff\xff\xff'; tail -c +29 good.xz; } >damaged.xz
printf '\xfd7zXZ\x00' >magic_only.xz
printf '\x28\xb5\x2f\xfd' >magic_only.zst
printf '\x28\xb5\x2f\xfd\x20\x05\x07\x00\x00' >damaged.zst  # a block of the type that is reserved
printf '3 3 2\n1 0:1\n' | gzip -nc >too_few_rows.gz

printf '1 3 2\n1 0:1 \x00\x01\x02:3\n' >control_bytes.txt
printf '__label__a ok\n__label__b \xff\xfe\n' >not_utf8.ft
printf 'labels\ttext\na\tok\nb\tbad \xc3\n' >not_utf8.tsv
printf '{"labels":["a"],"text":"\xff"}\n' >not_utf8.jsonl
printf 'one\ntwo \x80\n' >not_utf8_texts.txt
printf '\x7fELF\x02\x01\x01\x00\x00\x00binary' >program.bin
