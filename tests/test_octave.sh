#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The functions for Octave of the build folder. APPELL is the path of the command.
set -u
build=$(dirname "${APPELL:?the path of the appell command}")
if [ ! -e "$build/octave/appell_mex.mex" ]; then
  echo "skipped: the functions for Octave are not built: mkoctfile is missing (make octave)"
  exit 77
fi
OCTAVE_PATH=$build/octave:$PWD/bindings/octave/tests MODELS=$PWD/models COMMAND=$APPELL \
  octave-cli -q --eval 'test_appell (getenv ("MODELS"), getenv ("COMMAND"))'
status=$?
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
tutorial=$PWD/bindings/octave/tutorials/plot.m
(cd "$scratch" && octave-cli -q --path "$build/octave" "$tutorial" >said 2>&1)
grep -q '^shoulder: -73.8 to 22.1 N m' "$scratch/said" || { echo "FAILED: $tutorial" && cat "$scratch/said" && status=1; }
[ -s "$scratch/gravity.svg" ] || echo "skipped: the plot of Octave's tutorial: gnuplot or a font is missing (make octave)"
exit $status
