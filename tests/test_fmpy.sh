#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# FMUs run by FMPy beside appell simulate: a tree and a closed chain, both kinds, and a scenario with
# contacts. CMake adds this test where python3 finds FMPy (PYTHONPATH).
set -u
. "$(dirname "$0")/cli/checks.sh"
folder=$tmp

# compare SCENARIO STOP STEPS BOUND_CS [BOUND_ME]: the largest difference at STOP, over 1 + the largest state.
compare() {
  "$APPELL" generate "$here/models/$1.yaml" --target fmu -o "$folder/$1.fmu" || return 1
  "$APPELL" simulate "$here/models/$1.yaml" -o "$folder/$1.csv" >"$folder/out" || return 1
  python3 "$here/tests/fmpy_run.py" "$folder/$1.fmu" "$2" "$3" >"$folder/said" 2>"$folder/err" || return 1
  grep -v '^Failed' "$folder/said" >"$folder/fmpy" # what it says of its compiled parts
  awk -v stop="$2" -v cs="$4" -v me="${5-}" '
    function abs(x) { return x < 0 ? -x : x }
    FNR == 1 { file++ }
    file == 1 && FNR == 1 { n = split($0, name, " "); next }
    file == 1 { for (k = 1; k <= n; k++) got[FNR, name[k]] = $k; next }
    file == 2 && FNR == 1 {
      columns = split($0, head, ",")
      for (c = 1; c <= columns; c++) {
        key = head[c]
        if ($0 ~ /coordinate[.]/) { sub(/^[qv][.]/, "tree.", key); sub(/^coordinate[.]/, "q.", key); sub(/^rate[.]/, "v.", key) }
        place[key] = c
      }
      next
    }
    {
      split($0, x, ",")
      if (abs(x[1] - stop) > 1e-9) next
      found = 1
      for (k = 1; k <= n; k++) {
        if (name[k] == "events") continue # of the run, no column
        want = x[place[name[k]]]
        if (abs(want) > size) size = abs(want)
        for (row = 2; row <= 3; row++)
          if (abs(got[row, name[k]] - want) > off[row]) off[row] = abs(got[row, name[k]] - want)
      }
    }
    END { exit !(found && n > 0 && off[2] <= cs * (1 + size) && (me == "" || off[3] <= me * (1 + size))) }
  ' "$folder/fmpy" FS=' ' "$folder/$1.csv"
}

# Both programs integrate to 1e-9 or better; a second of the boxes, which spin at 50 rad/s, enlarges
# that tenfold. Steps of 1 ms have errors of 1e-3 there, of the wrist of 0.15 ms below 1e-9.
holds "the boxes' second agrees" compare ascher2_swing 1 1000 1e-8 1e-2
holds "the wrist's motion agrees" compare agile_wrist_swing 0.15 1000 1e-8 1e-8
holds "the block rocks alike, impacts included" compare rocking_block 2 400 1e-8

finish
