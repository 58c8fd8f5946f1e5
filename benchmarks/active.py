r"""Questions to a person: how many answers until the clusters are right.

    python benchmarks/active.py --jobs 2 --out benchmarks/results                 # everything
    python benchmarks/active.py --sets wine COIL20 --methods structural-pairs COBRAS --seeds 1
    python benchmarks/active.py --half choosing --methods COBRAS random-pairs --noise 0
    python benchmarks/active.py --methods structural-choices --beside benchmarks/results/active.csv

A row of active.csv is one method on one set with one seed and one share of wrong answers: the curve
of the adjusted Rand index against the number of answers (the columns 0, 1, 2, ...). An index counts
only the rows that no question was about until then; where fewer than a tenth of them, or 20, are
left, it is missing. Every answer counts, also to a question that was put before. The answer to one
question about a pair is one answer, and so is the choice of one among several groups; the column
``form`` tells which. Methods may ask 200 pairs or 100 choices, and 600 or 300 on sets of 20 classes
or more; COBRAS, which others are measured by, is followed to 1,000 pairs. ``stopped`` tells after
how many answers a method ended by itself; its curve stays flat from there. NPU and min-max are told
the number of classes, COBRA a number of super-instances, the others nothing. Seconds are CPU time
per question. Those of sentree include clustering again after every answer; those of random pairs
and min-max are of one whole search.

Rows are written as they come, and ``--resume`` does what is missing; ``--beside active.csv`` takes
the rows of methods that are not run from an earlier run. active.md has tables, active.png curves.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import csv
import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.metrics import adjusted_rand_score

from active_methods import METHODS, Problem
from active_picture import draw_picture
from active_sets import MANY_CLASSES, load, sources
from active_summary import summary
from general import commit
from general_sets import HALVES
from speed import manifest

#: Numbers of answers at which methods are looked at, where they have so many.
GRID = [0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 75, 100, 125, 150, 200, 250,
        300, 400, 500, 600, 800, 1000]  # fmt: skip
#: Most answers that count for areas and targets, on sets of few and of many classes.
BUDGETS = {"pairs": (200, 600), "choices": (100, 300)}
#: An index counts so many rows at least, and this share of them.
FEWEST, LEAST_SHARE = 20, 0.1
KEY = ["set", "method", "noise", "seed"]
COLUMNS = ["part", "set", "half", "n", "features", "classes", "method", "form", "noise", "seed",
           "budget", "stopped", "clusters", "seconds", "ARI_all", *map(str, GRID)]  # fmt: skip


def unseen_index(y, step):
    """The adjusted Rand index of the rows that no question was about."""
    unseen = np.ones(y.size, dtype=bool)
    unseen[step.asked] = False
    if unseen.sum() < max(FEWEST, LEAST_SHARE * y.size):
        return np.nan
    return adjusted_rand_score(y[unseen], step.labels[unseen])


def row(source, name, noise, seed, data_dir):
    """Run a method; nothing but the row is said."""
    X, y = load(source, seed, data_dir)
    method, classes = METHODS[name], int(y.max()) + 1
    most = BUDGETS[method.form][classes >= MANY_CLASSES]
    grid = [answers for answers in GRID if answers <= max(most, method.beyond)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        steps = list(method.run(Problem(X, y, noise, seed, grid)))
    last = steps[-1]
    return {
        "part": source.part, "set": source.name, "half": source.half, "n": y.size,
        "features": X.shape[1], "classes": classes, "method": name, "form": method.form,
        "noise": noise, "seed": seed, "budget": most, "stopped": last.stopped,
        "clusters": np.unique(last.labels).size,
        "seconds": float(f"{last.seconds:.3g}"),
        "ARI_all": round(adjusted_rand_score(y, last.labels), 4),
    } | {str(step.answers): np.round(unseen_index(y, step), 4) for step in steps}  # fmt: skip


def read(path):
    return pd.read_csv(path, keep_default_na=False, na_values={name: [""] for name in COLUMNS[11:]})


def units(options, done):
    """List what is to be done, set by set."""
    for source in sources(options.data_dir):
        chosen = not options.sets or source.name in options.sets
        if not chosen or (options.half and source.half != options.half):
            continue
        for noise in options.noise:
            for seed in range(options.first_seed, options.first_seed + options.seeds):
                for method in options.methods:
                    if (source.name, method, noise, seed) not in done:
                        yield source, method, noise, seed


def run(options, path):
    """Run what is missing, writing every row at once; return all rows."""
    old = read(path) if options.resume and path and path.exists() else pd.DataFrame(columns=COLUMNS)
    todo = list(units(options, set(old[KEY].itertuples(index=False, name=None))))
    work = Parallel(options.jobs, return_as="generator_unordered", batch_size=1)
    new = []
    with open(path or os.devnull, "a" if len(old) else "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if not len(old):
            writer.writeheader()
        for found in work(delayed(row)(*unit, options.data_dir) for unit in todo):
            writer.writerow({name: "" if pd.isna(value) else value
                             for name, value in found.items()})  # fmt: skip
            file.flush()
            new.append(found)
            if len(new) % 50 == 0:
                print(f"{len(new)} of {len(todo)}", flush=True)
    filled = [rows for rows in (old, pd.DataFrame(new, columns=COLUMNS)) if len(rows)]
    return pd.concat(filled, ignore_index=True) if filled else old


def beside(rows, path):
    """Add what other methods reached in an earlier run on the same sets, seeds and noise."""
    other = read(path)
    other = other[~other["method"].isin(rows["method"])]
    same = rows[["set", "noise", "seed"]].drop_duplicates()
    return pd.concat([rows, other.merge(same)], ignore_index=True)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", help="names of sets; all without it")
    parser.add_argument("--half", choices=HALVES, help="only the sets of one half")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--noise", nargs="+", type=float, default=[0.0, 0.05, 0.1])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="processes, of one thread each")
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--resume", action="store_true", help="do what active.csv lacks")
    parser.add_argument("--beside", type=Path, help="active.csv of a run of other methods")
    parser.add_argument("--out", type=Path, help="folder for active.csv, .json, .md, .png")
    options = parser.parse_args()
    unknown = set(options.sets or []) - {source.name for source in sources(options.data_dir)}
    if unknown:
        parser.error(f"no sets of these names: {', '.join(sorted(unknown))}")
    return options


def main():
    options = parse()
    record = manifest() | {"commit": commit()}  # before the run: files may change during it
    record |= {"noise": options.noise, "seeds": options.seeds, "first_seed": options.first_seed}
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
    rows = run(options, options.out / "active.csv" if options.out else None)
    if options.beside:
        rows = beside(rows, options.beside)
    text = summary(rows)
    print(text)
    if options.out:
        rows = rows.sort_values(["part", *KEY], kind="stable")
        rows.to_csv(options.out / "active.csv", index=False)
        (options.out / "active.json").write_text(json.dumps(record, indent=2) + "\n")
        (options.out / "active.md").write_text(text)
        if (rows["noise"] == 0).any():
            draw_picture(rows, options.out / "active.png")


if __name__ == "__main__":
    main()
