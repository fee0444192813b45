#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation site with warnings as errors, and follows its links.

    test_site.py SOURCE EXECUTABLE WORK CHROMIUM

With APSIS_TEST_FULL its examples are run, and it is used in a browser, which opens files, as a user does. Without its tools
or then a browser the status is 77 (skipped), or 1 if the environment has CI=true.
"""
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

MISSING = 77
# Elements whose addresses a browser loads, which must therefore be files of the site.
LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}


class Page(HTMLParser):
    """Addresses and anchors of an HTML file."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name"):
                self.anchors.add(value)
            elif (tag, name) in LOADED:
                self.loads.append(value)
            elif name == "href":
                self.links.append(value)


def check_links(site):
    """Returns problems of links: files or anchors that do not exist, and files of other hosts."""
    pages = {path: Page(path) for path in site.rglob("*.html") if path.name != "search.html"}
    problems = []
    for path, page in pages.items():
        for address in page.loads + page.links:
            parts = urlsplit(address)
            if parts.scheme in ("http", "https", "mailto") or address.startswith("//"):
                if address in page.loads:
                    problems.append(f"{path.relative_to(site)}: loads {address} from another host")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if parts.scheme == "data":
                continue
            if not target.exists():
                problems.append(f"{path.relative_to(site)}: the link {address} leads nowhere")
            elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
                problems.append(f"{path.relative_to(site)}: the link {address} leads to no anchor")
    for path in site.rglob("*.css"):
        for address in re.findall(r"(?:url\(|@import )[\"']?((?:https?:/)?/[^\"')]+)", path.read_text(encoding="utf-8")):
            problems.append(f"{path.relative_to(site)}: loads {address}, which is no file of the site")
    return problems, len(pages)


def shown(chromium, work, address):
    """Returns the HTML of a page after its scripts have run in a browser without a network."""
    words = [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={work / 'browser'}",
             "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=10000", "--dump-dom", address]
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=120).stdout
    except subprocess.TimeoutExpired:
        return ""


def main():
    source, executable, work = (Path(word).resolve() for word in sys.argv[1:4])
    chromium = sys.argv[4]
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    skipped = 1 if os.environ.get("CI") == "true" else MISSING
    environment = dict(os.environ, OMP_NUM_THREADS="1", OMP_PROC_BIND="false")
    is_full = "APSIS_TEST_FULL" in os.environ
    words = [sys.executable, source / "docs/site/build.py", source, executable, work, *([] if is_full else ["--no-examples"])]
    status = subprocess.run(words, env=environment).returncode
    if status == MISSING:
        return skipped
    if status:
        return 1
    site = work / "html"
    problems, pages = check_links(site)
    has_browser = bool(shutil.which(chromium))
    if is_full and not has_browser:
        print("skipped: search and equations (no browser); sudo apt-get install chromium")
    elif is_full:
        page = shown(chromium, work, f"{(site / 'search.html').as_uri()}?q=hermite")
        if not re.search(r'<ul class="search">.*href="docs/integrators/hermite\.html', page, re.DOTALL):
            problems.append("search.html: a search for 'hermite' does not find docs/integrators/hermite.html")
        equations = shown(chromium, work, (site / "docs/integrators/hermite.html").as_uri())
        if 'class="katex"' not in equations or "katex-error" in equations:
            problems.append("docs/integrators/hermite.html: equations are not rendered")
    print(f"{pages} pages, {len(problems)} problems")
    print("\n".join(problems))
    if problems:
        return 1
    shutil.rmtree(work)
    return skipped if is_full and not has_browser else 0


if __name__ == "__main__":
    sys.exit(main())
