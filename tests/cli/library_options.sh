# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What the tests of packages share that build the library by themselves, in a folder of their own. To be
# sourced; build is the folder of the build that is tested.
#
# library_options: CMake's options. Where ccache has the objects of that build, whatever their folder is
# called (CCACHE_BASEDIR, as in .ci/run), those of that build: nothing is compiled again. Elsewhere without
# optimisation and for one instruction set only: that is minutes less.
: "${build:?the folder of the build}"
if [ -n "${CCACHE_BASEDIR-}" ] && grep -q '^CMAKE_C_COMPILER_LAUNCHER:[A-Z]*=ccache$' "$build/CMakeCache.txt"; then
  names='CMAKE_BUILD_TYPE|CMAKE_C_COMPILER_LAUNCHER|APPELL_(ISA|WERROR|HARDEN|HDF5|COMEDI)'
  library_options=$(sed -nE "s/^($names):[A-Z]*=([^ ]*)\$/-D\\1=\\3/p" "$build/CMakeCache.txt" | tr '\n' ' ')
else
  library_options='-DAPPELL_ISA=base -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DAPPELL_COMEDI=OFF'
  ! command -v ccache >/dev/null || library_options="$library_options -DCMAKE_C_COMPILER_LAUNCHER=ccache"
fi
