# SPDX-License-Identifier: Apache-2.0
"""python3 site/finish.py OUT: makes what the theme loads work from disk, where scripts cannot import others and Debian's
shared folders are not there."""

import re
import shutil
import sys
from pathlib import Path

# The theme of some versions is dark only where its own switch says so, not where the system is.
DARK = 'body[data-theme="dark"]'


def with_dark_of_system(text):
    if "prefers-color-scheme" in text or DARK not in text:
        return text
    rules = re.findall(r"^[^\n{}]*" + re.escape(DARK) + r"[^{}]*\{[^{}]*\}", text, flags=re.M)
    own = "\n".join(rule.replace(DARK, 'body:not([data-theme="light"])') for rule in rules if "theme-toggle" not in rule)
    return f"{text}\n@media not print {{\n@media (prefers-color-scheme: dark) {{\n{own}\n}}\n}}\n"


static = Path(sys.argv[1]) / "_static"
scripts, styles = static / "scripts", static / "styles"
script = (scripts / "furo.js").read_text()
imported = re.findall(r'^import \w+ from "\./([^"]+)";\n', script, flags=re.M)
own = re.sub(r'^import \w+ from "\./[^"]+";\n', "", script, flags=re.M)
(scripts / "furo.js").write_text("\n".join([(scripts / name).read_text() for name in imported] + [own]))
for sheet in styles.glob("*.css"):
    text = sheet.read_text()
    for shared in re.findall(r"url\(/javascript/([^)]+)\)", text):
        shutil.copy(Path("/usr/share/javascript") / shared, styles / Path(shared).name)
        text = text.replace(f"url(/javascript/{shared})", f"url({Path(shared).name})")
    sheet.write_text(with_dark_of_system(text))
