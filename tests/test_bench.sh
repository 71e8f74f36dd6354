#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# appell bench: the rows that are promised, whatever the times; what it refuses.
set -u
. "$(dirname "$0")/cli/checks.sh"
folder=$tmp
XDG_CACHE_HOME=$folder
export XDG_CACHE_HOME

# rows N PATTERN: so many rows of the document match.
rows() { [ "$(tr -d ' \n' <"$folder/out" | sed 's/},{/}\n{/g' | grep -c "$2")" -eq "$1" ]; }

"$APPELL" bench ascher2 --seconds 1 --json >"$folder/out" 2>"$folder/err" || failures=$((failures + 1))
for quantity in inverse inertia forward d-inverse d-forward; do
  for real in f64 f32; do
    for path in general batch; do
      holds "one row of $quantity by $path in $real" \
        rows 1 "\"what\":\"$quantity\",\"path\":\"$path\",\"real\":\"$real\",\"ns\":[0-9]"
    done
  done
done
holds "general functions in a loop" rows 10 '"path":"general".*"loop":[0-9]'
holds "no batch in a loop" rows 0 '"path":"batch".*"loop"'
if command -v "${CC:-cc}" >/dev/null; then
  holds "generated code is measured" rows 10 '"path":"generated".*"loop":[0-9]'
  holds "nothing to remark" [ ! -s "$folder/err" ]
fi
for peer in kdl mujoco; do
  rows 0 "\"path\":\"$peer\"" && left_out "$peer is not measured: built without it (scripts/setup ci)"
done

# Without a compiler the rest is measured, and the reason is said.
CC=/nonexistent/cc "$APPELL" bench ascher2 --seconds 1 --json >"$folder/out" 2>"$folder/err" || failures=$((failures + 1))
holds "no generated code without a compiler" rows 0 '"path":"generated"'
holds "the library without a compiler" rows 10 '"path":"general"'
holds "the reason" grep -q "there is no compiler '/nonexistent/cc'" "$folder/err"

# All of it, as fast as it goes: chains beside the model, the figure, the same rows as JSON. Nothing is compiled.
without() { CC=/nonexistent/cc "$APPELL" bench ascher2 --full --seconds 1 --chains 24 "$@"; }
without --json --plot "$folder/growth.svg" >"$folder/out" 2>"$folder/err" || failures=$((failures + 1))
for model in ascher2 chain6 chain12 chain24; do
  holds "general and batch of $model" rows 20 "\"model\":\"$model\",.*\"path\":\"[gb]"
done
holds "no chain beyond --chains" rows 0 '"model":"chain48"'
holds "no fraction of the peak where nothing was generated" rows 0 of_peak
holds "a figure" grep -q '</svg>' "$folder/growth.svg"
for title in inverse inertia forward d-inverse d-forward general batch; do
  holds "the figure names $title" grep -q ">$title<" "$folder/growth.svg"
done
without >"$folder/out" 2>"$folder/err" || failures=$((failures + 1))
holds "a column of calls in a loop" grep -q 'general in a loop' "$folder/out"
holds "a table for each" [ "$(grep -c ', ns  *general' "$folder/out")" -eq 4 ]
holds "the peak" grep -q 'peak of this core: [0-9.]* multiplications and additions a ns' "$folder/out"
if command -v "${CC:-cc}" >/dev/null; then
  "$APPELL" bench ascher2 --full --seconds 1 --chains 0 --json >"$folder/out" 2>"$folder/err" || failures=$((failures + 1))
  holds "generated code as a fraction of the peak, of one state and of many" \
    rows 10 '"model":"ascher2".*"of_peak":[0-9]'
fi

refuses 2 'no such' bench nosuchmodel
refuses 2 'twice' bench ascher2 puma600 ascher2
refuses 2 '--seconds' bench puma600 --seconds 0
CC=/nonexistent/cc "$APPELL" bench ascher2 --seconds 1 --plot "$folder/times.svg" >"$folder/out" 2>"$folder/err" ||
  failures=$((failures + 1))
holds "a figure of a model, its quantities side by side" grep -q '>d-forward<' "$folder/times.svg"
refuses 2 '--full' bench puma600 --chains 6
refuses 2 '--chains' bench puma600 --full --chains 97
finish
