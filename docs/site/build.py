#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation site.

    build.py SOURCE EXECUTABLE OUTPUT [--no-examples]
    build.py --check

SOURCE is the checkout, EXECUTABLE runs the examples of docs/gallery/ (with --no-examples they have no figures), and the site is
OUTPUT/html/index.html. Needs
Doxygen, Sphinx with MyST, Breathe, furo and sphinx-gallery, and KaTeX: the packages of PACKAGES. Prints one line and
ends with status 77 if one is missing; with --check it does only that. Every warning is an error.
"""
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import headers

# Modules, commands and files, each with its Debian package.
PACKAGES = {
    "sphinx": "python3-sphinx", "myst_parser": "python3-myst-parser", "furo": "furo", "breathe": "python3-breathe",
    "sphinx_gallery": "python3-sphinx-gallery", "matplotlib": "python3-matplotlib", "numpy": "python3-numpy",
    "doxygen": "doxygen", "/usr/share/javascript/normalize.css/normalize.css": "node-normalize.css",
    "/usr/share/javascript/katex/katex.min.js": "libjs-katex",
}
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "LICENSE", "CITATION.cff", "CMakePresets.json")
FOLDERS = ("analysis", "cmake", "include", "inputs", "src", "tests", "tools")
MISSING = 77


def missing_packages() -> list[str]:
    """Returns the Debian packages that the site needs and this machine lacks."""
    def exists(name):
        if name == "doxygen":
            return shutil.which(name)
        return Path(name).is_file() if name.startswith("/") else importlib.util.find_spec(name)

    return [package for name, package in PACKAGES.items() if not exists(name)]


def stage(source: Path, pages: Path) -> None:
    """Makes a folder that looks like the checkout for links; sphinx-gallery writes its pages into it."""
    shutil.rmtree(pages, ignore_errors=True)
    pages.mkdir(parents=True)
    for name in PAGES:
        shutil.copy2(source / name, pages / name)
    for name in FOLDERS:
        (pages / name).symlink_to(source / name)
    shutil.copytree(source / "docs", pages / "docs", ignore=shutil.ignore_patterns("__pycache__"))


def katex_files(static: Path) -> None:
    """Copies KaTeX with the fonts that browsers take."""
    katex = Path("/usr/share/javascript/katex")
    (static / "katex/fonts").mkdir(parents=True)
    for name in ("katex.min.js", "katex.min.css"):
        shutil.copy(katex / name, static / "katex" / name)
    for font in (katex / "fonts").glob("*.woff2"):
        shutil.copy(font, static / "katex/fonts" / font.name)


def mend_theme(static: Path) -> None:
    """Makes Debian's furo work from files and with the colours that a browser prefers.

    Its style imports a file of the web server, and has dark colours for a chosen theme only. Its script imports a module,
    which browsers refuse for files.
    """
    style, script = static / "styles/furo.css", static / "scripts/furo.js"
    text = style.read_text(encoding="utf-8")
    normalize = Path("/usr/share/javascript/normalize.css/normalize.css").read_text(encoding="utf-8")
    text = re.sub(r"^@import url\(/javascript/normalize[^;]*;", lambda _: normalize, text, flags=re.M)
    dark = re.search(r'body\[data-theme="dark"\] \{[^}]*\}', text)
    if dark and "prefers-color-scheme" not in text:
        block = dark[0].replace('[data-theme="dark"]', ':not([data-theme="light"])')
        text += f"\n@media not print {{ @media (prefers-color-scheme: dark) {{ {block} }} }}\n"
    style.write_text(text, encoding="utf-8")
    module = (static / "scripts/gumshoe-patched.js").read_text(encoding="utf-8")
    code = script.read_text(encoding="utf-8")
    script.write_text(re.sub(r"^import Gumshoe .*$", lambda _: module, code, count=1, flags=re.M), encoding="utf-8")


def build(source: Path, executable: Path, output: Path, has_examples: bool) -> int:
    """Builds the site and returns an exit status."""
    pages, xml, site = output / "pages", output / "xml", output / "html"
    stage(source, pages)
    katex_files(pages / "docs/site/static")
    shutil.rmtree(xml, ignore_errors=True)
    xml.mkdir()
    environment = dict(os.environ, APSIS_SITE_SOURCE=str(source), APSIS_SITE_XML=str(xml), MPLBACKEND="agg",
                       APSIS_EXECUTABLE=str(executable), APSIS_SITE_EXAMPLES=str(has_examples),
                       MPLCONFIGDIR=str(output / "matplotlib"))
    words = ["doxygen", str(source / "docs/site/Doxyfile")]
    if subprocess.run(words, env=environment, cwd=output).returncode:
        return 1
    headers.remove_lambdas(xml)
    words = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-j", "2", "-b", "html", "-c", str(pages / "docs"),
             "-d", str(output / "doctrees"), str(pages), str(site)]
    if subprocess.run(words, env=environment, cwd=output).returncode:
        shutil.rmtree(output / "doctrees")  # the next build would not repeat warnings of these pages
        return 1
    mend_theme(site / "_static")
    (site / "index.html").write_text('<!doctype html><meta charset="utf-8"><title>Apsis</title>'
                                     '<meta http-equiv="refresh" content="0; url=docs/index.html">\n', encoding="utf-8")
    print(f"site: {site}/index.html")
    return 0


def main() -> int:
    is_check = sys.argv[1:] == ["--check"]
    has_examples = sys.argv[4:] != ["--no-examples"]
    if not is_check and (len(sys.argv) < 4 or has_examples and len(sys.argv) > 4):
        print("site: error: command line: not three arguments (see the head of this file); give SOURCE EXECUTABLE OUTPUT",
              file=sys.stderr)
        return 64
    missing = missing_packages()
    if missing:
        print(f"site: not built (this machine lacks some tools); sudo apt-get install {' '.join(missing)}")
        return MISSING
    if is_check:
        return 0
    return build(*(Path(word).resolve() for word in sys.argv[1:4]), has_examples)


if __name__ == "__main__":
    sys.exit(main())
