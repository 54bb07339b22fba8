#!/usr/bin/env bash
# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# Do two versions of the program train the same models, bit for bit? same_bits.sh BEFORE AFTER takes
# two mhe binaries, trains every command of the table below with both on data that it generates, and
# compares the files and what both programs predict with both. For changes that must not change
# results. Prints a Markdown table and exits 1 if anything differs. It is run by hand: it needs two
# binaries, and takes half a minute.
#
# The same are: every tensor, byte for byte; every metadata record, but for the version of the
# program. The record `options` may have keys in one file only, which are listed; those in both have
# equal values, unless that of BEFORE left it open (0, -1, "auto" or an empty list, as older versions
# wrote them). The records `data` and `command`, how data was read and what was asked for, may be in
# one file only.
#
#   SAME_BITS_DATA=DIR   also train on real data, the folders eurlex57k and deb-dep in DIR: two minutes
#   SAME_BITS_ONLY=REGEX only the commands whose name matches
#   SAME_BITS_KEEP=DIR   work in DIR, and leave data, models and logs there
#   SAME_BITS_PYTHON=    empty: compare files without python3, by what `mhe inspect --json` tells
set -euo pipefail
(( $# == 2 )) || { echo "usage: $0 BEFORE AFTER (two mhe binaries)" >&2; exit 2; }
before=$(realpath "$1") after=$(realpath "$2")
python=${SAME_BITS_PYTHON-python3}
command -v "$python" >/dev/null || python=
export LC_ALL=C.UTF-8

# A line a training: name | flags of `mhe train` | those of AFTER, or = | data and flags of `mhe
# predict` | those of AFTER, or =. Where versions differ in the name of a flag, write AFTER's own.
# A name that begins with "resume" is killed once it has something to go on from, then resumed.
commands() {
  cat <<'END'
linear one-hot            | sparse.txt | = | sparse.test.txt | =
linear cascade            | sparse.txt --head cascade --lengths 20,20 --neighbours 0.2 | = | sparse.test.txt --tail 0.5 | =
linear cascade, 3 levels  | sparse.txt --lengths 8,8,8 --candidates 4 --beam 6 --parent-power 0.5 | sparse.txt --lengths 8,8,8 --candidates 4 --beam 6 --parent-weight 0.5 | sparse.test.txt --beam 3 | =
linear fast               | sparse.txt --preset fast | = | sparse.test.txt | =
linear best               | sparse.txt --preset best --head cascade | = | sparse.test.txt | =
linear held-out 0         | sparse.txt --head cascade --held-out 0 --ensemble 2 --seed 7 | = | sparse.test.txt | =
linear valid              | sparse.txt --valid sparse.test.txt --head cascade | = | sparse.test.txt | =
linear min-label-count    | sparse.txt --min-label-count 5 --prune-strength 2 --sweeps 5 | = | sparse.test.txt | =
linear feature-weights    | scales.svm --feature-weights scaled --loss-weight 3 | = | scales.svm --threshold 0.1 | =
linear feature-weights roots | scales.svm --feature-weights root-idf --head cascade | = | scales.svm | =
linear csv                | notes.csv --text title,body --labels tags --label-separator ; | = | notes.csv --text title,body --labels tags --label-separator ; --json | =
linear csv, own, names    | notes.csv --text title,body --labels tags --label-separator ; --own title=2 --own body=1:first=2:chars=3-4 --label-text yes --head cascade | = | notes.csv --text title,body --labels tags --label-separator ; | =
linear text, n-grams      | notes.txt --label-file notes.labels --char-min 3 --char-max 4 --hash-bits 14 --min-df 1 | = | notes.txt --format text | =
linear JSONL, no IDF      | notes.jsonl --text title,body --labels tags --no-idf --no-sublinear-tf --max-features 900 | = | notes.jsonl --text title,body --labels tags | =
bag cascade               | sparse.txt --encoder bag --dim 48 --epochs 4 | = | sparse.test.txt | =
bag cascade, inner, swa   | sparse.txt --encoder bag --dim 48 --epochs 4 --inner-dim 24 --swa 0.5 --order clustered --batch 64 | = | sparse.test.txt | =
bag cascade on text       | notes.csv --text title,body --labels tags --label-separator ; --encoder bag --dim 32 --epochs 5 --hidden-layers 1 --activation gelu | = | notes.csv --text title,body --labels tags --label-separator ; | =
bag one-hot, patience     | sparse.txt --encoder bag --head onehot --dim 48 --epochs 12 --patience 2 --valid sparse.test.txt | = | sparse.test.txt | =
bag sampling              | single.txt --encoder bag --head sampling --dim 32 --epochs 3 --extra-groups 3 --schedule cosine | = | single.test.txt | =
bag sampling by example   | single.txt --encoder bag --head sampling --groups-per-example 3 --dim 32 --epochs 3 --start biases | single.txt --encoder bag --head sampling --groups-per-example 3 --dim 32 --epochs 3 --init biases | single.test.txt | =
bag product               | single.txt --encoder bag --head product --heads 2 --dim 32 --epochs 3 --table-rule adam --warmup 0.2 | = | single.test.txt | =
bag product, rank         | single.txt --encoder bag --head product --rank 3 --dim 32 --epochs 3 --schedule poly | = | single.test.txt | =
bag redundant heads       | single.txt --encoder bag --head product --redundant-heads 5 --code-epochs 2 --dim 32 --epochs 3 | = | single.test.txt | =
bag powerset              | sets.txt --encoder bag --head product --powerset --dim 24 --epochs 6 | = | sets.txt --sets | =
bag ensemble              | sparse.txt --encoder bag --ensemble 2 --dim 32 --epochs 2 --held-out 0 --min-label-count 3 | = | sparse.test.txt | =
dense one-hot             | X.npy --label-file y.txt --head onehot --dim 24 --epochs 4 --loss sigmoid | = | X.npy | =
dense cascade             | X.npy --label-file y.txt --dim 24 --epochs 4 --hidden-layers 2 --normalize --dropout 0.1 | = | X.npy | =
dense sampling            | X.npy --label-file y.txt --head sampling --dim 24 --epochs 4 --layer-rule sgd --weight-decay 0.01 | = | X.npy | =
dense product order       | X.npy --label-file y.txt --head product --order product --code-epochs 1 --dim 24 --epochs 4 | = | X.npy | =
resume linear             | sparse.txt --lengths 20,20 --ensemble 6 --flush-seconds 0 | = | sparse.test.txt | =
resume bag                | sparse.txt --encoder bag --dim 64 --batch 64 --epochs 12 --swa 0.5 --checkpoint-every 1 | = | sparse.test.txt | =
resume dense ensemble     | X.npy --label-file y.txt --dim 64 --batch 16 --epochs 30 --ensemble 2 --checkpoint-every 1 | = | X.npy | =
END
}

eurlex="--columns id,labels,title,text --text title,text --labels labels --label-separator ,"
real_commands() {
  cat <<END
EURLEX57K fast            | eurlex.tsv $eurlex --preset fast | = | eurlex.dev.tsv $eurlex | =
EURLEX57K default         | eurlex.tsv $eurlex | = | eurlex.dev.tsv $eurlex | =
EURLEX57K bag             | eurlex.tsv $eurlex --encoder bag --epochs 1 | = | eurlex.dev.tsv $eurlex | =
deb-dep default           | deb.txt --label-file deb.labels | = | deb.test.txt --format text | =
END
}

if [[ ${SAME_BITS_KEEP:-} ]]; then
  mkdir -p "$SAME_BITS_KEEP"
  scratch=$(realpath "$SAME_BITS_KEEP")
else
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
fi
cd "$scratch"

# Runs and keeps quiet; a failure shows what was said.
quietly() { "$@" >log 2>&1 || { echo "failed: $*" >&2; cat log >&2; exit 1; }; }

synthetic() {  # NAME, flags
  quietly "$before" data synthetic --out "$1" --force --dev-rows 0 --format xmc "${@:2}"
  mv "$1/train.xmc" "$1.txt"
  mv "$1/test.xmc" "$1.test.txt"
}

generate() {
  synthetic sparse --rows 3000 --test-rows 300 --labels 400 --features 3000
  synthetic single --rows 3000 --test-rows 300 --labels 300 --features 2000 --labels-per-row 1
  synthetic sets --rows 1200 --test-rows 300 --labels 12 --features 500 --labels-per-row 3
  # Columns whose units differ by orders of magnitude.
  awk 'BEGIN { srand(3); for (i = 0; i < 1500; ++i) { l = i % 40; printf "%d", l
    for (f = 0; f < 6; ++f) { c = f * 50 + (l * (f + 2) + int(rand() * 3)) % 50
      printf " %d:%.3f", c, (0.5 + rand()) * 10 ^ (c % 4) } print "" } }' >scales.svm
  # Short texts whose labels are words of some of them, in every form that a text comes in.
  awk 'BEGIN { srand(11)
    split("amber birch cedar dune ember fjord grove heath inlet jetty knoll lagoon marsh nook oasis", name, " ")
    print "title,body,tags" >"notes.csv"
    for (i = 0; i < 900; ++i) {
      a = 1 + int(rand() * 15); b = 1 + int(rand() * 15); title = name[a] " by the " name[b]; body = ""
      for (w = 0; w < 14; ++w) body = body (w ? " " : "") (rand() < 0.3 ? name[a] : "w" int(rand() * rand() * 400))
      tags = name[a] (b % 3 ? "" : ";" name[b])
      print title "," body "," tags >"notes.csv"
      print title " " body >"notes.txt"
      gsub(/;/, " ", tags); print tags >"notes.labels"
      gsub(/ /, "\",\"", tags)
      printf "{\"title\":\"%s\",\"body\":\"%s\",\"tags\":[\"%s\"]}\n", title, body, tags >"notes.jsonl"
    } }'
  awk 'BEGIN { srand(5); for (i = 0; i < 1200; ++i) { l = i % 70; printf "{\"label\":\"l%d\",\"features\":[", l
    for (f = 0; f < 32; ++f) printf "%s%.4f", f ? "," : "", ((l * (f + 3)) % 17) / 17 + rand() / 2; print "]}" } }' >dense.jsonl
  quietly "$before" convert dense.jsonl X.npy --label-file-out y.txt
}

