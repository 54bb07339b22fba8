# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# What the tables of the lab have in common; lab/run.sh reads it, then a file of lab/tables. Such a
# file defines
#   paper     what the paper reports, a sentence or two
#   differs   where and why ours differs, in one honest sentence
#   units     prints what is measured, a line each: the keys of the rows
#   measure   UNIT: prints its figures as "name":number pairs with commas between. Exit code 2: this
#             program has no such option; 77: there is no data
#   table     prints the rows as Markdown, from figures that are there
# A unit is measured once with every seed. Its figures are a line of JSON in $results, and what is
# there is not measured again. A table of what others measured has no units and names their files in
# result_files. `set -e` does not hold within these functions, so what can fail says || return.

say() { echo "lab: $*" >&2; }

# "name":number of JSON on standard input; nothing if it is not there.
json_number() {  # NAME
  grep -oE "\"$1\": ?-?[0-9][0-9.e+-]*" | head -n 1 | sed -E 's/^.*": ?//'
}

# The named numbers of a file of JSON, for a line of results.
pick() {  # FILE NAME...
  local file=$1 name value separator=
  for name in "${@:2}"; do
    value=$(json_number "$name" <"$file")
    [[ -z $value ]] || { printf '%s"%s":%s' "$separator" "$name" "$value"; separator=,; }
  done
}

# ---- Data ----

# Sets train_file, dev_file and test_file (empty: there is none) and how they are read: `reading`
# for training, `dev_reading` and `test_reading` for what is predicted.
use_data() {  # eurlex57k, deb-dep, reverse-dictionary or delicious
  data_dir=$scratch/$1
  case $1 in
    eurlex57k)
      use_files "$1" tsv train.tsv.xz dev.tsv.xz test.tsv.xz || return
      reading=(--columns "id,labels,title,text" --text "title,text" --labels labels --label-separator ",")
      dev_reading=("${reading[@]}") test_reading=("${reading[@]}") ;;
    deb-dep | reverse-dictionary)
      use_files "$1" lines train_texts.txt.xz '' test_texts.txt.xz || return
      reading=(--label-file "${train_file/texts.txt/labels.txt}")
      test_reading=(--label-file "${test_file/texts.txt/labels.txt}") dev_reading=() ;;
    delicious)
      use_files xc/delicious xmc train.txt.xz '' test.txt.xz || return
      reading=() test_reading=() dev_reading=() ;;
    *) say "there is no data called $1"; return 1 ;;
  esac
}

# The files themselves, or with LAB_ROWS the first rows of them. A quick run does without data.
use_files() {  # FOLDER FORM TRAIN DEV TEST
  local from=$LAB_DATA/$1 part source files=()
  if [[ ! -r $from/$3 && -z ${LAB_QUICK:-} ]]; then
    say "there is no $3 in $from; MHE_DATA names the folder that holds $1"
    return 77
  fi
  mkdir -p "$data_dir"
  for part in "${@:3}"; do
    source=$from/$part
    if [[ -z $part ]]; then
      source=
    elif [[ ! -r $source ]]; then
      source=$data_dir/${part%.xz}
      stand_in "$2" "$part" "$source"
    elif [[ -n ${LAB_ROWS:-} ]]; then
      source=$data_dir/${part%.xz}
      cut_rows "$2" "$from" "$part" "$data_dir"
    fi
    files+=("$source")
  done
  train_file=${files[0]} dev_file=${files[1]} test_file=${files[2]}
}

cut_rows() {  # FORM FROM PART TO
  local header=0 part
  [[ $1 != xmc ]] || header=1
  for part in "$3" "${3/texts.txt/labels.txt}"; do
    # A reader that has enough ends its writer.
    { xz -dc "$2/$part" || true; } 2>/dev/null | head -n $((LAB_ROWS + header)) >"$4/${part%.xz}"
  done
  [[ $1 != xmc ]] || sed -i "1s/^[0-9]*/$LAB_ROWS/" "$4/${3%.xz}"
}

# Rows that can be learned, in the form of the real ones, for runs that only show that all works.
stand_in() {  # FORM PART FILE
  local seed=1
  [[ $2 == train* ]] || seed=2
  awk -v form="$1" -v rows="${LAB_ROWS:-200}" -v seed="$seed" -v labels="${3/texts.txt/labels.txt}" '
    BEGIN {
      srand(seed)
      if (form == "xmc") print rows, 500, 90
      for (row = 1; row <= rows; row++) {
        first = int(rand() * 90); second = (first + 1 + int(rand() * 89)) % 90
        words = ""; split("", seen)
        for (i = 0; i < 8; i++) {
          label = i % 2 ? first : second; seen[(label * 5 + int(rand() * 5)) % 450] = 1
          words = words " w" label "x" int(rand() * 5)
        }
        if (form == "tsv") printf "%d\t%d,%d\ttitle%d\t%s\n", row, first, second, first, substr(words, 2)
        if (form == "lines") { print substr(words, 2); print first, second > labels }
        if (form == "xmc") {
          printf "%d,%d", first < second ? first : second, first < second ? second : first
          for (f = 0; f < 450; f++) if (f in seen) printf " %d:1", f
          print ""
        }
      }
    }' >"$3"
}

