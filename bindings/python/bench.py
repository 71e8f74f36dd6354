# SPDX-License-Identifier: Apache-2.0
"""What a call costs: one state, many states, threads."""

import pathlib
import time
import timeit

import numpy as np

import appell


def nanoseconds(statement: str, names: dict[str, object], number: int) -> float:
    """The least of many short blocks, so that what else the machine does disturbs little."""
    blocks = timeit.repeat(statement, globals=names, number=number, repeat=2000 if number > 1 else 100)
    return min(blocks) / number * 1e9


def main() -> None:
    arm = appell.load("puma600")
    q, v, a = np.random.default_rng(1).uniform(-1, 1, (3, 6))
    Q, V, A = np.random.default_rng(1).uniform(-1, 1, (3, 100000, 6))
    C = [np.asfortranarray(x) for x in (Q, V, A)]
    names: dict[str, object] = {"arm": arm, "q": q, "v": v, "a": a, "out": np.empty(6), "Q": Q, "V": V,
                                "A": A, "OUT": np.empty_like(Q), "C": C, "COUT": np.empty_like(C[0])}
    print("puma600, inverse dynamics, ns")
    for label, statement in (
        ("a call, out=", "arm.inverse_dynamics(q, v, a, out=out)"),
        ("a call, new array", "arm.inverse_dynamics(q, v, a)"),
    ):
        print(f"  {label:44}{nanoseconds(statement, names, 200):8.0f}")
    for threads in (1, appell.get_threads()):
        appell.set_threads(threads)
        for label, statement in (
            ("rows", "arm.inverse_dynamics(Q, V, A, out=OUT)"),
            ("columns", "arm.inverse_dynamics(*C, out=COUT)"),
        ):
            each = nanoseconds(statement, names, 1) / len(Q)
            print(f"  a state of 100000 in {label + f', {threads} thread(s)':23}{each:8.1f}")
    peer()


def peer() -> None:
    """A million states of a robot that Pinocchio reads too, against its loop."""
    try:
        import pinocchio  # type: ignore[import]
    except ImportError:
        print("  Pinocchio is not installed: its loop over a million states is left out")
        return
    file = str(pathlib.Path(__file__).resolve().parents[2] / "models" / "two_link.urdf")
    arm, other = appell.load(file), pinocchio.buildModelFromUrdf(file)
    data = other.createData()
    Q, V, A = np.random.default_rng(1).uniform(-1, 1, (3, 1000000, arm.nv))
    begin = time.perf_counter()
    ours = arm.inverse_dynamics(Q, V, A)
    middle = time.perf_counter()
    theirs = np.array([pinocchio.rnea(other, data, q, v, a) for q, v, a in zip(Q, V, A)])
    end = time.perf_counter()
    assert np.allclose(ours, theirs, atol=1e-9)
    print(f"  a million states of two_link.urdf: {middle - begin:.3f} s, Pinocchio's loop "
          f"{end - middle:.2f} s")


if __name__ == "__main__":
    main()