# Commands on real data, if that is there; says so on stderr if not.
real_data() {
  [[ ${SAME_BITS_DATA:-} ]] || return 0
  local from=$SAME_BITS_DATA
  if [[ ! -r $from/eurlex57k/train.tsv.xz || ! -r $from/deb-dep/train_texts.txt.xz ]]; then
    echo "skipped: no eurlex57k and deb-dep in $from" >&2
    return
  fi
  xz -dc "$from/eurlex57k/train.tsv.xz" >eurlex.tsv
  xz -dc "$from/eurlex57k/dev.tsv.xz" | head -n 1000 >eurlex.dev.tsv || true  # xz: the pipe is closed
  xz -dc "$from/deb-dep/train_texts.txt.xz" >deb.txt
  xz -dc "$from/deb-dep/train_labels.txt.xz" >deb.labels
  xz -dc "$from/deb-dep/test_texts.txt.xz" | head -n 1000 >deb.test.txt || true
  real_commands
}

# Whether a training has left something to go on from: of the one file, more than its header.
has_work() {
  [[ -s $1.partial || -s $1.checkpoint ]] && return
  [[ -e $1.resume ]] && (( $(stat -c %s "$1.resume") > 48 ))
}

# Trains until something to go on from is written, kills that, and resumes.
train_resumed() {  # BINARY, MODEL, flags
  "$1" train "${@:3}" --threads 2 --out "$2" >log 2>&1 &
  local pid=$!
  until has_work "$2" || ! kill -0 $pid 2>/dev/null; do sleep 0.002; done
  kill -9 $pid 2>/dev/null || true
  wait $pid 2>/dev/null || true
  has_work "$2" || echo "$2 was done before it could be killed: nothing was resumed" >&2
  quietly "$1" train "${@:3}" --threads 2 --out "$2" --resume
}

