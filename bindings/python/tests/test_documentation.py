# SPDX-License-Identifier: Apache-2.0
"""What docs/python.md shows runs as it stands, from its first line to its last."""

import re

import pytest

from common import TREE


def test_the_page_runs(tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib", reason="Matplotlib is missing (scripts/setup ci)")
    matplotlib.use("Agg")
    (tmp_path / "models").symlink_to(TREE / "models")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (TREE / "docs" / "python.md").read_text(), re.S)
    assert len(blocks) >= 4
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)
