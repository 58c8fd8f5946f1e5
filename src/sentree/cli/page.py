"""``sentree app``: the page, or what it would give to take away."""

from __future__ import annotations

import errno
import socket
import threading
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sentree.cli import options as o
from sentree.cli.console import INTERRUPTED, Console, Misuse, console, sentence

if TYPE_CHECKING:
    from sentree.app import Service

#: The port that is tried first, and how many after it.
PORT, TRIED = 8765, 100


def page(
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="DATA|PROJECT",
            help="Samples, as 'sentree cluster' reads them, or an earlier project "
            "(.sentree-project). Without it the page offers files of this folder and examples.",
        ),
    ] = None,
    *,
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help=f"Port of the page; else {PORT} or the next free one."),
    ] = None,
    host: Annotated[
        str,
        typer.Option(help="Address to listen on; others than this computer's own reach it then."),
    ] = "127.0.0.1",
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Whether to open the page in a browser.")
    ] = True,
    export: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WHAT",
            help="Show no page, but write what it has to take away: labels.csv, labels.parquet, "
            "labels.h5ad, constraints.json, tree.nwk, tree.json, model.sentree, report.html, "
            "script.py or command.sh; may be repeated.",
        ),
    ] = None,
    out: Annotated[
        list[str] | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="The file for --export, one for each; else named as what it holds.",
        ),
    ] = None,
    id_column: o.Id = None,
    labels: Annotated[
        str | None,
        typer.Option(
            "--labels", "-l", metavar="COLUMN", help="Column of known classes: shown, no feature."
        ),
    ] = None,
    drop: o.Drop = None,
    layer: o.Layer = None,
    format: o.Format = None,
    separator: o.Separator = None,
    header: o.Header = None,
    sheet: o.Sheet = None,
    prepare: o.Prepare = "auto",
    encode: o.Encode = None,
    impute: o.Impute = None,
    log: o.Log = None,
    drop_text: o.DropText = False,
) -> None:
    """Show a page to cluster by looking and clicking.

    The page is for this computer alone, and its address holds a token. Everything said there is
    kept at once in a project beside the data; the same command goes on from there. Ctrl-C ends it.

    Examples:

      sentree app

      sentree app customers.xlsx

      sentree app customers.sentree-project --no-browser --port 8000

      sentree app customers.sentree-project --export labels.csv --out kinds.csv
    """
    from sentree.cli.inputs import split

    reading: dict[str, Any] = {
        "id_column": id_column,
        "labels": labels,
        "drop": split(drop),
        "layer": layer,
        "format": format,
        "separator": separator,
        "header": header,
        "sheet": sheet,
        "prepare": None if prepare == "auto" else prepare,
        "encode": encode,
        "impute": impute,
        "log": log,
        "drop_text": drop_text or None,
    }
    given = {name: value for name, value in reading.items() if value not in (None, [])}
    with console(quiet=False, verbose=False) as talk:
        o.Preparation(prepare, encode, impute, log, drop_text).check(table=True)
        wanted = _wanted(data, export or [], out or [])
        if given and data is None:
            raise Misuse("there are options about how DATA is read, but no DATA")
        from sentree.app import Service

        folder = _folder(data)
        service = Service(folder)
        try:
            if data is not None:
                with talk.step(f"reading {data}", "reading"):
                    service.open(Path(data).absolute(), given)
            if wanted:
                _export(service, wanted, talk)
            else:
                _serve(service, folder, host, port, browser, talk)
        finally:
            service.close()


def _wanted(data: str | None, exports: list[str], targets: list[str]) -> list[tuple[str, str]]:
    """Return what is to be written into which file."""
    from sentree.cli.inputs import refuse_overwriting

    if not exports and targets:
        raise Misuse("--out is the file for --export: give it as well")
    if exports and data is None:
        raise Misuse("--export is about a project or data: name them")
    if targets and len(targets) != len(exports):
        raise Misuse(
            f"there are {len(exports)} --export and {len(targets)} --out: give one for each"
        )
    if not exports:
        return []
    targets = targets or exports
    refuse_overwriting([str(data)], list(targets))
    return list(zip(exports, targets, strict=True))


def _export(service: Service, wanted: list[tuple[str, str]], talk: Console) -> None:
    """Write what the page has to take away, when the clusters follow all that was said."""
    from sentree._util.files import write
    from sentree.io import InputError

    with talk.step("clustering", "clusters"):
        done = service.wait()
    if not done:
        raise InputError(service.state()["status"]["message"])
    for what, target in wanted:
        with talk.step(f"writing {target}", "writing"):
            write(Path(target), service.export(what).data)
        talk.wrote(target)


def _folder(data: str | None) -> Path:
    """Return the folder of the page: this one, or that of data which are elsewhere."""
    here = Path.cwd().resolve()
    there = here if data is None else Path(data).resolve().parent
    return here if there.is_relative_to(here) else there


def _serve(
    service: Service, folder: Path, host: str, port: int | None, browser: bool, talk: Console
) -> None:
    """Serve the page until it is interrupted."""
    try:
        from sentree.app.server import PageServer, routes
    except ModuleNotFoundError as error:
        raise ImportError(
            f"the page needs packages that are not installed ({error.name}): pip install "
            "'sentree[app]'"
        ) from None
    from sentree.app.folder import Folder
    from sentree.app.security import is_loopback, new_token

    token = new_token()
    with _listen(host, port) as listener:
        number = listener.getsockname()[1]
        server = PageServer(routes(service, Folder(folder), sentence), token, number, host=host)
        url = f"http://{_shown(host)}:{number}/?token={token}"
        if not is_loopback(host):
            talk.warn(
                f"--host {host}: whoever reaches this computer and has the address below sees and "
                "changes everything on the page, and what is sent is not encrypted"
            )
        talk.say(f"The page is at {url}\nCtrl-C ends it; what is said there is kept at once.")
        if browser:
            threading.Thread(target=webbrowser.open, args=[url], daemon=True).start()
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listener])
    talk.say("The page has ended; what was said is kept.")
    raise typer.Exit(INTERRUPTED)


def _listen(host: str, port: int | None) -> socket.socket:
    """Take a port: the one that is given, or the first that is free."""
    from sentree.io import InputError

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for one in range(PORT, PORT + TRIED) if port is None else [port]:
        try:
            return socket.create_server((host, one), family=family)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                continue
            if error.errno == errno.EACCES:
                raise InputError(f"--port {one} is not allowed: give one above 1023") from None
            raise InputError(f"--host {host}: {error.strerror}") from None
    if port is None:
        raise InputError(f"all ports from {PORT} to {PORT + TRIED - 1} are taken: give --port")
    raise InputError(
        f"--port {port} is taken by another program: give another, or leave it out for a free one"
    )


def _shown(host: str) -> str:
    """Return an address as one opens it."""
    if host in ("0.0.0.0", "::", ""):
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host
