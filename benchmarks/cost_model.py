"""What a fit costs, stage by stage: fitted to what was measured, and simulated for larger machines.

Reads ``stages.csv`` of ``stages.py`` in ``--out``. For every stage it fits CPU seconds = a n^b, and
adds bytes and messages by the formulas of ``cost_stages.py``. Then it simulates 64 cores of one
machine and 100 workers, up to 10^9 points. It prints formulas and assumptions. What is beyond the
measured sizes, or two cores, is extrapolation and nothing else.

Writes cost_model.csv, cost_model.md (the tables of the guide) and cost_model.png.

    python benchmarks/cost_model.py --out benchmarks/results
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from cost_stages import STAGES, Machine

CASES = {
    "two cores": Machine(cores=2),
    "64 cores": Machine(cores=64),
    "100 workers": Machine(workers=100, cores=4),
}
#: What the seconds of a stage are the sum of.
PARTS = ("compute", "network", "scheduler")
POINTS = [10**5, 10**6, 10**7, 10**8, 10**9]
SHOWN = [10**7, 10**8, 10**9]


class Fit(NamedTuple):
    """CPU seconds of a stage: a (n / 10^6)^b."""

    a: float
    b: float
    found: float  # b as fitted, below 1 too; nan where there are too few sizes
    sizes: int  # how many different n it was fitted to
    parallel: float  # share of the work that more cores share
    measured: bool  # whether that share is

    def seconds(self, n):
        """CPU seconds for n points."""
        return self.a * (n / 1e6) ** self.b


#: A stage that was not measured: it computes nothing.
NOTHING = Fit(0.0, 1.0, np.nan, 0, 1.0, False)


def measurements(folder):
    """The rows of all stages."""
    path = folder / "stages.csv"
    if not path.exists():
        raise SystemExit(f"no measurements in {folder}: run benchmarks/stages.py first")
    found = pd.read_csv(path)
    return found[found["stage"].isin(list(STAGES))].query("cpu_seconds > 0")


def fit(name, rows):
    """Fit a line to the logarithms; b = 1 where there are too few sizes, or fixed costs hide it."""
    # Several steps of a file may be one stage here: they are added up.
    keys = ["n", "threads"]
    rows = rows.groupby(keys)[["seconds", "cpu_seconds"]].sum().reset_index()
    x, y = np.log(rows["n"] / 1e6), np.log(rows["cpu_seconds"])
    sizes = rows["n"].nunique()
    found = float(np.polyfit(x, y, 1)[0]) if sizes >= 3 else np.nan
    b = max(found, 1.0) if sizes >= 3 else 1.0  # nothing grows slower: below 1, fixed costs hide it
    a = float(np.exp(np.mean((y - b * x)[(x == x.max()) | (found >= 1)])))
    one, two = (rows[rows["threads"] == t].set_index("n")["seconds"] for t in (1, 2))
    both = one.index[one.index.isin(two.index)]
    if len(both):
        gain = (two.loc[both].groupby("n").min() / one.loc[both].groupby("n").min()).iloc[-1]
        return Fit(a, b, found, sizes, float(np.clip(2 * (1 - gain), 0, 1)), True)
    return Fit(a, b, found, sizes, STAGES[name].parallel, False)


def computing(stage, fitted, n, machine):
    """Seconds that a stage computes on a machine, or on workers."""
    work, share = fitted.seconds(n), fitted.parallel
    if machine.workers == 1:
        shared = work * (1 - share) + work * share / machine.cores
    else:  # a core for each shard, as long as there are both; then one worker by itself
        few = fitted.seconds(stage.alone(n)) if stage.alone(n) else 0.0
        shared = machine.slowest * work / min(machine.all_cores, machine.shards(n))
        shared += few * (1 - share) + few * share / machine.cores
    return max(shared, stage.touched(n) / machine.memory_speed)


def simulated(fits):
    """A row for each case, number of points and stage."""
    rows = []
    for (case, machine), n in itertools.product(CASES.items(), POINTS):
        for name, stage in STAGES.items():
            sent, messages = stage.sent(n, machine), stage.messages(n, machine)
            row = {
                "case": case,
                "n": n,
                "stage": name,
                "compute_seconds": computing(stage, fits[name], n, machine)
                if name in fits
                else 0.0,
                "network_seconds": sent / machine.network_speed,
                "scheduler_seconds": messages * machine.overhead,
            }
            row["seconds"] = sum(row[f"{part}_seconds"] for part in PARTS)
            many = {"sent_bytes": sent, "messages": messages} if machine.workers > 1 else {}
            rows.append(row | many | {"memory_bytes": stage.memory(n, machine)})
    return pd.DataFrame(rows)


def in_words(seconds):
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= size:
            return (
                f"{seconds / size:.2g} {unit}"
                if seconds < 10 * size
                else f"{seconds / size:.0f} {unit}"
            )
    return f"{seconds:.2g} s"


def in_bytes(count):
    for size, unit in ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB")):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count / 1024:.3g} KiB"


def tables(fits, found, model):
    """The tables of the guide, as Markdown."""
    least, most = found["n"].min(), found["n"].max()
    lines = [
        f"Fitted to runs of {least:,} to {most:,} points: 10^9 points are {1e9 / most:,.0f} times "
        "as many.",
        "",
        "| stage | CPU seconds for 10^6 | power of n | fitted to | sent for 10^6 | messages |",
        "|---|---|---|---|---|---|",
    ]
    workers = CASES["100 workers"]
    for name, fitted in fits.items():
        sizes = sorted(found.loc[found["stage"] == name, "n"].unique())
        spread = (
            f"{sizes[0]:.0e} to {sizes[-1]:.0e}".replace("e+0", "e")
            if fitted.sizes > 1
            else "one size"
        )
        power = "1 (assumed)" if np.isnan(fitted.found) else f"{fitted.found:.2f}"
        power += ", taken as 1" if fitted.found < 1 else ""
        sent = in_bytes(STAGES[name].sent(1e6, workers))
        lines.append(
            f"| {name} | {fitted.a:.3g} | {power} | {spread} | {sent} "
            f"| {STAGES[name].messages(1e6, workers):.0f} |"
        )
    missing = [name for name in STAGES if name not in fits]
    if missing:
        told = ", ".join(missing)
        lines += [
            "",
            f"Not measured by themselves (in the sums with what they send only): {told}.",
        ]
    lines += [
        "",
        "| points | " + " | ".join(CASES) + " | memory: one machine | one of 100 workers |",
        "|---" * (len(CASES) + 3) + "|",
    ]
    for n in SHOWN:
        of_n = model[model["n"] == n]
        most = of_n.groupby("case")["memory_bytes"].max()
        cells = [told_seconds(of_n[of_n["case"] == case]) for case in CASES]
        lines.append(
            f"| 10^{round(np.log10(n))} | {' | '.join(cells)} "
            f"| {in_bytes(most['64 cores'])} | {in_bytes(most['100 workers'])} |"
        )
    return "\n".join(lines) + "\n"


def told_seconds(rows):
    """All seconds in words, and those of the scheduler where they are most of them."""
    total, scheduler = rows["seconds"].sum(), rows["scheduler_seconds"].sum()
    mostly = f" ({in_words(scheduler)} of it the scheduler)" if scheduler > total / 2 else ""
    return in_words(total) + mostly


def picture(fits, found, model, path):
    """Measured dots and the model's lines."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    n = np.logspace(5, 9, 50)
    for number, (name, fitted) in enumerate(fits.items()):
        rows, colour = found[found["stage"] == name], f"C{number}"
        left.plot(rows["n"], rows["cpu_seconds"], "o", color=colour, markersize=4)
        left.plot(n, fitted.seconds(n), color=colour, linewidth=1, label=name)
    left.set(xscale="log", yscale="log", xlabel="points", ylabel="CPU seconds", title="Stages")
    left.legend(fontsize=7)
    for case, style in zip(CASES, ("-", "--", ":"), strict=True):
        total = model[model["case"] == case].groupby("n")["seconds"].sum()
        right.plot(total.index, total, style, color="#0072B2", label=f"{case}, simulated")
    wall = found[found["threads"] == 2].groupby("n")["seconds"].sum()
    right.plot(wall.index, wall.to_numpy(), "o", color="#D55E00", label="two cores, measured")
    right.set(xscale="log", yscale="log", xlabel="points", ylabel="seconds", title="Whole fits")
    right.legend(fontsize=7)
    figure.savefig(path, dpi=150)


