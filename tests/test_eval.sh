#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# appell eval: derivatives, and many states at once giving what one after the other gives.
set -u
. "$(dirname "$0")/cli/checks.sh"
folder=$tmp

# states N COLUMNS: angles, velocities and forces that differ from line to line.
states() {
  awk -v n="$1" -v columns="$2" 'BEGIN {
    for (k = 0; k < n; k++)
      for (j = 0; j < columns; j++) printf "%.6f%s", 3 * sin(k + 7.3 * j * j + 1), j < columns - 1 ? " " : "\n"
  }'
}

# ---- many states at once ------------------------------------------------------------------------

# 2500 states fill more than one block; one at a time the lanes are not used.
states 2500 18 >"$folder/many"
states 2500 6 >"$folder/q"
states 2500 12 >"$folder/qv"
same() {
  quantity=$1 file=$2
  shift 2
  "$APPELL" eval "$quantity" puma600 "$file" "$@" >"$folder/many.out" || failures=$((failures + 1))
  for line in 1 2 1023 1024 1025 2497 2499 2500; do
    sed -n "${line}p" "$file" | "$APPELL" eval "$quantity" puma600 - "$@" | tail -1 >"$folder/one"
    sed -n "$((line + 1))p" "$folder/many.out" >"$folder/same"
    holds "$quantity $* of line $line" cmp "$folder/one" "$folder/same"
  done
}
for real in f64 f32; do
  for quantity in inverse forward dinverse dforward; do same $quantity "$folder/many" --real $real; done
  same gravity "$folder/q" --real $real
  same inertia "$folder/q" --real $real
  same bias "$folder/qv" --real $real
done
same inverse "$folder/many" --friction --gravity 1,-2,3
same dforward "$folder/many" --friction --gravity 1,-2,3 --real f32

# Lines before a bad one are out, and it is named, wherever in a block it stands.
for line in 1 700 1025; do
  sed "${line}s/^[^ ]*/1e300/" "$folder/many" >"$folder/bad"
  "$APPELL" eval inverse puma600 "$folder/bad" --real f32 >"$folder/out" 2>"$folder/err"
  holds "a number too large for f32 ends with 2" [ $? -eq 2 ]
  holds "line $line is named" grep -q ":$line: " "$folder/err"
  holds "the lines before $line are out" [ "$(grep -vc '^#' "$folder/out")" -eq $((line - 1)) ]
done

# ---- derivatives --------------------------------------------------------------------------------

echo 0.3 -0.7 0.5 0.2 1 -1 >"$folder/state"
"$APPELL" eval dinverse ascher2 "$folder/state" >"$folder/out" || failures=$((failures + 1))
holds "the names of the columns" grep -q \
  '^# dtau/dq\[0,0\] dtau/dq\[0,1\] .* dtau/dv\[1,1\] dtau/da\[0,0\] .* dtau/da\[1,1\]$' "$folder/out"
echo 0.3 -0.7 | "$APPELL" eval inertia ascher2 - | tail -1 >"$folder/M"
holds "d tau / d a is the inertia matrix" [ "$(tail -1 "$folder/out" | cut -d' ' -f9-)" = "$(cat "$folder/M")" ]
"$APPELL" eval dforward ascher2 "$folder/state" >"$folder/out" || failures=$((failures + 1))
holds "the names of the columns of dforward" grep -q '^# da/dq\[0,0\] .* da/dtau\[1,1\]$' "$folder/out"

