# SPDX-License-Identifier: Apache-2.0
"""Commands, options and error handling. Imports no library, so that --help is fast."""
import argparse
import contextlib
import importlib
import os
import re
import sys
import warnings

from . import digits
from ..errors import FILES, INTERNAL, USAGE, Error, make_error, failed, printable

PACKAGES = {"numpy": "python3-numpy", "matplotlib": "python3-matplotlib", "h5py": "python3-h5py",
            "PIL": "python3-pil", "yt": "python3-yt"}
CENTRES = ("density", "heaviest", "mass", "origin")
SPECIES = ("gas", "dark", "disk", "bulge", "stars", "other")
EACH = ("all", "part", "species")
MOST_BINS = 10_000
RUN = "directory that apsis run wrote"
SNAPSHOT = "directory of a run, or a snapshot"


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise make_error(USAGE, f"{self.prog.partition(' ')[2] or 'command'}: {message}; see {self.prog} --help")

    def _print_message(self, message, file=None):
        # argparse of Python 3.11.5 and later swallows errors of the stream.
        if message:
            (file or sys.stderr).write(message)


# Numbers as on the executable's command line and in decks (core/decimal.hpp).
INTEGER = r"(?:0|[1-9][0-9]*)"
NUMBER = re.compile(rf"-?{INTEGER}(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def length(text):
    if not NUMBER.fullmatch(text) or not 0 < float(text) < 1e300:
        raise argparse.ArgumentTypeError(f"{text} is no decimal number above 0")
    return float(text)


def whole(least, most):
    """Returns an argparse type for integers in a range."""
    def number(text):
        fits = re.fullmatch(INTEGER, text) and len(text) <= 20 and least <= int(text) <= most
        if not fits:
            raise argparse.ArgumentTypeError(f"{text} is not a whole number from {least} to {most} in decimal digits")
        return int(text)
    return number


body_id = whole(0, 2 ** 64 - 1)


def body(text):
    """Parses the id or the name of a body; a name has a letter first."""
    return text if text[:1].isalpha() else body_id(text)


def id_range(text):
    """Parses A:B as two numbers."""
    first, colon, last = text.partition(":")
    if not colon:
        raise argparse.ArgumentTypeError(f"{text} is not a range A:B")
    if body_id(first) >= body_id(last):
        raise argparse.ArgumentTypeError(f"{text} contains no id: A must be below B")
    return int(first), int(last)


def picture(text):
    if not text.endswith((".png", ".svg")):
        raise argparse.ArgumentTypeError(f"{text} must end in .png or .svg")
    return text


def page(text):
    if not text.endswith((".html", ".htm")):
        raise argparse.ArgumentTypeError(f"{text} must end in .html")
    return text


def make_parser():
    parser = Parser(prog="apsis-analysis", allow_abbrev=False, description="Draws and prints results of runs of Apsis and of apsis bench.",
                    epilog="Exit statuses: 0 done, 64 wrong usage, 65 bad input, 70 a library is missing or an "
                           "internal error, 74 a file cannot be read or written.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name, text, module=None, output=None, kind=picture):
        sub = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".", allow_abbrev=False)
        sub.set_defaults(module=module or name)
        what = "page to write" if kind is page else "picture to write, .png or .svg"
        sub.add_argument("-o", "--output", metavar="FILE", type=kind, default=output or f"{name}.png",
                         help=f"{what} (%(default)s)")
        sub.add_argument("--all-digits", action="store_true", help="print all digits of numbers (six significant digits)")
        return sub

    def choose_groups(sub):
        sub.add_argument("--each", choices=EACH, help="all bodies as one group, or each part or each species about a centre of its own "
                         "(default: each part of a composite of several large ones)")

    sub = command("conservation", "energy and momentum errors and virial ratios of runs against time, with their limits")
    sub.add_argument("runs", nargs="+", metavar="RUN", help=RUN)

    sub = command("convergence", "runs of a deck at dt, dt/2, ...: errors against dt and against cost, and their slopes")
    sub.add_argument("deck", metavar="DECK")
    sub.add_argument("--integrator", nargs="+", metavar="NAME", default=["leapfrog_kdk", "blanes_moan4"],
                     help="names of 'apsis list integrators', or all (leapfrog_kdk blanes_moan4)")
    sub.add_argument("--time-step", type=length, metavar="DT", help="longest step [time] (the deck's)")
    sub.add_argument("--halvings", type=whole(1, 30), default=4, metavar="N", help="number of times it is halved (4)")
    sub.add_argument("--reference", default="blanes_casas8", metavar="NAME",
                     help="integrator whose shortest step gives the reference solution (blanes_casas8)")
    sub.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="as in apsis run")
    sub.add_argument("--apsis", metavar="PATH", help="executable (default: apsis on the path, or the newest build/*/apsis.*)")
    sub.add_argument("--threads", type=whole(1, 65536), metavar="N", help="as in apsis run")

    sub = command("radii", "Lagrangian, half-mass and core radii against time")
    sub.add_argument("run", metavar="RUN", help=RUN)
    sub.add_argument("--each", choices=EACH[1:], help="radii of each part or species about its own centre, from the snapshots if the "
                     "tables of the run have none (default: as in the tables)")

    sub = command("binaries", "semi-major axes and eccentricities of binaries, hard and soft, and their number against time")
    sub.add_argument("run", metavar="RUN", help=RUN)

    sub = command("profile", "density and velocity dispersion against radius, with the curves of the deck's model")
    sub.add_argument("name", metavar="RUN|SNAPSHOT", help=SNAPSHOT + "; of a run the first and the last are drawn")
    sub.add_argument("--bins", type=whole(1, MOST_BINS), metavar="N", help="number of shells, each with at least four bodies (depends "
                     "on the number of bodies)")
    sub.add_argument("--species", choices=SPECIES, help="bodies of this species only")
    choose_groups(sub)

    sub = command("orbits", "paths of bodies, and their orbital elements against time")
    sub.add_argument("run", metavar="RUN", help=RUN)
    sub.add_argument("--ids", nargs="+", type=body, metavar="BODY", help="bodies to draw, by id or name (the first ten)")
    sub.add_argument("--about", type=body, metavar="BODY", help="draw paths relative to this body, by id or name")

    sub = command("frames", "the bodies of snapshots from above and from the side, with a common scale and kind of centre")
    sub.add_argument("names", nargs="+", metavar="RUN|SNAPSHOT", help=SNAPSHOT + "; of a run at most nine snapshots, evenly spaced")
    sub.add_argument("--centre", choices=CENTRES,
                     help="centre of every frame: density centre, heaviest body, centre of mass or origin (default: the heaviest "
                          "body if it has most of the mass, otherwise the density centre)")
    sub.add_argument("--reach", type=length, metavar="R", help="half the width of a frame [length]")
    sub.add_argument("--species", nargs="+", choices=SPECIES, metavar="WORD",
                     help=f"draw only these: {', '.join(SPECIES)}")
    choose_groups(sub)
    sub.add_argument("--logarithmic", action="store_true", help="distances from the centre on a logarithmic scale (default for few "
                     "bodies about a heavy one, if their distances differ by more than a factor of ten)")
    sub.add_argument("--dark", action="store_true", help="light on black, from above")
    sub.add_argument("--ids", nargs="+", type=id_range, metavar="A:B",
                     help="with --dark: ranges of ids (A to B - 1), each in a colour of its own")

    sub = command("bench", "rates against N and comparison of kernels, for one or several machines")
    sub.add_argument("files", nargs="+", metavar="BENCH.json", help="output file of apsis bench --json")

    sub = command("scaling", "measured and predicted rates and efficiency on several ranks")
    sub.add_argument("files", nargs="+", metavar="SCALING.json",
                     help="output file of apsis bench --json with --strong, --weak or --predict")

    sub = command("report", "one HTML page of a run: verdict, figures, deck, environment, the command that repeats it",
                  output="report.html", kind=page)
    sub.add_argument("run", metavar="RUN", help=RUN)
    sub.add_argument("--apsis", metavar="PATH", help="executable that draws the last snapshot of a run without pictures "
                     "(default: apsis on the path, or the newest build/*/apsis.*)")

    sub = command("yt", "a snapshot drawn by yt, in the units of its file", module="in_yt")
    sub.add_argument("snapshot", metavar="SNAPSHOT", help="snapshot_NNNNNN.h5")
    return parser


