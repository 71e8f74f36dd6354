# SPDX-License-Identifier: Apache-2.0
# Sphinx: the documentation as pages that need no server and no network.

import os

project = "Appell"
author = "the Appell authors"
copyright = "the Appell authors, Apache License 2.0"
version = release = os.environ.get("APPELL_VERSION", "")

extensions = ["myst_parser", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
myst_dmath_double_inline = True
suppress_warnings = ["myst.header", "misc.highlighting_failure", "toc.excluded", "toc.not_readable"]

html_theme = "furo"
html_title = "Appell"
html_static_path = ["_static"]
html_css_files = ["katex/katex.min.css", "site.css"]
# Formulas are typeset by KaTeX where the page is read; its last script takes the place of MathJax's.
html_js_files = ["katex/katex.min.js", "katex/auto-render.js"]
mathjax_path = "formulas.js"
html_show_search_summary = False  # a page from disk may not read others
html_show_sourcelink = False
html_copy_source = False
