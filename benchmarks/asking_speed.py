"""How long a person waits: seconds per question and per answer, and what warm refits are worth.

Speed: overlapping clouds of many sizes; a fit, the preparation of a session, then answers from the
true classes. The time of a question is that of ``ask``; the time of an answer, that of ``answer``:
a warm refit, the certainty of the clusters and what the next question needs. CPU seconds on one
thread.

Quality: ten general sets; the clusters after 10 and 40 answers beside those of a fresh fit with the
same constraints.

    python benchmarks/asking_speed.py --out benchmarks/results
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

import general_sets
from sentree import SSEPartition
from sentree.active import ActiveSession, Truth
from shared import timed
from speed import manifest

SIZES = [1_000, 20_000, 100_000, 1_000_000]
SETS = ["2d-4c-no9", "balance-scale", "cassini", "cmc", "column3c", "diabetes", "haberman", "thy"]
SETS += ["vehicle", "xor"]
ANSWERS = (10, 40)


def speed(n, n_answers, seed=0):
    """Measure a session about n samples."""
    d = 8 if n > 100_000 else 20
    X, y = make_blobs(n, d, centers=20, cluster_std=2.5 if d == 8 else 4.0, random_state=seed)
    model, fit = timed(lambda: SSEPartition(n_jobs=1).fit(X))
    session, begin = timed(lambda: ActiveSession(model, oracle=Truth(y)))
    asking, answering = [], []
    while len(answering) < n_answers:
        question, seconds = timed(session.ask)
        asking.append(seconds)
        if question is None:
            break
        reply = session.oracle(question)
        answering.append(timed(session.answer, reply, question)[1])
    yield {
        "n": n,
        "d": d,
        "answers": len(answering),
        "fit": fit,
        "begin": begin,
        "first question": asking[0],
        "question": np.median(asking[1:]),
        "slowest question": max(asking[1:]),
        "answer": np.median(answering),
        "slowest answer": max(answering),
        "share of the fit": np.median(answering) / fit,
        "ARI": adjusted_rand_score(y, session.labels_),
    }


def quality(name, data_dir):
    """Compare warm refits with fresh fits on a set."""
    X, y = general_sets.load(name, data_dir)
    for form in ("choice", "pair"):
        session = ActiveSession(SSEPartition(), X, oracle=Truth(y), form=form)
        start = adjusted_rand_score(y, session.labels_)
        for count in ANSWERS:
            session.run(count - session.n_answers)
            fresh = SSEPartition().fit(X, constraints=session.constraints)
            yield {
                "set": name,
                "form": form,
                "at most": count,
                "answers": session.n_answers,
                "before": start,
                "warm": adjusted_rand_score(y, session.labels_),
                "fresh": adjusted_rand_score(y, fresh.labels_),
            }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--sets", nargs="*", default=SETS, help="names of sets, as in general.py")
    parser.add_argument("--answers", type=int, default=12, help="number of answers timed")
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--out", type=Path, help="folder for asking_speed.csv and the like")
    options = parser.parse_args()
    record = manifest()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        timings = pd.DataFrame(row for n in options.sizes for row in speed(n, options.answers))
        print("CPU seconds\n" + timings.round(3).to_string(index=False), flush=True)
        rows = pd.DataFrame(row for name in options.sets for row in quality(name, options.data_dir))
    if len(rows):
        print("ARI of warm refits and of fresh fits with the same constraints")
        print(rows.round(3).to_string(index=False))
        means = rows.groupby(["form", "at most"])[["before", "warm", "fresh"]].mean()
        print(means.round(3).to_string())
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        timings.round(4).to_csv(options.out / "asking_speed.csv", index=False)
        rows.round(4).to_csv(options.out / "asking_warm.csv", index=False)
        (options.out / "asking_speed.json").write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
