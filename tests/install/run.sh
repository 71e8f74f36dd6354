#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs a build into an empty folder, moves that folder, and there builds and runs motion.c and
# three examples, one of the core, one of the tools, and one that calls no function of the core but
# some of libm, with pkg-config and with the CMake package, against the shared and the static
# libraries. Programs find the installed libraries by what docs/start.md says, a run path.
#
#   tests/install/run.sh BUILD      BUILD is a finished build with the tools
set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)
examples=$here/../../examples

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$build" --prefix "$scratch/first" >"$scratch/log"
mv "$scratch/first" "$scratch/installed"
prefix=$scratch/installed
cd "$scratch"
cp "$examples/dynamics.c" appell.c
cp "$examples/urdf.c" tools.c
cp "$examples/delta.c" .
cp "$here/motion.c" .

# step WORDS COMMAND...: runs it; its output is shown only when it fails.
step() {
  echo "$1"
  shift
  "$@" >out 2>&1 || {
    cat out
    exit 1
  }
}

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name appell.pc)")
libdir=$(dirname "$PKG_CONFIG_PATH")
export PKG_CONFIG_PATH
unset LD_LIBRARY_PATH

# with_pkg_config SOURCE PACKAGE; pkg-config escapes blanks in paths for a shell to read.
with_pkg_config() {
  source=$1 package=$2
  eval "set -- $(pkg-config --cflags --libs "$package")"
  step "$package.pc, shared" cc -std=c17 "$source.c" -o shared "$@" -Wl,-rpath,"$libdir"
  step "run it" ./shared
  eval "set -- $(pkg-config --static --cflags --libs "$package")"
  step "$package.pc, static" cc -std=c17 -static "$source.c" -o static "$@"
  step "run it" ./static
}
with_pkg_config appell appell
with_pkg_config tools appell-tools
with_pkg_config motion appell-tools
with_pkg_config delta appell-tools

step "find_package" cmake -S "$here" -B consumer -DCMAKE_PREFIX_PATH="$prefix" -DCONSUMER_DIR="$scratch"
step "build with it" cmake --build consumer
for program in appell tools motion delta; do
  step "run ${program}_shared" "consumer/${program}_shared"
  step "run ${program}_static" "consumer/${program}_static"
done

step "run the installed command" "$prefix/bin/appell" --version
# A model that is installed, but not here: the error says where it is.
for words in 'simulate models/ball.yaml' 'simulate ball' 'control puma_spline' 'info models/two_link.urdf'; do
  echo "where is the file of: appell $words"
  # shellcheck disable=SC2086 # words
  "$prefix/bin/appell" $words >out 2>&1 && exit 1
  file=$(sed -n "s/.*(it is installed as '\(.*\)')\$/\1/p" out)
  test -f "$file" || {
    cat out
    exit 1
  }
done
for file in include/appell/appell.h share/doc/appell/LICENSE share/doc/appell/NOTICE \
  share/man/man1/appell.1 share/bash-completion/completions/appell; do
  step "find $file" test -f "$prefix/$file"
done
for name in appell appell-research appell-tools; do
  step "SONAME of lib$name" sh -c "readelf -d '$libdir/lib$name.so' | grep -q 'SONAME.*lib$name.so.0.2\]'"
done
