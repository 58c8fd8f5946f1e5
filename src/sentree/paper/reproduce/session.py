"""One call of ``sentree reproduce``: check, run what is missing, report."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from sentree._util.wording import Param, Text
from sentree.datasets import load_paper, paper_set
from sentree.paper.reproduce.grid import EXPERIMENTS, Cell, cells
from sentree.paper.reproduce.methods import METHODS, PROTOCOLS
from sentree.paper.reproduce.runner import run
from sentree.paper.reproduce.store import Outcome, Store


class Plan(NamedTuple):
    """What is to be done, checked."""

    store: Store
    cells: list[Cell]
    """All cells that were asked for, finished or not."""
    retry: bool
    """Whether cells that failed are to be tried again."""
    jobs: int
    timeout: float
    data_dir: str | None


def prepare(
    names: Sequence[str],
    *,
    datasets: Sequence[str] = (),
    methods: Sequence[str] = (),
    draws: int = 10,
    seed: int = 0,
    jobs: int | None = None,
    timeout: float = 900.0,
    protocol: str = "same",
    data_dir: str | os.PathLike[str] | None = None,
    out: Path = Path("reproduction"),
    resume: bool = False,
    retry: bool = False,
) -> Plan:
    """Check everything that can be wrong before hours are spent, and list what is to be run.

    Raises
    ------
    ValueError
        For unknown names, and where nothing or something contradictory is asked for.
    FileNotFoundError
        Where data sets are missing; the message says where they were looked for.
    FileExistsError
        Where the folder holds results and ``resume`` was not asked for.
    """
    experiments = _experiments(names)
    if protocol not in PROTOCOLS:
        raise ValueError(f"unknown protocol {protocol!r}; choose from {', '.join(PROTOCOLS)}")
    chosen_sets = [paper_set(name).name for name in datasets] or None
    chosen_methods = [_method(name) for name in methods] or None
    wanted = cells(experiments, draws, chosen_sets, chosen_methods)
    if not wanted:
        raise ValueError(
            f"nothing to run: {', '.join(experiments)} with these data sets and methods is empty"
        )
    settings: dict[str, Any] = {
        "protocol": protocol,
        "seed": seed,
        "seeds": [seed + draw for draw in range(draws)],
        "draws": draws,
        "experiments": experiments,
        "datasets": list(dict.fromkeys(cell.dataset for cell in wanted)),
        "methods": list(dict.fromkeys(cell.method for cell in wanted)),
        "timeout": timeout,
    }
    folder = None if data_dir is None else os.fspath(data_dir)
    settings["data"] = {name: _digest(name, folder) for name in settings["datasets"]}
    store = Store(Path(out), experiments, settings)
    if store.path.exists() and not resume:
        raise FileExistsError(
            Text(
                f"{store.path} exists: add ",
                Param("resume", True),
                " to go on with it, or choose another folder with ",
                Param("out", ...),
            )
        )
    return Plan(store, wanted, retry, jobs or _cores(), timeout, folder)


def execute(
    plan: Plan,
    begin: Callable[[list[Cell]], None],
    done: Callable[[Cell, Outcome], None],
) -> list[Path]:
    """Run what is missing, tell which cells those are and how each ends; return the files."""
    import pandas as pd

    from sentree.paper.reproduce.write_up import write_report

    store = plan.store
    with store.locked():
        store.take_up()
        missing = [cell for cell in plan.cells if _is_missing(store.outcomes.get(cell), plan.retry)]
        begin(missing)
        manifest = _run(plan, missing, done) if missing else store.manifest()
        table = pd.read_csv(store.path, keep_default_na=False, na_values={"value": [""]})
        report = write_report(table, manifest, store.folder)
    others = ("results.csv", "manifest.json", "report.md")
    return [*(store.folder / name for name in others), report]


def _run(plan: Plan, missing: list[Cell], done: Callable[[Cell, Outcome], None]) -> dict[str, Any]:
    """Run what is missing and return the manifest."""
    store, started = plan.store, _now()
    store.write_manifest(jobs=plan.jobs, started=started, finished=None)
    results = run(
        missing,
        seed=store.settings["seed"],
        protocol=store.settings["protocol"],
        jobs=plan.jobs,
        timeout=plan.timeout,
        data_dir=plan.data_dir,
    )
    try:
        for cell, outcome in results:
            store.add(cell, outcome)
            done(cell, outcome)
    finally:
        results.close()
    return store.write_manifest(jobs=plan.jobs, started=started, finished=_now())


def _digest(name: str, data_dir: str | None) -> str:
    """Read a data set and return what tells it from others of its name."""
    X, y = load_paper(name, data_dir)
    return hashlib.sha256(X.tobytes() + y.tobytes()).hexdigest()[:16]


def _experiments(names: Iterable[str]) -> list[str]:
    """Return experiments in their order; "all" stands for every one."""
    asked = set(names)
    unknown = sorted(asked - set(EXPERIMENTS) - {"all"})
    if unknown or not asked:
        what = f"unknown experiment {unknown[0]!r}" if unknown else "no experiment"
        raise ValueError(f"{what}; choose from {', '.join(EXPERIMENTS)}, all")
    return [name for name in EXPERIMENTS if "all" in asked or name in asked]


def _method(name: str) -> str:
    """Return the method that is meant, whatever its case and punctuation."""
    plain = {_plain(method): method for method in METHODS}
    if _plain(name) not in plain:
        raise ValueError(f"unknown method {name!r}; choose from {', '.join(METHODS)}")
    return plain[_plain(name)]


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


def _is_missing(outcome: Outcome | None, retry: bool) -> bool:
    return outcome is None or (retry and outcome.failed)


def _cores() -> int:
    """Count the processors this process may use."""
    usable: Any = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable else os.cpu_count() or 1


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