# ---- Trainings ----

# Trains on train_file; figures of time and memory go to $scratch/trained.
train() {  # FLAGS
  "$MHE" train "$train_file" "${reading[@]}" --seed "$seed" --threads "$LAB_THREADS" "$@" \
    --out "$scratch/model" --json >"$scratch/trained" 2>"$scratch/log"
}

evaluate() {  # FILE FLAGS
  "$MHE" eval "$scratch/model" "$@" --threads "$LAB_THREADS" --json >"$scratch/evaluated" 2>>"$scratch/log"
}

# What most tables show of a model.
model_figures() {
  pick "$scratch/evaluated" P@1 P@3 P@5 nDCG@5 PSP@5 accuracy
  printf ','
  pick "$scratch/trained" wall_s cpu_s peak_rss_mb model_mb
}

# ---- Results ----

# "mean (least..most)" of a figure over the seeds of a unit, "mean" if they agree in print, "-" if
# there is none.
figure() {  # UNIT NAME [DIGITS]
  awk -v unit="\"unit\":\"$1\"," -v name="\"$2\":" -v digits="${3:-1}" '
    index($0, unit) && (at = index($0, name)) {
      value = substr($0, at + length(name)) + 0
      if (!n || value < least) least = value
      if (!n || value > most) most = value
      sum += value; n++
    }
    END {
      if (!n) { print "-"; exit }
      form = "%." digits "f"; a = sprintf(form, least); b = sprintf(form, most); mean = sprintf(form, sum / n)
      print a == b ? mean : mean " (" a ".." b ")"
    }' "${result_files[@]}"
}

# A row of Markdown: a name and figures of a unit, each as NAME or NAME:DIGITS.
figures_row() {  # TITLE UNIT FIGURE...
  local row="| $1 |" what
  for what in "${@:3}"; do
    if [[ $what == *:[0-9] ]]; then row+=" $(figure "$2" "${what%:*}" "${what##*:}") |"; else row+=" $(figure "$2" "$what") |"; fi
  done
  echo "$row"
}

header_row() {  # TITLE...
  printf '|'; printf ' %s |' "$@"; echo
  printf '|'; printf -- '---|%.0s' "$@"; echo
}

has_result() {  # UNIT SEED
  [[ -e $results ]] && grep -qF "{\"unit\":\"$1\",\"seed\":$2," "$results"
}

# Measures what is missing. Units that this program cannot do are said and left out.
measure_units() {
  local unit figures started seconds code
  while IFS= read -r unit; do
    for seed in $LAB_SEEDS; do
      has_result "$unit" "$seed" && continue
      started=$SECONDS
      say "$name: $unit, seed $seed"
      : >"$scratch/log"
      code=0
      figures=$(measure "$unit") || code=$?
      if (( code == 77 )); then return 77; fi
      if (( code == 2 )); then
        say "$name: $unit is left out: $(grep -m 1 error "$scratch/log" || echo "refused")"
        continue 2
      fi
      if (( code != 0 )); then
        cat "$scratch/log" >&2
        say "$name: $unit failed"
        return 1
      fi
      seconds=$((SECONDS - started))
      printf '{"unit":"%s","seed":%s,"seconds":%s,"threads":%s,"isa":"%s",%s}\n' "$unit" "$seed" "$seconds" \
        "$LAB_THREADS" "$isa" "$figures" >>"$results"
    done
  done < <(units)
}

# How much was measured, how long that took, and on what.
runs_line() {
  awk '
    match($0, /"seconds":[0-9]+/) { seconds += substr($0, RSTART + 10, RLENGTH - 10); runs++ }
    match($0, /"threads":[0-9]+/) { threads[substr($0, RSTART + 10, RLENGTH - 10)] = 1 }
    match($0, /"isa":"[^"]*"/) { isas[substr($0, RSTART + 7, RLENGTH - 8)] = 1 }
    END {
      for (t in threads) all = all (all == "" ? "" : " or ") t
      for (i in isas) sets = sets (sets == "" ? "" : ", ") i
      printf "%d runs, %.0f min in all, %s threads (%s).\n", runs, seconds / 60, all, sets
    }' "${result_files[@]}"
}

# The fragment of the page: the table, and the sentences beside it.
write_fragment() {
  local file open there=()
  for file in "${result_files[@]}"; do [[ ! -s $file ]] || there+=("$file"); done
  if (( ! ${#there[@]} )); then
    echo "Not measured yet: \`./run lab $name\`."
    return
  fi
  result_files=("${there[@]}")
  table
  echo
  open=$(comm -23 <(units | sort -u) <(cat "${result_files[@]}" | grep -oE '^\{"unit":"[^"]*"' | sed -E 's/^.*:"//; s/"$//' | sort -u))
  [[ -z $open ]] || printf 'Not measured: %s.\n' "$(paste -sd, <<<"$open" | sed 's/,/, /g')"
  printf 'Mean of the seeds (least..most). %s\n' "$(runs_line)"
  printf '\n**The paper**: %s\n\n**Where ours differs**: %s\n' "$paper" "$differs"
}
