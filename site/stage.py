# SPDX-License-Identifier: Apache-2.0
"""python3 site/stage.py APPELL STAGE OUT: the pages of docs/ as Sphinx wants them, with a front page and one about the papers.

Links to other pages stay, those to headers lead to the reference of the API, those to other files of the repository to
copies below OUT/files, those to folders become plain text."""

import html
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
APPELL, STAGE, OUT = (Path(p).resolve() for p in sys.argv[1:4])

GROUPS = [
    ("First steps", "start setup features conventions notation"),
    ("The command", "eval scenarios report view control trajectories planning identification generate lint sweep logs bench"),
    ("Robot files", "yaml mjcf"),
    ("C, Python, Octave, JavaScript", "batch real-time python octave js casadi fmu"),
    ("How it works", "theory methods/README loops impacts convex accuracy"),
    ("Papers", "reproduce"),
]
RUNS = [
    ("shafei2018", "Shafei and Shafei 2018", "a tree of ten rods bounces inside a circle"),
    ("agile_wrist_swing", "Abedloo et al. 2014", "a spherical parallel wrist swings"),
    ("ascher2_swing", "Mata et al. 2002", "two boxes of 0.02 m and 2 m"),
    ("delta_driven", "Delta", "three motors drive a platform"),
    ("stewart_drop", "Stewart platform", "six legs fall and bounce"),
    ("quadruped_drop", "Quadruped", "falls on rough ground"),
]
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def pages():
    return sorted(p for p in (ROOT / "docs").rglob("*.md"))


def target_of(page, text, link):
    """What stands for a link of a page: itself, or HTML."""
    if re.match(r"[a-z]+:", link) or link.startswith("#"):
        return None
    path, _, anchor = link.partition("#")
    there = (page.parent / path).resolve()
    up = "../" * len(page.relative_to(ROOT).parent.parts)
    if there.suffix == ".md" and (there in KNOWN or there == ROOT / "README.md"):
        return None if there in KNOWN else f'<a href="{up}index.html">{text}</a>'
    shown = re.sub(r"`([^`]*)`", lambda m: f"<code>{html.escape(m[1])}</code>", text)
    if there.parent == ROOT / "include/appell" and there.suffix == ".h":
        return f'<a href="{up}api/html/{there.stem.replace("_", "__")}_8h.html">{shown}</a>'
    if there.is_file() and there.is_relative_to(ROOT):
        name = there.relative_to(ROOT)
        copy = OUT / "files" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(there, copy)
        return f'<a href="{up}files/{name}">{shown}</a>'
    return text


def rewritten(page):
    lines = []
    fenced = False
    for line in page.read_text().splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if not fenced and not line.startswith("    "):
            line = LINK.sub(lambda m: target_of(page, m[1], m[2]) or m[0], line)
        lines.append(line)
    return "\n".join(lines) + "\n"


def number(x):
    return "" if x is None else x if isinstance(x, str) else f"{x:.6g}"


def agreement(ours, printed):
    """0: equal within 0.1 %, 1: within 1 %, 2: further away."""
    away = abs(ours - printed)
    size = max(abs(printed), 1e-300)
    return 0 if away <= 1e-3 * size else 1 if away <= 1e-2 * size else 2


HEADS = "<th>within 0.1 %</th><th>within 1 %</th><th>further away</th><th>without a printed number</th>"


def agreement_table(first, groups, link=html.escape):
    """Rows by name, each with its numbers by how far they are from what is printed."""
    out = [f'<table class="agreement"><thead><tr><th>{first}</th>{HEADS}</tr></thead><tbody>']
    for name, rows in groups.items():
        n = [str(count) if count else "" for count in counts_of(rows)]
        out.append(f'<tr><td>{link(name)}</td><td>{n[0]}</td><td>{n[1]}</td><td class="far">{n[2]}</td><td>{n[3]}</td></tr>')
    out.append("</tbody></table>")
    return "\n".join(out)


def grouped(records, key):
    groups = {}
    for r in records:
        groups.setdefault(key(r), []).append(r)
    return groups


def numbers_table(item, rows):
    out = [f'<details class="item"><summary>{html.escape(item)}: {len(rows)} numbers</summary>']
    out.append('<table class="numbers"><thead><tr><th>quantity</th><th>unit</th><th>printed</th><th>ours</th>')
    out.append("<th>note</th></tr></thead><tbody>")
    for r in rows:
        cells = [html.escape(str(r.get(k) or "")) for k in ("quantity", "unit")]
        cells += [html.escape(number(r.get(k))) for k in ("printed", "ours")]
        row = "".join(f"<td>{c}</td>" for c in cells)
        out.append(f'<tr>{row}<td class="note">{html.escape(str(r.get("note") or ""))}</td></tr>')
    out.append("</tbody></table></details>")
    return "\n".join(out)


