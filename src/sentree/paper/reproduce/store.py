"""The folder of a run: results that are complete after every cell, and what they were made with."""

from __future__ import annotations

import csv
import io
import json
import os
import platform
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from sentree._util import files
from sentree.paper.reproduce.grid import EXPERIMENTS, Cell, is_in, place

COLUMNS = (
    "table",
    "dataset",
    "constraint",
    "amount",
    "method",
    "draw",
    "seed",
    "metric",
    "value",
    "seconds",
    "peak_memory",
    "note",
)
_PACKAGES = ("sentree", "numpy", "scipy", "scikit-learn", "faiss-cpu", "pandas", "matplotlib")
#: Settings that decide what the figures are: a run that goes on must have the same.
_DECISIVE = ("protocol", "seed")


class Outcome(NamedTuple):
    """What came out of one cell."""

    values: dict[str, float | None]
    """Score by metric, in per cent; None where the method gave no result."""
    seconds: float
    """CPU time of the fit."""
    peak_memory: float
    """Most memory of the whole process, in MB."""
    note: str = ""

    @property
    def failed(self) -> bool:
        """Whether there is no result."""
        return bool(self.note)


class Store:
    """The folder of a run.

    ``results.csv`` is rewritten as a whole whenever a cell is finished and replaced in one step, so
    it is whole at any moment. Its rows stand in the order of the grid, whatever the order in which
    cells finish: an interrupted run that is taken up ends with the same file.
    """

    def __init__(self, folder: Path, experiments: Iterable[str], settings: dict[str, Any]) -> None:
        self.folder = folder
        self.settings = settings
        self.outcomes: dict[Cell, Outcome] = {}
        self.earlier: list[dict[str, Any]] = []
        self._experiments = set(experiments)

    @property
    def path(self) -> Path:
        """The table of results."""
        return self.folder / "results.csv"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other runs out of the folder; the lock ends with the process, however it ends."""
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            import fcntl
        except ImportError:  # not on Windows
            yield
            return
        with (self.folder / ".lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise FileExistsError(f"another run is writing to {self.folder}") from None
            for left_over in self.folder.glob(".results-*.csv"):  # by a run that was killed
                left_over.unlink()
            yield

    def take_up(self) -> None:
        """Read what an earlier run has finished; it must have had the same settings.

        Cells of which a row is missing are run again.
        """
        if not self.path.exists():
            return
        before = self.manifest()
        for name in _DECISIVE:
            if before.get(name) != self.settings[name]:
                raise ValueError(
                    f"the results in {self.folder} were made with {name} {before.get(name)}, not "
                    f"{self.settings[name]}: go on with that, or choose another folder"
                )
        for name, digest in self.settings["data"].items():
            if before.get("data", {}).get(name, digest) != digest:
                raise ValueError(f"the results in {self.folder} were made with other data: {name}")
        self.settings["data"] = {**before.get("data", {}), **self.settings["data"]}
        self.earlier = [*before.pop("earlier_runs", []), before]
        with self.path.open(newline="", encoding="utf-8") as file:
            for number, row in enumerate(csv.DictReader(file), start=2):
                try:
                    self._read(row)
                except (KeyError, TypeError, ValueError) as error:
                    raise ValueError(
                        f"{self.path}, line {number} is not a result ({error}): mend or remove it"
                    ) from None
        for cell, outcome in list(self.outcomes.items()):
            shown = [name for name in self._experiments if is_in(cell, name)]
            if any(set(EXPERIMENTS[name].metrics) - set(outcome.values) for name in shown):
                del self.outcomes[cell]

    def _read(self, row: dict[str, str]) -> None:
        amount, draw = float(row["amount"]), int(row["draw"])
        cell = Cell(row["dataset"], row["constraint"], amount, row["method"], draw)
        if not is_in(cell, row["table"]):
            raise ValueError(f"{row['table']} has no such cell")
        if int(row["seed"]) != self.settings["seed"] + draw:
            raise ValueError(f"draw {draw} with seed {row['seed']}")
        new = Outcome({}, float(row["seconds"]), float(row["peak_memory"]), row["note"])
        values = self.outcomes.setdefault(cell, new).values
        values[row["metric"]] = float(row["value"]) if row["value"] else None
        self._experiments.add(row["table"])

    def add(self, cell: Cell, outcome: Outcome) -> None:
        """Keep an outcome; it is in the file when this returns."""
        self.outcomes[cell] = outcome
        self.write()

    def write(self) -> None:
        """Write all outcomes in the order of the grid."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        ordered = sorted(self.outcomes, key=place)
        for name in EXPERIMENTS:
            if name in self._experiments:
                for cell in ordered:
                    if is_in(cell, name):
                        writer.writerows(self._rows(name, cell))
        files.write(self.path, text.getvalue())

    def _rows(self, name: str, cell: Cell) -> Iterator[tuple[Any, ...]]:
        values, seconds, peak_memory, note = self.outcomes[cell]
        seed = self.settings["seed"] + cell.draw
        for metric in EXPERIMENTS[name].metrics:
            value = values.get(metric)
            shown = "" if value is None else f"{value:.6f}"
            measured = (f"{seconds:.3f}", f"{peak_memory:.1f}")
            yield (name, *cell, seed, metric, shown, *measured, note)

    def manifest(self) -> dict[str, Any]:
        """Read what the results that are there were made with."""
        path = self.folder / "manifest.json"
        try:
            return dict(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, TypeError, ValueError):
            raise ValueError(
                f"{path} is missing or damaged, so what the results beside it were made with is "
                "not known: put it back, or choose another folder"
            ) from None

    def write_manifest(self, **more: Any) -> dict[str, Any]:
        """Write what the run was made with, and those it goes on from; return it."""
        manifest = {**self.settings, **machine(), **more, "earlier_runs": self.earlier}
        files.write(self.folder / "manifest.json", json.dumps(manifest, indent=2) + "\n")
        return manifest


def machine() -> dict[str, Any]:
    """Return versions, commit and processor."""
    return {
        "versions": {"python": platform.python_version()} | {p: _version(p) for p in _PACKAGES},
        "commit": _commit(),
        "cpu": _processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _commit() -> str | None:
    """Return the commit of the source tree, where the package runs from one."""
    here = Path(__file__).parent
    command = ["git", "-C", str(here), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


def _processor() -> str:
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
