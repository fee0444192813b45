#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures of docs/gallery.md with the commands of that page, at a small size, and compares them with docs/images/gallery.png.

    gallery.py SOURCE EXECUTABLE WORK [--write] [NUMBER...]

--write replaces docs/images/gallery.png instead. Numbers choose pictures; the others are not compared.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import matplotlib  # noqa: E402
import numpy as np  # noqa: E402
from PIL import Image, ImageDraw, ImageFont  # noqa: E402
from check_documents import Document, Problems, commands  # noqa: E402

WIDTH, HEIGHT, COLUMNS, GAP = 320, 180, 3, 2  # of a picture [pixels], pictures in a row, and between them [pixels]
SMALL = f'"width": {WIDTH}, "height": {HEIGHT}, "label": false, '
COLOURS = 192  # of docs/images/gallery.png
BOX = 20      # pictures are compared as means of boxes of this size [pixels]
# Largest accepted difference of a picture, of 255: mean over all boxes and colours, and of a single one. Another compiler
# rounds otherwise and moves bodies by less than a box; without a body, or in other colours, the differences are larger.
MEAN_LIMIT, BOX_LIMIT = 1.5, 30.0


def pictures_of(page):
    """Yields number, title and command of each picture of the page."""
    headings = [(number, match) for number, line in enumerate(page.lines, 1) if (match := re.fullmatch(r"## (\d+)\. (.+)", line))]
    for number, heading in headings:
        start, text = next((start, text) for _, start, text in page.fences if start > number)
        (_, command), = commands(start, text)
        yield int(heading.group(1)), heading.group(2), command


def enter(source, executable, work):
    """Makes a folder with the decks and the executable under the name that the page uses."""
    shutil.rmtree(work, ignore_errors=True)
    (work / "bin").mkdir(parents=True)
    (work / "inputs").symlink_to(source / "inputs")
    script = work / "bin/apsis"
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(str(executable))} "$@"\n')
    script.chmod(0o755)


def picture(command, work):
    """Runs a command at the small size and returns its last picture, or the reason why there is none."""
    small = command.replace('output.render=[{', f"output.render=[{{{SMALL}")
    process = subprocess.run(["bash", "-c", small], cwd=work, env={**os.environ, "PATH": f"{work}/bin:{os.environ['PATH']}"},
                             capture_output=True, text=True, stdin=subprocess.DEVNULL)
    name = re.search(r"--output (\S+)", command).group(1)
    drawn = sorted((work / name / "pictures").glob("*.png"))
    if process.returncode or not drawn:
        return None, f"ends with {process.returncode}: {(process.stderr or process.stdout).strip()[-300:]}"
    return Image.open(drawn[-1]).convert("RGB"), ""


def corner(number):
    """Returns the place of a picture in the sheet."""
    row, column = divmod(number - 1, COLUMNS)
    return column * (WIDTH + GAP) + GAP // 2, row * (HEIGHT + GAP) + GAP // 2


def sheet_of(pictures):
    """Returns one picture of all, numbered."""
    rows = -(-max(pictures) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * (WIDTH + GAP), rows * (HEIGHT + GAP)), (70, 70, 70))
    font = ImageFont.truetype(f"{matplotlib.get_data_path()}/fonts/ttf/DejaVuSans-Bold.ttf", 11)
    pen = ImageDraw.Draw(sheet)
    for number, image in pictures.items():
        x, y = corner(number)
        sheet.paste(image, (x, y))
        pen.text((x + 6, y + 5), str(number), font=font, fill=(255, 255, 255), stroke_width=2, stroke_fill=(0, 0, 0))
    return sheet


def boxes(sheet, number):
    """Returns the mean colours of the boxes of a picture, of shape (rows, columns, 3)."""
    x, y = corner(number)
    pixels = np.asarray(sheet.convert("RGB").crop((x, y, x + WIDTH, y + HEIGHT)), dtype=float)
    return pixels.reshape(HEIGHT // BOX, BOX, WIDTH // BOX, BOX, 3).mean(axis=(1, 3))


def main(source, executable, work, *options):
    source, executable, work = (Path(path).resolve() for path in (source, executable, work))
    chosen = [int(word) for word in options if word.isdigit()]
    page = Document(source / "docs/gallery.md", "docs/gallery.md", Problems())
    enter(source, executable, work)
    pictures, failures = {}, []
    for number, title, command in pictures_of(page):
        if chosen and number not in chosen:
            continue
        pictures[number], problem = picture(command, work)
        if problem:
            failures.append(f"{number}. {title}: {problem}")
            del pictures[number]
    shown = source / "docs/images/gallery.png"
    if "--write" in options and not failures:
        sheet_of(pictures).quantize(COLOURS, kmeans=1).save(shown, optimize=True)
        print(shown)
        return 0
    new, old = sheet_of(pictures), Image.open(shown)
    if not chosen and not failures and new.size != old.size:
        failures.append(f"docs/images/gallery.png has the size {old.size}, and {len(pictures)} pictures have {new.size}")
    new.save(work / "gallery.png")
    for number in pictures:
        apart = np.abs(boxes(new, number) - boxes(old, number))
        print(f"{number}: mean {apart.mean():.2f}, largest {apart.max():.1f}")
        if apart.mean() > MEAN_LIMIT or apart.max() > BOX_LIMIT:
            failures.append(f"{number}: differs from docs/images/gallery.png by {apart.mean():.2f} in the mean and {apart.max():.1f} at most "
                            f"(limits {MEAN_LIMIT} and {BOX_LIMIT}); look at {work}/gallery.png, and write it with --write")
    for failure in failures:
        print(f"FAILED: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