# slope QUANTITY COLUMN: a central difference by column COLUMN of the state, of the first result.
slope() {
  awk -v k="$2" '{ for (s = 1; s >= -1; s -= 2) { x = $0; $k += s * 1e-5; print; $0 = x } }' "$folder/state" |
    "$APPELL" eval "$1" ascher2 - --real f128 | awk '!/^#/ { d = NR == 2 ? $1 : d - $1 } END { printf "%.6f", d / 2e-5 }'
}
# entry QUANTITY N: number N of a line of derivatives.
entry() { "$APPELL" eval "$1" ascher2 "$folder/state" --real f128 | awk -v k="$2" '!/^#/ { printf "%.6f", $k }'; }
for k in 1 2; do
  for pair in inverse forward; do
    holds "d $pair by q[$k]" [ "$(slope $pair $k)" = "$(entry d$pair $k)" ]
    holds "d $pair by v[$k]" [ "$(slope $pair $((k + 2)))" = "$(entry d$pair $((k + 4)))" ]
    holds "d $pair by the third [$k]" [ "$(slope $pair $((k + 4)))" = "$(entry d$pair $((k + 8)))" ]
  done
done

# Closed chains: the slopes by q, v and the third of tau, in independent coordinates.
echo 0.02 0.2 0.5 -0.3 1 -1 >"$folder/state"
"$APPELL" eval dinverse five-bar "$folder/state" >"$folder/out" || failures=$((failures + 1))
holds "the names of a mechanism's columns" grep -q '^# dtau/dq\[0,0\] .* dtau/da\[1,1\]$' "$folder/out"
for k in 1 2 3 4 5 6; do
  slope=$(awk -v k=$k '{ for (s = 1; s >= -1; s -= 2) { x = $0; $k += s * 1e-5; print; $0 = x } }' "$folder/state" |
    "$APPELL" eval inverse five-bar - | awk '!/^#/ { d = NR == 2 ? $1 : d - $1 } END { printf "%.5g", d / 2e-5 }')
  column=$((4 * ((k - 1) / 2) + (k - 1) % 2 + 1))
  holds "d inverse of a closed chain by number $k" \
    [ "$slope" = "$(awk -v k=$column '!/^#/ { printf "%.5g", $k }' "$folder/out")" ]
done
"$APPELL" eval dforward five-bar "$folder/state" >"$folder/out" || failures=$((failures + 1))
holds "the names of dforward's" grep -q '^# da/dq\[0,0\] .* da/dtau\[1,1\]$' "$folder/out"

# ---- arrays -------------------------------------------------------------------------------------

# Results as an array are the numbers of the text: read again as states, they give the same.
"$APPELL" eval inverse puma600 "$folder/many" -o "$folder/tau.txt" || failures=$((failures + 1))
"$APPELL" eval inverse puma600 "$folder/many" -o "$folder/tau.npy" || failures=$((failures + 1))
holds "an array has the size of its numbers" [ "$(wc -c <"$folder/tau.npy")" -eq $((128 + 2500 * 6 * 8)) ]
"$APPELL" eval gravity puma600 "$folder/tau.txt" >"$folder/of_text"
"$APPELL" eval gravity puma600 "$folder/tau.npy" >"$folder/of_array"
holds "an array in" cmp "$folder/of_text" "$folder/of_array"
# shellcheck disable=SC2002 # a pipe is meant
cat "$folder/tau.npy" | "$APPELL" eval gravity puma600 - >"$folder/of_pipe"
holds "an array through a pipe" cmp "$folder/of_text" "$folder/of_pipe"
"$APPELL" eval inverse puma600 "$folder/many" --shortest -o "$folder/short.txt"
"$APPELL" eval gravity puma600 "$folder/short.txt" >"$folder/of_short"
holds "the shortest numbers read back" cmp "$folder/of_text" "$folder/of_short"
holds "and are shorter" [ "$(wc -c <"$folder/short.txt")" -lt "$(wc -c <"$folder/tau.txt")" ]