def check_words(words):
    """Refuses empty words, which would be taken for the current directory or be ignored."""
    for word in words:
        name, equals, value = word.partition("=")
        if not word or (name.startswith("-") and equals and not value):
            raise make_error(USAGE, f"{name or 'command line'}: must not be empty (nothing is given); give a value, or leave it out")


def check_effects(options):
    """Refuses options without effect."""
    if getattr(options, "dark", None) is False and options.ids:
        raise make_error(USAGE, "frames: --ids is for --dark (colours of ranges are drawn there only); give --dark as well, or leave it "
                         "out")


@contextlib.contextmanager
def printing():
    """Raises errors of standard output as a `Error`, except a closed pipe."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise failed(error, "standard output", "cannot be written", "check free space and the reader") from error


def say(lines):
    """Prints lines without buffering."""
    for line in lines:
        with printing():
            print(printable(line))


def leave_output():
    """Discards output that cannot be written; otherwise Python would try again at exit and print an error."""
    try:
        sys.stdout.flush()
        return
    except (OSError, ValueError):
        pass
    try:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)
    except (OSError, ValueError):
        pass


def parsed(words):
    """Parses the options; returns None after printing help."""
    with printing():
        try:
            return make_parser().parse_args(words)
        except SystemExit:  # argparse after --help
            return None


def obey(words):
    check_words(words)
    options = parsed(words)
    if options is None:
        return
    check_effects(options)
    digits.print_all(options.all_digits)
    try:
        say(importlib.import_module(f"{__package__}.{options.module}").run(options))
    except ModuleNotFoundError as error:
        package = PACKAGES.get((error.name or "").partition(".")[0])
        if package is None:
            raise
        raise make_error(INTERNAL, f"{options.command}: a library is missing ({error}); install {package}") from error
    except OSError as error:
        if isinstance(error, (BrokenPipeError, Error)):
            raise
        raise failed(error, error.filename or options.command, "cannot be read or written", "check the path and its permissions") from error


def tell(line):
    print(f"apsis-analysis: error: {line}", file=sys.stderr)


def main(words):
    """Runs a command and returns its exit status."""
    warnings.simplefilter("ignore")  # of libraries, about numbers: errors are reported by this program
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # characters that the terminal's encoding lacks
    try:
        obey(words)
        return 0
    except Error as error:
        for problem in error.problems:
            tell(problem.text())
        leave_output()
        return error.exit_status
    except BrokenPipeError:  # the reader has closed the pipe
        leave_output()
        return FILES
    except KeyboardInterrupt:
        return 130
    except MemoryError:
        tell("memory: there is not enough; use a machine with more")
        return INTERNAL
    except Exception as error:  # the last resort: the user gets one line
        tell(make_error(INTERNAL, f"{words[0]}: internal error ({type(error).__name__}: {error}); please report it with its files"))
        return INTERNAL
