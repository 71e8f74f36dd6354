#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Figures of compare, excite and identify: what --plot writes, and what it refuses.
set -u
. "$(dirname "$0")/cli/checks.sh"

has() { grep -q -e "$1" "$2"; }
# figure FILE WORD...: a whole SVG file with these texts.
figure() {
  file=$1
  shift
  holds "$file is whole" has '</svg>' "$file"
  for word in "$@"; do holds "$file has '$word'" has ">$word<" "$file"; done
}

gives 0 compare ascher2 --states 2 --what inverse --plot compare.svg
figure compare.svg ascher2 operations 'time / ns' 'relative error' gibbs-tensor lagrange
refuses 2 'shows methods' compare ascher2 --against kdl --plot no.svg

gives 0 excite "$here/models/two_link.urdf" --evaluations 50 -o motion.csv --plot excite.svg
figure excite.svg two_link Positions 'part of the range' 'part of the limit' shoulder elbow limit
gives 0 excite ascher2 --evaluations 20 -o free.csv --plot free.svg
figure free.svg 'rad or m' 'N m or N'
holds 'a robot without limits has none in its figure' sh -c '! grep -q ">limit<" free.svg'

# The motion needs what the model says: measured and predicted forces are the same curve.
gives 0 identify "$here/models/two_link.urdf" motion.csv --plot fit.svg
figure fit.svg measured predicted shoulder elbow estimate 'two standard deviations' 'Base parameters, kg m2'
refuses 2 'DATA is missing' identify ascher2 --plot no.svg
for verb in "compare ascher2" "excite ascher2" "identify ascher2 motion.csv"; do
  # shellcheck disable=SC2086 # words
  refuses 2 'figures are written as SVG' $verb --plot no.png
  # shellcheck disable=SC2086
  refuses 2 'nowhere/no.svg' $verb --plot nowhere/no.svg
done
holds 'nothing is written where something is refused' sh -c '! ls no.* 2>/dev/null'
finish
