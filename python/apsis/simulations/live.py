# SPDX-License-Identifier: Apache-2.0
"""The live view of a simulation: a page for browsers and for cells of notebooks (docs/python/simulation.md)."""
from __future__ import annotations

import atexit
import html
import json
import os
import sys
import weakref
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Sequence
from urllib.parse import urlsplit

from ..errors import Problem, UsageError

if TYPE_CHECKING:
    from .extension import State

WIDTH, HEIGHT = 900, 600  # of the frame in a cell [pixel]

_open: weakref.WeakSet[LiveView] = weakref.WeakSet()


class LiveView:
    """A page that shows a simulation while it advances; `Simulation.show` makes it.

    It ends with `close`, with its simulation, or with Python. In a notebook that may show it in a frame, the object is that frame.
    url: address of the page with its secret, "" after the end; is_open; viewers: number of browsers that watch.
    """

    def __init__(self, simulation: State, port: int, frames: Sequence[str]):
        self._core = simulation._core.show(port, list(frames))
        self._simulation = weakref.ref(simulation)
        self._has_frame = bool(frames)
        self._stop_hook = _after_each_cell(self)
        _open.add(self)

    is_open = property(lambda self: self._core.is_open, doc="Whether the page is served.")
    url = property(lambda self: self._core.url, doc="Address of the page with its secret, '' after the end.")
    viewers = property(lambda self: self._core.viewers, doc="Number of browsers that watch.")

    def update(self) -> None:
        """Shows the present state. Needed only where calls of `advance` follow each other within milliseconds and then end: the page
        may have skipped their last states. A notebook does it after each cell."""
        simulation = self._simulation()
        if simulation is not None and self.is_open:
            simulation._core.update_view()

    def check_port(self, port: int) -> None:
        """Raises UsageError if this page has another port than a requested one; 0: any."""
        if port not in (0, urlsplit(self.url).port):
            raise UsageError(Problem("show", "is open at another port", f"its address is {self.url}", "close that view, or leave port out"))

    def close(self) -> None:
        """Ends the page. Browsers keep the last picture."""
        self._stop_hook()
        _open.discard(self)
        self._core.close("the view was closed")

    def __enter__(self) -> LiveView:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<apsis.LiveView at {self.url}>" if self.is_open else "<apsis.LiveView, closed>"

    def _repr_html_(self) -> str:
        url = self.url
        if not url:
            return html.escape(repr(self))
        link = f'<a href="{html.escape(url)}" target="_blank">live view in a tab</a>'
        if not self._has_frame:
            return f'{link} (for a view in this cell: <code>sim.show(frames=["http://..."])</code> with the address of this page)'
        return (f'<iframe src="{html.escape(url)}" width="{WIDTH}" height="{HEIGHT}" style="border:0" allow="fullscreen"></iframe>'
                f"<br>{link}")


def show(simulation: State, port: int, frames: Sequence[str] | None, browser: bool) -> LiveView:
    """Serves the page of a simulation; tells its address where no cell shows it."""
    in_notebook = "ipykernel" in sys.modules
    if frames is None:
        frames = notebook_origins() if in_notebook else []
    view = LiveView(simulation, port, frames)
    if not in_notebook:
        print(f"view             {view.url}", flush=True)
    if browser:
        webbrowser.open(view.url)
    return view


def notebook_origins() -> list[str]:
    """Returns the origins at which browsers have the Jupyter server that started this kernel, as its file of settings names it."""
    try:
        from jupyter_core.paths import jupyter_runtime_dir
    except ImportError:
        return []
    for kind in ("jpserver", "nbserver"):
        path = Path(jupyter_runtime_dir()) / f"{kind}-{os.environ.get('JPY_PARENT_PID', '')}.json"
        try:
            url = urlsplit(json.loads(path.read_text())["url"])
            port = "" if url.port is None else f":{url.port}"
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
        if url.hostname and url.scheme in ("http", "https"):
            return [f"{url.scheme}://{host}{port}" for host in dict.fromkeys((url.hostname, "localhost", "127.0.0.1"))]
    return []


def _after_each_cell(view: LiveView) -> Callable[[], None]:
    """Lets IPython update a view after each cell; returns the function that ends this."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is None:
        return lambda: None
    weak = weakref.ref(view)

    def update() -> None:
        view = weak()
        if view is None or not view.is_open:
            stop()
        else:
            view.update()

    def stop() -> None:
        if update in shell.events.callbacks["post_execute"]:
            shell.events.unregister("post_execute", update)

    shell.events.register("post_execute", update)
    return stop


@atexit.register
def _close_all() -> None:
    """Ends all views before Python ends; in a forked process this does nothing."""
    for view in list(_open):
        view.close()
