# SPDX-License-Identifier: Apache-2.0
"""python3 site/finish.py OUT: makes what the theme loads work from disk, where scripts cannot import others and Debian's
shared folders are not there."""

import re
import shutil
import sys
from pathlib import Path

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
    sheet.write_text(text)
