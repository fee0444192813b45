# SPDX-License-Identifier: Apache-2.0
"""The commands, their options, and what becomes of errors. Needs no library, so that --help is there at once."""
import argparse
import importlib
import os
import sys

from .problem import FILES, INTERNAL, USAGE, Problem

PACKAGES = {"numpy": "python3-numpy", "matplotlib": "python3-matplotlib", "h5py": "python3-h5py",
            "PIL": "python3-pil", "yt": "python3-yt"}
CENTRES = ("density", "heaviest", "mass", "origin")
SPECIES = ("gas", "dark", "disk", "bulge", "stars", "other")
RUN = "directory that apsis run wrote"
SNAPSHOT = "directory of a run, or a snapshot"


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Problem(USAGE, f"{self.prog.partition(' ')[2] or 'command'}: {message}; see {self.prog} --help")


def length(text):
    value = float(text)
    if not 0 < value < 1e300:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return value


def count(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return value


def id_range(text):
    """A:B as two numbers."""
    first, last = map(int, text.split(":"))
    return first, last


def picture(text):
    if not text.endswith((".png", ".svg")):
        raise argparse.ArgumentTypeError(f"{text} must end in .png or .svg")
    return text


def page(text):
    if not text.endswith((".html", ".htm")):
        raise argparse.ArgumentTypeError(f"{text} must end in .html")
    return text


def make_parser():
    parser = Parser(prog="apsis-analysis", description="Draws and prints what runs of Apsis and apsis bench wrote.",
                    epilog="Exit statuses: 0 done, 64 wrong usage, 65 bad input, 70 a library is missing or an "
                           "internal error, 74 a file cannot be read or written.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name, text, module=None, output=None, kind=picture):
        one = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        one.set_defaults(module=module or name)
        what = "page to write" if kind is page else "picture to write, .png or .svg"
        one.add_argument("-o", "--output", metavar="FILE", type=kind, default=output or f"{name}.png",
                         help=f"{what} (%(default)s)")
        return one

    one = command("conservation", "energy and momentum errors and virial ratios of runs against time, with their limits")
    one.add_argument("runs", nargs="+", metavar="RUN", help=RUN)

    one = command("convergence", "runs a deck at dt, dt/2, ...: errors against dt and against cost, and their slopes")
    one.add_argument("deck", metavar="DECK")
    one.add_argument("--integrator", nargs="+", metavar="NAME", default=["leapfrog_kdk", "blanes_moan4"],
                     help="names of 'apsis list integrators', or all (leapfrog_kdk blanes_moan4)")
    one.add_argument("--time-step", type=length, metavar="DT", help="longest step [time] (the deck's)")
    one.add_argument("--halvings", type=count, default=4, metavar="N", help="how often it is halved (4)")
    one.add_argument("--reference", default="blanes_casas8", metavar="NAME",
                     help="integrator whose shortest step is taken as the truth (blanes_casas8)")
    one.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="as in apsis run")
    one.add_argument("--apsis", metavar="PATH", help="executable (the newest build/*/apsis.*, or apsis on the path)")
    one.add_argument("--threads", type=count, metavar="N", help="as in apsis run")

    one = command("radii", "Lagrangian, half-mass and core radii against time")
    one.add_argument("run", metavar="RUN", help=RUN)

    one = command("profile", "density and velocity dispersion against radius, with the curves of the deck's model")
    one.add_argument("name", metavar="RUN|SNAPSHOT", help=SNAPSHOT + "; of a run the first and the last are drawn")
    one.add_argument("--bins", type=count, metavar="N", help="number of shells (by the number of bodies)")
    one.add_argument("--species", choices=SPECIES, help="bodies of this species only")

    one = command("orbits", "paths of bodies, and their orbital elements against time")
    one.add_argument("run", metavar="RUN", help=RUN)
    one.add_argument("--ids", nargs="+", type=int, metavar="ID", help="bodies to draw (the first eight)")
    one.add_argument("--about", type=int, metavar="ID", help="draw paths as seen from this body")

    one = command("frames", "the bodies of snapshots from above and from the side, all with one scale and one kind of centre")
    one.add_argument("names", nargs="+", metavar="RUN|SNAPSHOT", help=SNAPSHOT)
    one.add_argument("--centre", choices=CENTRES,
                     help="middle of every frame: density centre, heaviest body, centre of mass or origin (the heaviest "
                          "body if it has most of the mass, or else the density centre)")
    one.add_argument("--reach", type=length, metavar="R", help="half the width of a frame [length]")
    one.add_argument("--species", nargs="+", choices=SPECIES, metavar="WORD",
                     help=f"draw these only: {', '.join(SPECIES)}")
    one.add_argument("--dark", action="store_true", help="light on black, from above")
    one.add_argument("--ids", nargs="+", type=id_range, metavar="A:B",
                     help="with --dark: ranges of ids (A to B - 1), each in a colour of its own")

    one = command("bench", "rates and ladder of kernels of one or several machines")
    one.add_argument("files", nargs="+", metavar="BENCH.json", help="file that apsis bench --json wrote")

    one = command("scaling", "rates and efficiency on several processes, with the model's")
    one.add_argument("files", nargs="+", metavar="SCALING.json",
                     help="file that apsis bench --strong, --weak or --predict with --json wrote")

    one = command("report", "one HTML page of a run: verdict, figures, deck, environment, the command that repeats it",
                  output="report.html", kind=page)
    one.add_argument("run", metavar="RUN", help=RUN)

    one = command("yt", "a snapshot as yt sees it, in the units of its file", module="in_yt")
    one.add_argument("snapshot", metavar="SNAPSHOT", help="snapshot_NNNNNN.h5")
    return parser


def main(words):
    """Runs a command; its exit status."""
    try:
        options = make_parser().parse_args(words)
        try:
            for line in importlib.import_module(f"apsis_analysis.{options.module}").run(options):
                print(line, flush=True)
            return 0
        except ModuleNotFoundError as error:
            package = PACKAGES.get((error.name or "").partition(".")[0])
            if package is None:
                raise
            raise Problem(INTERNAL, f"{options.command}: a library is missing ({error}); install {package}") from error
    except Problem as problem:
        print(f"apsis-analysis: error: {problem}", file=sys.stderr)
        return problem.status
    except BrokenPipeError:  # whoever read the lines has gone; nothing more is said
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FILES
    except KeyboardInterrupt:
        return 130
    except MemoryError:
        print("apsis-analysis: error: memory: there is not enough; use a machine with more", file=sys.stderr)
        return INTERNAL
    except Exception as error:  # the last resort: a user is told in a line
        said = " ".join(f"{type(error).__name__}: {error}".split())
        print(f"apsis-analysis: error: {words[0]}: internal error ({said}); please report it with its files", file=sys.stderr)
        return INTERNAL