def papers_page(records):
    """Of each paper a matrix of its tables and figures; below it, folded, these with all their numbers."""
    out = ["# The papers, computed again\n"]
    out.append("Each line counts the numbers that a paper prints, by how far what Appell computes is from them. Nothing is")
    out.append("fitted to a printed number; where the two differ, a note says why, or that it is not known.\n")
    for paper, mine in grouped(records, lambda r: r["paper"]).items():
        tables = grouped(mine, lambda r: re.split("[,:]", r["item"])[0])
        out.append(f"\n## {paper}\n")
        out.append(agreement_table("table or figure", tables) + "\n")
        for table, rows in tables.items():
            items = grouped(rows, lambda r: r["item"])
            if len(items) == 1:
                out.append(numbers_table(*next(iter(items.items()))))
                continue
            out.append(f'<details class="group"><summary>{html.escape(table)}: {len(rows)} numbers</summary>')
            out.append(agreement_table("item", items))
            out += [numbers_table(item, numbers) for item, numbers in items.items()]
            out.append("</details>")
    return "\n".join(out) + "\n"


def counts_of(rows):
    """How many numbers are within 0.1 %, within 1 %, further away, without a printed number."""
    counts = [0, 0, 0, 0]
    for r in rows:
        known = all(isinstance(r.get(k), (int, float)) for k in ("printed", "ours"))
        counts[agreement(r["ours"], r["printed"]) if known else 3] += 1
    return counts


def matrix(records):
    """The papers in one table."""
    link = lambda paper: f'<a href="papers.html#{html.escape(paper)}">{html.escape(paper)}</a>'
    return agreement_table("paper", grouped(records, lambda r: r["paper"]), link)


def front_page(rest, records):
    readme = (ROOT / "README.md").read_text()
    what = readme.split("\n\n")[1:4]
    cards = "".join(
        f'<li><a href="runs/{name}.html"><strong>{html.escape(title)}</strong><small>{html.escape(text)}</small></a></li>'
        for name, title, text in RUNS
    )
    out = ["# Appell", *what]
    out.append("## A robot to move")
    out.append(
        "This is the page of `appell view`, with the library inside: drag a link, move a slider, press *Let go*. "
        '<a href="runs/live.html">On a page of its own</a> it also takes your robot file.'
    )
    out.append('<iframe class="live" src="runs/live.html" title="A robot to move" loading="lazy"></iframe>')
    out.append("## Runs to play")
    out.append(f'<ul class="runs">{cards}</ul>')
    out.append("## Papers, computed again")
    out.append("Numbers that five papers print, by how far Appell's are from them. [Every table](papers.md) is there, with notes.")
    out.append(matrix(records))
    out.append("## Reference")
    out.append('<a href="api/html/index.html">Functions and types of the C library</a>.')
    for caption, names in [*GROUPS, ("Project", rest)]:
        entries = "\n".join(f"docs/{name}" for name in names.split())
        extra = "\npapers" if caption == "Papers" else ""
        out.append(f"```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{entries}{extra}\n```")
    return "\n\n".join(out) + "\n"


def make_runs():
    folder = OUT / "runs"
    folder.mkdir(parents=True, exist_ok=True)
    for name, _, _ in RUNS:
        log = STAGE / f"{name}.csv"
        subprocess.run([APPELL, "simulate", ROOT / f"models/{name}.yaml", "-o", log, "--quiet"], check=True)
        subprocess.run([APPELL, "report", log, "-o", folder / f"{name}.html"], check=True)
        for left in STAGE.glob(f"{name}.*"):
            left.unlink()
    subprocess.run([APPELL, "view", "quadruped", "-o", folder / "live.html"], check=True)


KNOWN = set(pages())
STAGE.mkdir(parents=True, exist_ok=True)
for page in pages():
    to = STAGE / page.relative_to(ROOT)
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text(rewritten(page))
shutil.copytree(ROOT / "docs/images", STAGE / "docs/images", dirs_exist_ok=True)
shutil.copy(ROOT / "site/conf.py", STAGE / "conf.py")
static = STAGE / "_static"
(static / "katex").mkdir(parents=True, exist_ok=True)
for name in ("site.css", "formulas.js"):
    shutil.copy(ROOT / "site" / name, static / name)
katex = Path("/usr/share/javascript/katex")
for name in ("katex.min.css", "katex.min.js", "contrib/auto-render.js"):
    shutil.copy(katex / name, static / "katex" / Path(name).name)
shutil.copytree(katex / "fonts", static / "katex/fonts", dirs_exist_ok=True)

named = {name for _, names in GROUPS for name in names.split()}
others = [str(p.relative_to(ROOT / "docs").with_suffix("")) for p in pages()]
records = json.loads(subprocess.run([APPELL, "reproduce", "--json"], check=True, capture_output=True, text=True).stdout)
(STAGE / "papers.md").write_text(papers_page(records))
(STAGE / "index.md").write_text(front_page(" ".join(name for name in others if name not in named), records))
make_runs()
