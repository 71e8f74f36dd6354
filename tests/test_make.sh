#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The front of the build: make clean removes nothing but builds, blanks in names are no harm, what is
# missing is said, and what tests skip is shown.
set -u
. "$(dirname "$0")/cli/checks.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL BUILD HOME

# ---- make clean ---------------------------------------------------------------------------------

# a_build FOLDER: as far as make clean can tell.
a_build() { mkdir -p "$1/deep" && echo 'CMAKE_PROJECT_NAME:STATIC=appell' >"$1/CMakeCache.txt"; }

# clean FOLDER
clean() { make -C "$here" --no-print-directory clean BUILD="$1" >out 2>err; }

# kept FOLDER: make clean refuses it, and says so. Nothing is lost where it does not: rm is another.
mkdir harmless && printf '#!/bin/sh\nexit 0\n' >harmless/rm && chmod +x harmless/rm
kept() { ! PATH="$tmp/harmless:$PATH" clean "$1" && grep -q "^scripts/clean: '" err; }

a_build "$tmp/a"
a_build "$tmp/b"
a_build "$tmp/a b"
clean "$tmp/a b"
holds 'make clean removes a build whose name has a blank' [ ! -e "$tmp/a b" ]
holds 'and no other' [ -d "$tmp/a/deep" ]
clean "$tmp/b"
holds 'and one without' [ ! -e "$tmp/b" ]
# removed FOLDER: it is, and a is not.
removed() { [ ! -e "$1" ] && [ -d "$tmp/a/deep" ]; }
# shellcheck disable=SC2016 # a name with that character
for folder in 'a$b' 'a$(b)' 'a#b' "a'b" 'a"b' 'a;b' 'a\b'; do
  a_build "$tmp/a"
  a_build "$tmp/$folder"
  clean "$tmp/$folder"
  holds "the name means itself: $folder" removed "$tmp/$folder"
  a_build "$tmp/$folder"
  BUILD=$tmp/$folder make -C "$here" --no-print-directory clean >out 2>err
  holds 'in the environment, too' removed "$tmp/$folder"
done
a_build "$tmp/behind"
ln -s "$tmp/behind" "$tmp/link"
ln -s "$tmp/a" "$tmp/behind/deep/link"
clean "$tmp/link"
holds 'a link to a build is removed' [ ! -L "$tmp/link" ]
holds 'what it leads to is not' [ -d "$tmp/behind/deep" ]
clean "$tmp/behind"
holds 'nor what a link in a build leads to' [ -d "$tmp/a/deep" ]
rm -r "$tmp/a"
holds 'a folder that is not there is no error' clean "$tmp/none"
mkdir -p other/deep
holds 'a folder that is no build is kept' kept "$tmp/other"
echo 'CMAKE_PROJECT_NAME:STATIC=robot' >other/CMakeCache.txt
holds 'nor is the build of another project removed' kept "$tmp/other"
holds 'nor /' kept /
holds 'nor the sources' kept .
holds 'nor a part of them' kept src
holds 'nor what they are in' kept ..
a_build "$tmp/home/below"
mv "$tmp/home/below/"* "$tmp/home"
at_home() { (HOME="$tmp/home" && export HOME && kept "$1"); }
holds 'nor a home that was built in' at_home "$tmp/home"
mkdir inside && cp "$here/CMakeLists.txt" inside
(cd inside && cmake . >../out 2>../err)
holds 'a build among the sources is refused' grep -q 'Build in a folder of its own' err

# ---- variables ----------------------------------------------------------------------------------

# wrong NAME VALUE: make says what is wrong with it, before it builds.
wrong() {
  ! make -C "$here" --no-print-directory configure BUILD="$tmp/unbuilt" "$1=$2" >out 2>err && grep -q "^$1='.*': " err
}
for jobs in 0 -1 two '1 2' ''; do holds "no number of jobs: '$jobs'" wrong JOBS "$jobs"; done
for folder in 'a"b' 'a;b' 'a\b'; do holds "where CMake cannot build: $folder" wrong BUILD "$tmp/$folder"; done
holds 'and nothing is made there' sh -c '! ls -d unbuilt a*'

# ---- APPELL_ISA ---------------------------------------------------------------------------------