if "$APPELL" eval inverse puma600 "$folder/many" -o "$folder/run.h5:/first/tau" 2>"$folder/err"; then
  "$APPELL" eval gravity puma600 "$folder/run.h5:/first/tau" >"$folder/of_h5"
  holds "a dataset in" cmp "$folder/of_text" "$folder/of_h5"
  "$APPELL" eval gravity puma600 "$folder/q" -o "$folder/run.h5:/second"
  "$APPELL" eval gravity puma600 "$folder/run.h5:/first/tau" >"$folder/of_h5"
  holds "other datasets stay" cmp "$folder/of_text" "$folder/of_h5"
  "$APPELL" eval gravity puma600 "$folder/run.h5:/third" 2>"$folder/err"
  holds "a dataset that is not there ends with 2" [ $? -eq 2 ]
  holds "and is named" grep -q 'third' "$folder/err"
  "$APPELL" eval gravity puma600 "$folder/q" -o "$folder/run.h5:/first" 2>"$folder/err"
  holds "a group is not replaced" grep -q '"/*first" is a group' "$folder/err"
  "$APPELL" eval gravity puma600 "$folder/run.h5:/first/tau" >"$folder/of_h5"
  holds "and keeps its datasets" cmp "$folder/of_text" "$folder/of_h5"
  printf 'no HDF5' >"$folder/other.h5"
  "$APPELL" eval gravity puma600 "$folder/q" -o "$folder/other.h5:/tau" 2>"$folder/err"
  holds "a file that is not HDF5 is not replaced" [ "$(cat "$folder/other.h5")" = "no HDF5" ]
else
  holds "without HDF5 it is said" grep -q 'without HDF5' "$folder/err"
fi
"$APPELL" eval gravity puma600 "$folder/q" -o "$folder/run.h5" 2>"$folder/err"
holds "HDF5 without a dataset ends with 2" [ $? -eq 2 ]

"$APPELL" eval inverse puma600 "$folder/tau.npy" -o "$folder/none.npy" 2>"$folder/err"
holds "an array of the wrong width ends with 2" [ $? -eq 2 ]
holds "and it is said" grep -q 'tau.npy: expected 18 columns (6 q, 6 v, 6 a), found 6' "$folder/err"
head -c 1000 "$folder/tau.npy" >"$folder/cut.npy"
"$APPELL" eval gravity puma600 "$folder/cut.npy" -o "$folder/none.npy" 2>"$folder/err"
holds "an array that is cut ends with 2" [ $? -eq 2 ]
holds "its rows are counted" grep -q 'cut.npy: the array ends after 18 of 2500 rows' "$folder/err"
# Number 2 of row 3 becomes infinite: bytes 128 + 8 * 13 + 6 and on.
{ head -c 238 "$folder/tau.npy"; printf '\360\177'; tail -c +241 "$folder/tau.npy"; } >"$folder/inf.npy"
"$APPELL" eval gravity puma600 "$folder/inf.npy" >"$folder/out" 2>"$folder/err"
holds "a number that is not finite ends with 2" [ $? -eq 2 ]
holds "its row is named" grep -q 'inf.npy:3: number 2 of the row is' "$folder/err"
holds "the rows before it are out" [ "$(grep -vc '^#' "$folder/out")" -eq 2 ]
holds "nothing half-written" [ ! -e "$folder/none.npy" ]
"$APPELL" eval inverse puma600 "$folder/many" -o /dev/full 2>"$folder/err"
holds "a full disk ends with 1" [ $? -eq 1 ]
mkfifo "$folder/pipe.npy"
"$APPELL" eval inverse puma600 "$folder/many" -o "$folder/pipe.npy" 2>"$folder/err" &
writer=$!
timeout 10 cat "$folder/pipe.npy" >/dev/null
wait $writer
holds "an array does not go to a pipe" [ $? -eq 2 ]

# However many threads there are, the same bytes.
if command -v taskset >/dev/null && taskset -c 0 true 2>/dev/null; then
  taskset -c 0 "$APPELL" eval inverse puma600 "$folder/many" >"$folder/one.out"
  holds "one core, the same" cmp "$folder/tau.txt" "$folder/one.out"
fi
# A reader that has seen enough.
"$APPELL" eval inverse puma600 "$folder/many" 2>"$folder/err" | head -n 2 >/dev/null
holds "a closed pipe is no message" [ ! -s "$folder/err" ]
finish