train() {  # NAME, BINARY, MODEL, flags
  rm -f "$3" "$3.partial" "$3.checkpoint" "$3.resume"
  if [[ $1 == resume* ]]; then train_resumed "${@:2}"; else quietly "$2" train "${@:4}" --threads 2 --out "$3"; fi
}

# What differs between two model files, a line each; nothing if they are the same.
differences_by_python() {
  "$python" - "$1" "$2" <<'END'
import json, struct, sys

def read(path):
    with open(path, "rb") as file:
        raw = file.read()
    length, = struct.unpack("<Q", raw[:8])
    tensors = json.loads(raw[8:8 + length])
    metadata = tensors.pop("__metadata__")
    return metadata, {n: t for n, t in tensors.items() if not n.startswith("__pad__")}, memoryview(raw)[8 + length:]

(meta_a, tensors_a, data_a), (meta_b, tensors_b, data_b) = map(read, sys.argv[1:])
for name in list(tensors_a) + [n for n in tensors_b if n not in tensors_a]:
    if name not in tensors_a or name not in tensors_b:
        print("tensor", name, "is in one file only")
        continue
    a, b = tensors_a[name], tensors_b[name]
    if (a["dtype"], a["shape"]) != (b["dtype"], b["shape"]):
        print("tensor", name, "has another type or shape")
    elif data_a[slice(*a["data_offsets"])] != data_b[slice(*b["data_offsets"])]:
        print("tensor", name)
if list(tensors_a) != list(tensors_b):
    print("order of tensors")
for key in sorted(set(meta_a) | set(meta_b)):
    if key in ("mhe_version", "header_checksum"):  # the latter follows from the rest
        continue
    a, b = meta_a.get(key), meta_b.get(key)
    if a == b:
        continue
    if key in ("data", "command") and (a is None or b is None):
        print("note: record", key, "is only", "after" if a is None else "before")
        continue
    if key != "options" or a is None or b is None:
        print("record", key)
        continue
    a, b = json.loads(a), json.loads(b)
    for option in a:
        left_open = a[option] in (0, -1, "auto", [])
        text = option in ("fields", "word_ngrams", "min_df", "min_token_length")  # follow from data
        same = option in b and (a[option] == b[option] or isinstance(a[option], float)
                                and struct.pack("<f", a[option]) == struct.pack("<f", b[option]))
        if option in b and not same:
            if left_open or text:
                print("note: option", option, "is resolved after")
                continue
            print("option", option, a[option], "->", b[option])
    for option in sorted(set(a) ^ set(b)):
        print("note: option", option, "is only", "before" if option in a else "after")
END
}