# What the library has to pick from, and picks, in one folder that gets one choice after the other.
mkdir 'instruction sets'
cat >'instruction sets/CMakeLists.txt' <<END
cmake_minimum_required(VERSION 3.25)
project(instruction_sets C)
include(CheckCCompilerFlag)
set(APPELL_ISA all CACHE STRING "")
include("$here/cmake/isa.cmake")
END
cat >tables.c <<'END'
#include "base/isa.h"
#include <stdio.h>
AP_TABLE_OF(char, narrow, narrow_of)
AP_WIDE_TABLE_OF(char, narrow, wide, wide_of)
const char narrow_base = 'b', narrow_v3 = '3', narrow_v4 = '4', wide_v3 = 'T', wide_v4 = 'F';
int main(void) {
  for (int build = 0; build < AP_BUILDS; build++) printf("%c%c%d ", *narrow_of(build), *wide_of(build), runs_build(build));
  return runs_build(best_build()) ? 0 : 1;
}
END
# tables ISA: the tables of the three builds and whether they run here; fails where the best does not.
tables() {
  cmake -S 'instruction sets' -B 'sets built' -DAPPELL_ISA="$1" >out 2>err &&
    "${CC:-cc}" -std=c17 -DAP_ISA_BUILDS -I'sets built/isa' -I"$here/src" tables.c -o tables >>out 2>>err && ./tables
}
# are ISA PATTERN: these tables are.
are() { tables "$1" >said; grep -q "^$2\$" said; }
holds 'APPELL_ISA=base: nothing but base is picked' are base 'bb1 bb0 bb0 '
if [ "$(uname -m)" = x86_64 ]; then
  holds 'v3: where base is not built, v3 stands in' are v3 '3T0 3T[01] 3T0 '
  holds 'v4: and v4 where nothing else is' are v4 '4F0 4F0 4F[01] '
  holds 'all: each is itself' are all 'bb1 3T[01] 4F[01] '
  holds 'host: one is built, and it runs here' are host '[^1]*1[^1]*'
  tables all >said
  best=$(sed 's/.*\(..\)1.*/\1/' said)
  tables host >said
  holds 'and it is the best of all' grep -q "^\(${best}[01] \)*\$" said
fi
tables v9 >said
holds 'another word is refused, with those that can stand there' grep -q "'v9': here it can be all, host, base" err

# ---- scripts/setup ------------------------------------------------------------------------------

# A machine with next to nothing: no compiler, no sudo, and nobody is root.
mkdir 'few tools' 'temporary files'
for tool in mktemp rm sed sort head; do ln -s "$(command -v $tool)" "few tools/$tool"; done
printf '#!/bin/sh\necho 1000\n' >'few tools/id'
chmod +x 'few tools/id'
# shellcheck disable=SC2209 # the shell's path
shell=$(command -v sh)

# setup [TIER]
setup() { PATH="$tmp/few tools" TMPDIR="$tmp/temporary files" "$shell" "$here/scripts/setup" "$@" >out 2>err; }

setup
holds 'without apt-get, the set-up fails' [ $? -eq 1 ]
holds 'and names what is missing' grep -q '^  cmake  *the build itself' err
printf '#!/bin/sh\nexit 1\n' >'few tools/apt-get'
chmod +x 'few tools/apt-get'
setup
holds 'without root and sudo, too' [ $? -eq 1 ]
holds 'and says what root would install' grep -q '^  apt-get install gcc .*make cmake' err
holds 'which is no Node.js' sh -c '! grep -q nodejs err'
setup ci
holds 'but for the whole of the tests it is' grep -q '^  apt-get install .* nodejs ' err
setup everything
holds 'no other tier' [ $? -eq 2 ]
holds 'nothing is left among the temporary files' nothing_left 'temporary files'

# ---- what tests skip ----------------------------------------------------------------------------

mkdir -p 'a build/Testing/Temporary'
cat >'a build/Testing/Temporary/LastTest.log' <<'END'
1/4 Testing: page.sh
skipped: Node.js is missing (scripts/setup ci)
2/4 Testing: cuda
skipped: g++ is missing (scripts/setup ci)
skipped: g++ is missing (scripts/setup ci)
3/4 Testing: report.sh
skipped: Node.js is missing (scripts/setup ci)
4/4 Testing: base
3 passed, 0 failed
END
"$here/scripts/skipped" 'a build' >out 2>err
holds 'each reason is one line' [ "$(grep -c '^  ' out)" -eq 2 ]
holds 'with its tests' grep -qx '  page.sh, report.sh: Node.js is missing (scripts/setup ci)' out
holds 'once each' grep -qx '  cuda: g++ is missing (scripts/setup ci)' out
: >'a build/Testing/Temporary/LastTest.log'
"$here/scripts/skipped" 'a build' >out 2>err
holds 'nothing skipped is said, too' grep -qx 'Nothing was skipped.' out
holds 'no run is an error' sh -c "! '$here/scripts/skipped' none"
finish