def tell(fits):
    """Print formulas and assumptions."""
    print("CPU seconds = a (n / 10^6)^b")
    for name, one in fits.items():
        how = "measured on 2 threads" if one.measured else "assumed"
        told = f"{one.sizes} sizes" if one.sizes >= 3 else f"{one.sizes} sizes: b assumed"
        print(
            f"  {name:9} a {one.a:9.3g}  b {one.b:5.2f} ({told}); shared {one.parallel:.2f} ({how})"
        )
    print("\nBytes sent, messages, memory")
    for name, stage in STAGES.items():
        print(f"  {name:9} {stage.formula}")
    print("\nMachines")
    for case, machine in CASES.items():
        print(f"  {case}: {machine.told}")
    print(
        "\nNot measured: more than two cores, more than one machine, any network, any n beyond the"
    )
    print("dots of the picture. Stages without one count with what they send only.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    folder = parser.parse_args().out
    found = measurements(folder)
    fits = {
        name: fit(name, found[found["stage"] == name])
        for name in STAGES
        if (found["stage"] == name).any()
    }
    model = simulated(fits)
    tell(fits)
    model.round(4).to_csv(folder / "cost_model.csv", index=False)
    text = tables(fits, found, model)
    (folder / "cost_model.md").write_text(text)
    print("\n" + text)
    picture(fits, found, model, folder / "cost_model.png")


if __name__ == "__main__":
    main()
