# SPDX-License-Identifier: Apache-2.0
"""Configuration of Sphinx for the documentation site, which docs/site/build.py builds.

The pages are the Markdown files of the checkout as they are. The site needs no other host: equations are rendered by a
copy of KaTeX, and the search works from files.
"""
import fnmatch
import html
import os
import re
import sys
from pathlib import Path

from docutils import nodes

sys.path.insert(0, str(Path(__file__).parent / "site"))
import headers  # noqa: E402: beside this file

SOURCE = Path(os.environ["APSIS_SITE_SOURCE"])  # the checkout

project = "Apsis"
author = "The Apsis authors"
project_copyright = "The Apsis authors. Apache-2.0"
release = re.search(r"project\(apsis VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8"))[1]

extensions = ["myst_parser", "breathe", "sphinx_gallery.gen_gallery"]
root_doc = "docs/index"
include_patterns = ["*.md", "docs/**", "src/**/README.md"]
exclude_patterns = ["docs/gallery/*", "analysis", "cmake", "inputs", "include", "tests"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4

html_theme = "furo"
html_title = f"Apsis {release}"
html_static_path = ["site/static"]
html_css_files = ["katex/katex.min.css", "site.css"]
html_js_files = [("katex/katex.min.js", {"defer": "defer"}), ("equations.js", {"defer": "defer"})]
html_copy_source = False
html_show_sphinx = False
html_show_search_summary = False  # excerpts would be fetched, which browsers refuse for files
templates_path: list[str] = []

breathe_projects = {"apsis": os.environ["APSIS_SITE_XML"]}
breathe_default_project = "apsis"
breathe_domain_by_extension = {"hpp": "cpp"}
breathe_show_include = False

sphinx_gallery_conf = {
    "examples_dirs": "docs/gallery",
    "gallery_dirs": "docs/examples",
    "filename_pattern": r"/plot_",
    "abort_on_example_error": True,
    "plot_gallery": os.environ.get("APSIS_SITE_EXAMPLES", "True") == "True",
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "min_reported_time": 1e9,  # times of this machine are no property of an example
    "remove_config_comments": True,
}

# Pages below a page, which it need not list itself: page, pages below it in their order.
BRANCHES = {
    "docs/decks": ["decks/deck", "decks/*"],
    "docs/files/README": ["snapshots", "tables", "conservation", "formats", "text"],
    "docs/integrators/README": ["leapfrog", "compositions", "hermite", "gauss_radau", "wisdom_holman", "simple"],
    "docs/labs/README": ["loop-tile-vector", "cuda-sample", "when-parallel-pays", "host-and-device", "kernel-ladder"],
    "docs/design": ["/src/*/README", "/src/*/*/README"],
    "docs/api/README": ["simulations", "decks", "bodies", "forces", "integrators", "diagnostics", "core"],
}


def table_of_contents(pages, caption=""):
    """Returns a hidden table of contents, which the side bar shows."""
    return "\n\n```{toctree}\n:hidden:\n:glob:\n" + f":caption: {caption}\n" * bool(caption) + "\n" + "\n".join(pages) + "\n```\n"


def contents_of_sections(text):
    """Returns the tables of contents of docs/index.md: the pages that each section links, unless a page of BRANCHES lists them."""
    branches = [f"{Path(page).relative_to('docs').parent / below}" for page, pages in BRANCHES.items() for below in pages]
    tables = []
    for section in text.split("\n## ")[1:]:
        pages = [link for link in re.findall(r"\]\(([\w/.-]+)\.md\)", section)
                 if not any(fnmatch.fnmatch(link, pattern) for pattern in branches)]
        caption = section.partition("\n")[0]
        tables.append(table_of_contents(pages + ["examples/index"] * (caption == "Start"), caption))
    return "".join(tables)


def complete_page(app, page, text):
    """Expands {header} fences, makes equations of math fences, and appends hidden tables of contents."""
    text[0] = headers.expand(text[0], Path(os.environ["APSIS_SITE_XML"]))
    text[0] = re.sub(r"^```math$", "```{math}", text[0], flags=re.M)
    if page == root_doc:
        text[0] += contents_of_sections(text[0])
    if page in BRANCHES:
        text[0] += table_of_contents(BRANCHES[page])


def outdated_pages(app, environment, added, changed, removed):
    """Returns the C++ pages: they depend on headers, of which Sphinx knows nothing."""
    return [page for page in environment.found_docs if page.startswith("docs/api/")]


def visit_inline_math(self, node):
    """Writes an equation in a line for equations.js; without JavaScript its source is shown."""
    self.body.append(f'<span class="math">{html.escape(node.astext())}</span>')
    raise nodes.SkipNode


def visit_math_block(self, node):
    """Writes an equation of its own."""
    self.body.append(f'<div class="math display">{html.escape(node.astext())}</div>')
    raise nodes.SkipNode


def setup(app):
    app.connect("source-read", complete_page)
    app.connect("env-get-outdated", outdated_pages)
    app.add_html_math_renderer("katex", (visit_inline_math, None), (visit_math_block, None))


html_math_renderer = "katex"