# The same without python3: `mhe inspect --json` has a line a value, indented by 2 a level.
card() { "$after" inspect --json "$1" 2>/dev/null; }
records() {  # lines KEY TAB VALUE of the metadata, and options.KEY TAB VALUE of its options
  card "$1" | awk '/^  "metadata"/ { on = 1; next } /^  "tensors"/ { on = 0 } !on { next }
    /^    "options": \{/ { inside = 1; next } /^    [}"]/ && inside && /^    }/ { inside = 0; next }
    inside && /^      "/ { if (key) print key "\t" value; split($0, part, "\""); key = "options." part[2]; value = $0; next }
    /^    "/ { if (key) print key "\t" value; split($0, part, "\""); key = part[2]; value = $0; next }
    { value = value $0 } END { if (key) print key "\t" value }' | sed 's/,$//'
}
tensors() {  # lines NAME TAB DTYPE SHAPE TAB BYTES TAB OFFSET
  card "$1" | awk '/^  "tensors"/ { on = 1 } !on { next } { gsub(/^ +|,$/, "") }
    /^"name"/ { split($0, part, "\""); name = part[4]; form = "" } /^"bytes"/ { bytes = $2 }
    /^"file_offset"/ { print name "\t" form "\t" bytes "\t" $2; next } !/^"(name|bytes)"/ { form = form " " $0 }'
}
differences_by_inspect() {
  tensors "$1" >tensors.a
  tensors "$2" >tensors.b
  [[ -s tensors.a ]] || echo "no tensors are listed"
  { diff <(cut -f 1-3 tensors.a) <(cut -f 1-3 tensors.b) || true; } | sed -n -E 's/^[<>] ([^\t]*).*/tensor \1 has another type, shape or place/p' | uniq
  local name form bytes offset other
  while IFS=$'\t' read -r name form bytes offset; do
    other=$(awk -F '\t' -v name="$name" '$1 == name { print $4 }' tensors.b)
    [[ $other ]] || continue
    cmp -s -n "$bytes" "$1" "$2" "$offset" "$other" || echo "tensor $name"
  done <tensors.a
  records "$1" >records.a
  records "$2" >records.b
  [[ -s records.a ]] || echo "no records are listed"
  awk -F '\t' 'NR == FNR { a[$1] = $2; next } { seen[$1] = 1 } $1 in a && a[$1] != $2 { print "record " $1; next }
    !($1 in a) { only($1, "after") } END { for (key in a) if (!(key in seen)) only(key, "before") }
    function only(key, where) {
      if (key ~ /^(data|command)$/) print "note: record " key " is only " where
      else if (sub(/^options\./, "", key)) print "note: option " key " is only " where; else print "record " key
    }' records.a records.b
}
differences() { if [[ $python ]]; then differences_by_python "$@"; else differences_by_inspect "$@"; fi; }

