#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The package for Octave as people get it: 'pkg install' takes the archive, builds it by itself, and its
# functions work. APPELL is the path of the command.
set -u
build=$(dirname "${APPELL:?the path of the appell command}")
. tests/cli/library_options.sh
if [ ! -e "$build/octave/appell_mex.mex" ]; then
  echo "skipped: the package for Octave: mkoctfile is missing (make octave)"
  exit 77
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
# pkg unpacks into a folder of another name each time: ccache is told to look at names below it alone. Without
# objects of the build that is tested it has those of test_wheel.sh, which runs first.
export CMAKE_FLAGS="$library_options" CCACHE_BASEDIR="$scratch" CCACHE_NOHASHDIR=1 TMPDIR="$scratch" OCTAVE_HISTFILE="$scratch/history"
archive=$(scripts/octave_package "$scratch") || exit 1
export ARCHIVE="$archive" PREFIX="$scratch/packages" MODELS="$PWD/models"

# octave PROGRAM: says what failed, and the end of what it printed.
octave() {
  octave-cli -q --no-init-file --eval 'pkg ("prefix", getenv ("PREFIX"), getenv ("PREFIX"));
    pkg ("local_list", fullfile (getenv ("PREFIX"), "list"));
    pkg ("global_list", fullfile (getenv ("PREFIX"), "global_list"));' --eval "$1" >"$scratch/log" 2>&1 && return
  tail -n 30 "$scratch/log"
  echo "FAILED: $1"
  exit 1
}

mkdir "$PREFIX"
octave 'pkg ("install", getenv ("ARCHIVE"));'
octave 'pkg load appell;
  assert (! isempty (strfind (which ("appell_load"), getenv ("PREFIX"))));
  m = appell_load ("puma600");
  q = rand (20, 6); v = rand (20, 6); a = rand (20, 6);
  assert (forward_dynamics (m, q, v, inverse_dynamics (m, q, v, a)), a, 1e-10);
  run = simulate (fullfile (getenv ("MODELS"), "ball.yaml"));
  assert (run.column ("q.height")(1), 1);'
octave 'pkg describe appell; pkg uninstall appell;'
