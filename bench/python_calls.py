# SPDX-License-Identifier: Apache-2.0
"""What calls from Python cost beside the same in C: one state, many states, threads, and a peer's loop.

    build/venv/bin/python bench/python_calls.py

The times of C are those of 'appell bench', of the build folder or of the path.
"""

from __future__ import annotations

import json
import math
import pathlib
import shutil
import subprocess
import tempfile
import time
import timeit

import numpy as np

import appell

TREE = pathlib.Path(__file__).resolve().parents[1]
# Nanoseconds that other ways to call C add to it: the same function with out=, measured once (C: 191 ns).
OTHER_WAYS = {"stable ABI, buffers": 266, "pybind11": 1095, "cffi": 1331, "ctypes": 4376}


def nanoseconds(statement: str, names: dict[str, object], number: int, repeat: int) -> float:
    """The least of many short blocks, so that what else the machine does disturbs little."""
    blocks = timeit.repeat(statement, globals=names, number=number, repeat=repeat)
    return min(blocks) / number * 1e9


def times_of_c() -> dict[str, float]:
    """Nanoseconds of inverse dynamics in C: 'general', 'generated' and, a state of many, 'batch'."""
    command = TREE / "build" / "appell"
    found = str(command) if command.exists() else shutil.which("appell")
    if not found:
        print("  'appell' is neither built nor on the path: times of C are left out")
        return {}
    done = subprocess.run([found, "bench", "puma600", "--json", "--seconds", "5"], capture_output=True, text=True,
                          check=True)
    return {row["path"]: row["p10"] for row in json.loads(done.stdout)
            if row["what"] == "inverse" and row["real"] == "f64"}


def line(label: str, python: float, c: float = math.nan) -> None:
    beside = f"{c:9.1f}{python - c:+9.1f} ({100 * (python / c - 1):+.0f} %)" if math.isfinite(c) else ""
    print(f"  {label:40}{python:9.1f}{beside}")


def calls(arm: appell.Model, names: dict[str, object], path: str, c: dict[str, float]) -> None:
    line(f"a call, out=, {path}", nanoseconds("arm.inverse_dynamics(q, v, a, out=out)", names, 200, 2000),
         c.get(path, math.nan))
    line(f"a call, new array, {path}", nanoseconds("arm.inverse_dynamics(q, v, a)", names, 200, 2000),
         c.get(path, math.nan))


def batches(names: dict[str, object], path: str, c: float) -> None:
    threads = appell.get_threads()
    for count in sorted({1, threads}):
        appell.set_threads(count)
        for label, statement in (("rows", "arm.inverse_dynamics(Q, V, A, out=OUT)"),
                                 ("columns", "arm.inverse_dynamics(*C, out=COUT)")):
            each = nanoseconds(statement, names, 1, 100) / 10000
            line(f"a state of 10000 in {label}, {count} thread(s), {path}", each,
                 c if label == "columns" and count == 1 else math.nan)
    appell.set_threads(threads)


def main() -> None:
    arm = appell.load("puma600")
    q, v, a = np.random.default_rng(1).uniform(-1, 1, (3, 6))
    Q, V, A = np.random.default_rng(1).uniform(-1, 1, (3, 10000, 6))
    C = [np.asfortranarray(x) for x in (Q, V, A)]
    names: dict[str, object] = {"arm": arm, "q": q, "v": v, "a": a, "out": np.empty(6), "Q": Q, "V": V,
                                "A": A, "OUT": np.empty_like(Q), "C": C, "COUT": np.empty_like(C[0])}
    c = times_of_c()
    print(f"{'puma600, inverse dynamics, ns':42}{'Python':>9}{'C':>9}{'overhead':>9}")
    calls(arm, names, "general", c)
    batches(names, "general", math.nan)
    arm.compile()
    calls(arm, names, "generated", c)
    batches(names, "generated", c.get("batch", math.nan))
    print("overhead of other ways to call C, ns: " + ", ".join(f"{way} {ns}" for way, ns in OTHER_WAYS.items()))
    peer()


def peer() -> None:
    """A million states of a robot that Pinocchio reads too, against its loop."""
    with tempfile.TemporaryDirectory() as folder:
        file = str(pathlib.Path(folder) / "puma600.urdf")
        appell.load("puma600").write(file)
        arm = appell.load(file)
        try:
            import pinocchio  # type: ignore[import]
        except ImportError:
            other = None
        else:
            other = pinocchio.buildModelFromUrdf(file)
    Q, V, A = np.random.default_rng(1).uniform(-1, 1, (3, 1000000, arm.nv))
    ours = np.empty_like(Q)
    for count in sorted({1, appell.get_threads()}):
        appell.set_threads(count)
        seconds = nanoseconds("arm.inverse_dynamics(Q, V, A, out=ours)", {**locals()}, 1, 5) / 1e9
        print(f"a million states of puma600, general, {count} thread(s): {seconds:.3f} s")
    if other is None:
        print("Pinocchio's loop over them is left out: its Python package is not installed")
        return
    data = other.createData()
    begin = time.perf_counter()
    theirs = np.array([pinocchio.rnea(other, data, q, v, a) for q, v, a in zip(Q, V, A)])
    print(f"Pinocchio's loop over them: {time.perf_counter() - begin:.2f} s")
    assert np.allclose(ours, theirs, atol=1e-9)


if __name__ == "__main__":
    main()