trim() { local text="${*#"${1%%[![:space:]]*}"}"; printf '%s' "${text%"${text##*[![:space:]]}"}"; }

generate
{ commands; real_data; } | grep -E "${SAME_BITS_ONLY:-.}" >table || true
[[ -s table ]] || { echo "no command matches ${SAME_BITS_ONLY:-}" >&2; exit 2; }
echo "| command | MB | same model | same predictions |"
echo "|---|---|---|---|"
status=0 count=0
: >found
: >notes
while IFS='|' read -r name flags after_flags predict after_predict <&3; do
  name=$(trim "$name")
  [[ $(trim "$after_flags") == "=" ]] && after_flags=$flags
  [[ $(trim "$after_predict") == "=" ]] && after_predict=$predict
  read -ra flags <<<"$flags"
  read -ra after_flags <<<"$after_flags"
  read -ra predict <<<"$predict"
  read -ra after_predict <<<"$after_predict"
  count=$((count + 1))
  model=$(tr -cs 'A-Za-z0-9\n' '-' <<<"$name")
  # Both write a file of the same name, in folders of their own.
  mkdir -p before after
  train "$name" "$before" "before/$model.mhe" "${flags[@]}"
  train "$name" "$after" "after/$model.mhe" "${after_flags[@]}"
  same=yes predicts=yes
  differences "before/$model.mhe" "after/$model.mhe" >all
  { grep '^note: ' all || true; } >>notes
  { grep -v '^note: ' all || true; } >different
  [[ -s different ]] && same=no
  for file in before after; do
    # Predictions of a program that cannot read the other's file differ.
    "$before" predict "$file/$model.mhe" "${predict[@]}" >"by.before.$file" 2>log || predicts=no
    "$after" predict "$file/$model.mhe" "${after_predict[@]}" >"by.after.$file" 2>log || predicts=no
  done
  [[ -s by.before.before ]] || predicts=no
  for other in by.after.before by.before.after by.after.after; do cmp -s by.before.before "$other" || predicts=no; done
  [[ $same == yes && $predicts == yes ]] || { status=1; sed "s/^/$name: /" different >>found; }
  printf '| %s | %s | %s | %s |\n' "$name" "$(awk -v bytes="$(stat -c %s "after/$model.mhe")" 'BEGIN { printf "%.2f", bytes / 1e6 }')" \
    "$same" "$predicts"
done 3<table
echo
sort notes | uniq -c | sed -E 's/^ *([0-9]+) note: (.*)/- \2 (\1 models)/'
if (( status )); then
  echo "What differs:"
  echo
  sed 's/^/- /' found
else
  echo "All $count commands train the same models."
fi
exit $status
