r"""Data that are not the paper's: sentree beside peers at their best, on the same draws.

    python benchmarks/general.py --jobs 2 --out benchmarks/results   # everything
    python benchmarks/general.py --quick                             # one draw, a few minutes
    python benchmarks/general.py --methods sentree --parts sets      # sentree alone
    python benchmarks/general.py --tasks 1-pairs 5-pairs 20-pairs 60-pairs 300-pairs \
        20-hard 60-hard 300-hard                                     # what pairs are worth

Every row of general.csv is one method on one draw of one task, with the adjusted Rand index on the
rows that had no label (on all of them where the task gives none), the clusters found and the CPU
seconds. Rows are written as they come, and ``--resume`` does what is missing.
``--beside general.csv`` takes the rows of methods that are not run from an earlier run.

Methods that no constraint guides are run once on a set that is the same in all draws; made sets of
more than 2,500 rows (customers: 6,000), and texts, have two draws at most. Other numbers of pairs
than 60, and hard ones, are run where they are asked for by ``--tasks``, with sentree without pairs
beside them.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import csv
import json
import subprocess
from pathlib import Path

import pandas as pd
from joblib import Parallel, delayed

from feature_peers import OURS, PEERS, family, installed
from general_summary import draw_picture, print_summary
from general_units import PARTS, Unit, units
from speed import manifest
from tasks import TASKS

COLUMNS = ["part", "set", "kind", "half", "n", "features", "classes", "task", "draw", "method",
           "ARI", "clusters", "seconds"]  # fmt: skip
KEY = ["part", "set", "task", "draw"]


def read(path):
    return pd.read_csv(path, keep_default_na=False)


def finished(rows):
    """Tell what rows hold: part, set, task, draw and method."""
    return {(*key, family(method)) for *key, method in rows[[*KEY, "method"]].to_numpy().tolist()}


def run(options, path):
    """Run what is missing, writing every row at once; return all rows."""
    old = read(path) if options.resume and path and path.exists() else pd.DataFrame(columns=COLUMNS)
    todo = list(units(options, finished(old)))
    work = Parallel(options.jobs, return_as="generator_unordered", batch_size=1)
    new = []
    with open(path or os.devnull, "a" if len(old) else "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if not len(old):
            writer.writeheader()
        for count, rows in enumerate(work(delayed(Unit.rows)(unit) for unit in todo), 1):
            rows = [row | {"ARI": round(row["ARI"], 4), "seconds": round(row["seconds"], 3)}
                    for row in rows]  # fmt: skip
            writer.writerows(rows)
            file.flush()
            new += rows
            if count % 100 == 0:
                print(f"{count} of {len(todo)}", flush=True)
    filled = [rows for rows in (old, pd.DataFrame(new, columns=COLUMNS)) if len(rows)]
    return pd.concat(filled, ignore_index=True) if filled else old


def commit():
    """The commit that this file is of, where it is in a repository."""
    here = Path(__file__).parent
    done = subprocess.run(["git", "-C", here, "describe", "--always", "--dirty", "--abbrev=12"],
                          capture_output=True, text=True, check=False)  # fmt: skip
    return done.stdout.strip() or None


def beside(rows, path):
    """Add what other methods reached in an earlier run, on the same draws."""
    other = read(path)
    other = other[~other["method"].isin(rows["method"])]
    return pd.concat([rows, other.merge(rows[KEY].drop_duplicates())], ignore_index=True)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--tasks", nargs="+", choices=TASKS)
    parser.add_argument("--sets", nargs="+", help="names of sets, of any part")
    parser.add_argument("--methods", nargs="+", choices=[OURS, *PEERS, "peers"],
                        help="sentree, peers or names of peers; all without it")  # fmt: skip
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--first-draw", type=int, default=0, help="number of the first draw")
    parser.add_argument("--large", action="store_true", help="with the large sets")
    parser.add_argument("--quick", action="store_true", help="one draw, and small made sets")
    parser.add_argument("--jobs", type=int, default=1, help="processes, of one thread each")
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--resume", action="store_true", help="do what general.csv lacks")
    parser.add_argument("--beside", type=Path, help="general.csv of a run of other methods")
    parser.add_argument("--out", type=Path, help="folder for general.csv, .json and .png")
    options = parser.parse_args()
    asked = options.methods or [OURS, *PEERS]
    options.methods = installed([*asked, *PEERS] if "peers" in asked else asked)
    if options.quick:
        options.draws = 1
    return options


def main():
    options = parse()
    record = manifest() | {"commit": commit()}  # before the run: files may change during it
    record |= {"draws": options.draws, "first_draw": options.first_draw}
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
    rows = run(options, options.out / "general.csv" if options.out else None)
    if options.beside:
        rows = beside(rows, options.beside)
    print_summary(rows)
    if options.out:
        (options.out / "general.json").write_text(json.dumps(record, indent=2) + "\n")
        draw_picture(rows, options.out / "general.png")


if __name__ == "__main__":
    main()
