"""From 100,000 to 10,000,000 samples by ``sentree cluster``: time of each stage, memory, exponents.

Blobs in 20 dimensions around 50 centres, in a Parquet file with the classes of a tenth of the rows
(the number of clusters is found) and in an NPY file without (``-k 50``). Each run is a process of
its own. Its CPU time is that of all threads. Exponents are slopes of logarithms between two sizes.

    python benchmarks/ten_million.py                         # 1e5 and 1e6, some minutes
    python benchmarks/ten_million.py --sizes 100000 1000000 10000000   # needs 16 GiB and an hour
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

WIDTH, CENTRES, SPREAD, KNOWN = 20, 50, 2.0, 0.1
#: Rows that are made at a time.
BLOCK = 1 << 18


def make(folder: Path, n: int) -> Path:
    """Write the files of n samples, unless they are there; return them without their ending."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    base = folder / f"blobs-{n}"
    if base.with_suffix(".truth.npy").exists():
        return base
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    centres = rng.uniform(-10, 10, (CENTRES, WIDTH))
    truth = rng.integers(0, CENTRES, n).astype(np.int16)
    hidden = rng.random(n) >= KNOWN
    X = np.lib.format.open_memmap(base.with_suffix(".npy"), "w+", np.float32, (n, WIDTH))
    names = [f"x{k}" for k in range(WIDTH)]
    schema = pa.schema([*((name, pa.float32()) for name in names), ("known", pa.int16())])
    with pq.ParquetWriter(base.with_suffix(".parquet"), schema) as file:
        for start in range(0, n, BLOCK):
            rows = slice(start, min(start + BLOCK, n))
            noise = rng.normal(0, SPREAD, (truth[rows].size, WIDTH))
            part = (centres[truth[rows]] + noise).astype(np.float32)
            X[rows] = part
            columns = [pa.array(np.ascontiguousarray(column)) for column in part.T]
            known = pa.array(truth[rows], mask=hidden[rows])
            file.write_table(pa.table([*columns, known], schema=schema))
    X.flush()
    np.save(base.with_suffix(".truth.npy"), truth)
    return base


def one(arguments: list[str], target: Path) -> None:
    """Run the command line in this process, and write the times of its stages."""
    from sentree._util.progress import Progress
    from sentree.cli import app

    cpu: dict[str, float] = {}
    wall: dict[str, float] = {}
    begin, end = Progress.begin, Progress.end
    now = [time.process_time()]

    def begun(self, text, stage):
        begin(self, text, stage)
        now[0] = time.process_time()

    def ended(self):
        if self._stage is not None:
            cpu[self._stage] = cpu.get(self._stage, 0.0) + time.process_time() - now[0]
        end(self)
        wall.update(self.times)

    Progress.begin, Progress.end = begun, ended
    try:
        app(arguments, standalone_mode=False)
    finally:
        target.write_text(json.dumps({"cpu": cpu, "wall": wall}))


def measure(base: Path, kind: str, n: int) -> list[dict]:
    """Run one command; return a row for each stage, and one for all."""
    out, told = base.with_suffix(".clusters.parquet"), base.with_suffix(".stages.json")
    data = base.with_suffix(f".{kind}")
    more = ["--labels", "known"] if kind == "parquet" else ["-k", str(CENTRES)]
    command = [str(Path(__file__)), "--one", str(told), "--"]
    command += ["cluster", str(data), *more, "--out", str(out)]
    started = time.perf_counter()
    child = subprocess.Popen([sys.executable, *command], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    wall = time.perf_counter() - started
    if status:
        raise SystemExit(f"{' '.join(command)} ended with {status}")
    stages = json.loads(told.read_text())
    found = pd.read_parquet(out)["cluster"].to_numpy()
    truth = np.load(base.with_suffix(".truth.npy"))
    shared = {"n": n, "data": kind, "threads": len(os.sched_getaffinity(0))}
    rows = [
        {
            **shared,
            "stage": name,
            "seconds": round(seconds, 3),
            "cpu_seconds": round(stages["cpu"].get(name, 0.0), 3),
        }
        for name, seconds in stages["wall"].items()
    ]
    used_seconds = round(used.ru_utime + used.ru_stime, 3)
    whole = {"stage": "all", "seconds": round(wall, 3), "cpu_seconds": used_seconds}
    whole["peak_gib"] = round(used.ru_maxrss / 2**20, 3)
    whole["ari"] = round(adjusted_rand_score(truth, found), 4)
    whole["clusters"] = int(found.max()) + 1
    return [*rows, {**shared, **whole}]


def exponents(table: pd.DataFrame) -> pd.DataFrame:
    """Return the growth of each stage's CPU time between any two sizes."""
    rows = []
    for (kind, stage), part in table.groupby(["data", "stage"], sort=False):
        part = part[part["cpu_seconds"] > 0].sort_values("n")
        for one, other in itertools.combinations(range(len(part)), 2):
            first, last = part.iloc[one], part.iloc[other]
            ratio = last["cpu_seconds"] / first["cpu_seconds"]
            growth = np.log(ratio) / np.log(last["n"] / first["n"])
            sizes = {"from": first["n"], "to": last["n"]}
            rows.append({"data": kind, "stage": stage, **sizes, "exponent": round(growth, 3)})
    return pd.DataFrame(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--kinds", nargs="+", default=["parquet", "npy"])
    parser.add_argument("--cache", type=Path, default=Path("build/bench"), help="keeps the data")
    parser.add_argument("--out", type=Path, help="folder for ten_million.csv and .json")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("rest", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is not None:
        return one(options.rest, options.one)
    from alone import write
    from speed import manifest

    record, rows = manifest(), []
    for n in options.sizes:
        base = make(options.cache, n)
        for kind in options.kinds:
            rows += measure(base, kind, n)
            print(pd.DataFrame(rows[-1:]).to_string(index=False, header=len(rows) < 12), flush=True)
            table = write(rows, record, options.out, "ten_million")
    growth = exponents(table)
    print(table.to_string(index=False), growth.to_string(index=False), sep="\n\n")
    if options.out:
        growth.to_csv(options.out / "ten_million_growth.csv", index=False)


if __name__ == "__main__":
    main()
