#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Python package as people get it: a source archive that builds by itself, and its wheel in an
# environment of its own, here and in every other CPython that is found. APPELL is the path of the command.
set -u
build=$(dirname "${APPELL:?the path of the appell command}")
. tests/cli/library_options.sh
python=/usr/bin/python3
for module in numpy ensurepip build; do
  if ! "$python" -c "import $module" 2>/dev/null; then
    echo "skipped: wheel and source archive: Python's module $module is missing (scripts/setup ci)"
    exit 77
  fi
done
if [ ! -e "$build/python/appell/_core.abi3.so" ]; then
  echo "skipped: wheel and source archive: Python's headers are missing (make python)"
  exit 77
fi
scratch=$build/wheel
rm -rf "$scratch"
mkdir -p "$scratch/appell" "$scratch/dist" "$scratch/elsewhere" || exit 1
trap 'rm -rf "$scratch"' EXIT
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INDEX=1 MPLCONFIGDIR="$scratch/elsewhere"
# The sources seen from the folder in which they are built: '..', as of any build folder.
export CCACHE_BASEDIR="$scratch" CCACHE_NOHASHDIR=1
unset PYTHONPATH
status=0

# run WHAT COMMAND...: says what failed, and the end of what it printed.
run() {
  what=$1
  shift
  "$@" >"$scratch/log" 2>&1 && return
  tail -n 30 "$scratch/log"
  echo "FAILED: $what"
  exit 1
}

# What a person runs after the installation; without NumPy the compiled part alone, on its own buffers.
cat >"$scratch/elsewhere/use.py" <<'END'
import importlib.util, os, sys
assert not any(os.path.exists(os.path.join(p, "backend.py")) for p in sys.path), "the sources are in the way"
if importlib.util.find_spec("numpy"):
    import appell, numpy as np
    assert os.path.dirname(appell.__file__).startswith(sys.prefix), appell.__file__
    arm = appell.load("puma600")
    assert arm.inertia(np.zeros((5, 6))).shape == (5, 6, 6)
    run = appell.simulate({"robot": arm, "duration": 0.1})
    assert "<svg" in arm._repr_html_() and run._repr_html_().startswith("<iframe")
    assert os.path.exists(os.path.join(os.path.dirname(appell.__file__), "py.typed"))
else:
    from array import array
    found = importlib.util.find_spec("appell").submodule_search_locations[0]
    spec = importlib.util.spec_from_file_location("appell._core", os.path.join(found, "_core.abi3.so"))
    core = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(core)
    arm = core.Model(core.Robot.builtin("puma600", False, False, False))
    tau = array("d", [0] * 6)
    assert arm.gravity(array("d", [0] * 6), out=tau) is tau and abs(tau[1]) > 1
END

# use PYTHON: install the wheel with it, and use it from another folder.
use() {
  rm -rf "$scratch/venv"
  run "$1 -m venv" "$1" -m venv --system-site-packages "$scratch/venv"
  run "pip install of the wheel with $1" "$scratch/venv/bin/pip" install --no-deps "$wheel"
  (cd "$scratch/elsewhere" && run "the installed wheel with $1" "$scratch/venv/bin/python" "$scratch/elsewhere/use.py") ||
    status=1
}

run "python3 -m build --sdist" "$python" -m build --sdist --no-isolation -o "$scratch/dist" .
run "unpacking" tar -xf "$scratch"/dist/appell-*.tar.gz -C "$scratch/appell" --strip-components=1
# shellcheck disable=SC2086 # options without blanks
run "configuring what was unpacked" cmake -S "$scratch/appell" -B "$scratch/appell/build" -DAPPELL_TESTS=OFF \
  -DAPPELL_BENCH=OFF -DAPPELL_PEERS=OFF -DAPPELL_OCTAVE=OFF $library_options -DPython3_EXECUTABLE="$python"
run "python3 -m build --wheel" "$python" -m build --wheel --no-isolation \
  --config-setting=build-dir="$scratch/appell/build" -o "$scratch/dist" "$scratch/appell"
wheel=$(echo "$scratch"/dist/appell-*-cp311-abi3-linux_*.whl)
[ -f "$wheel" ] || { echo "FAILED: no wheel cp311-abi3-linux in: $(ls "$scratch/dist")"; exit 1; }
run "the wheel's record" "$python" - "$wheel" <<'END'
import base64, hashlib, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
record = next(n for n in wheel.namelist() if n.endswith(".dist-info/RECORD"))
rows = [line.split(",") for line in wheel.read(record).decode().splitlines()]
assert {name for name, *_ in rows} == set(wheel.namelist())
for name, digest, size in rows:
    data = wheel.read(name)
    own = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    assert name == record or (digest, size) == (f"sha256={own}", str(len(data))), name
END

use "$python"
(cd "$scratch/elsewhere" && run "the first tutorial" ../venv/bin/python ../appell/bindings/python/tutorials/plot.py) ||
  status=1
run "pip install . in bindings/python" "$scratch/venv/bin/pip" install --no-deps --force-reinstall \
  --config-settings build-dir="$scratch/appell/build" "$scratch/appell/bindings/python"
for other in "${PYENV_ROOT:-${HOME-}/.pyenv}"/versions/*/bin/python3 /usr/local/bin/python3 /opt/*/bin/python3; do
  "$other" -c 'import sys, sysconfig
sys.exit(sys.version_info < (3, 11) or bool(sysconfig.get_config_var("Py_GIL_DISABLED")))' 2>/dev/null || continue
  use "$other"
  "$scratch/venv/bin/python" -c 'import importlib.util, sys
print("the wheel works with CPython", sys.version.split()[0] + (
    "" if importlib.util.find_spec("numpy") else ", whose NumPy is missing: the compiled part alone"))'
done
exit $status
