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
