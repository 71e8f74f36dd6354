#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Python package of the build folder: its tests, its tutorials, its types. APPELL is the path of the
# command.
set -u
build=$(dirname "${APPELL:?the path of the appell command}")
package=$PWD/bindings/python
python=$(sed -n 's/^_Python3_EXECUTABLE:INTERNAL=//p' "$build/CMakeCache.txt")
if [ ! -e "$build/python/appell/_core.abi3.so" ]; then
  echo "skipped: the Python package is not built: Python's headers are missing (make python)"
  exit 77
fi
export PYTHONPATH="$build/python" PYTHONDONTWRITEBYTECODE=1
"$python" -c 'import numpy' 2>/dev/null || python=/usr/bin/python3
if ! "$python" -c 'import numpy' 2>/dev/null; then
  echo "skipped: the Python package: NumPy is missing (make python)"
  exit 77
fi
# A sanitized module needs its runtime first; the interpreter's own leaks are none of ours.
if grep -q '^APPELL_SANITIZE:[A-Z]*=ON' "$build/CMakeCache.txt"; then
  LD_PRELOAD=$(cc -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0
  export LD_PRELOAD ASAN_OPTIONS
fi
status=0
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export HYPOTHESIS_STORAGE_DIRECTORY="$scratch/hypothesis" XDG_CACHE_HOME="$scratch" MPLCONFIGDIR="$scratch"
for tutorial in "$package"/tutorials/*.py; do
  (cd "$scratch" && "$python" "$tutorial" >/dev/null) || { echo "FAILED: $tutorial"; status=1; }
done
if "$python" -c 'import pytest' 2>/dev/null; then
  (cd "$package/tests" && "$python" -m pytest -q -p no:cacheprovider .) || status=1
else
  echo "skipped: tests of the Python package: pytest is missing (scripts/setup ci)"
fi
# Types are the same whatever the library is compiled with: with less effort they are left to make test.
if [ "${APPELL_TEST_EFFORT:-3}" -lt 3 ]; then
  echo "types of the Python package: left to a test with all effort"
elif "$python" -c 'import mypy' 2>/dev/null; then
  (cd "$package" && "$python" -m mypy --strict --cache-dir "$build/mypy" appell tutorials ../../bench/python_calls.py) || status=1
else
  echo "skipped: types of the Python package: mypy is missing (scripts/setup ci)"
fi
exit $status
