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

"$APPELL" eval dinverse five-bar "$folder/state" 2>"$folder/err"
holds "closed chains have none" [ $? -eq 2 ]
holds "and it is said" grep -q "dinverse is for trees; 'five-bar' has closed chains" "$folder/err"
finish
