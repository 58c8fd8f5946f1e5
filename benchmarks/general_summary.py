"""What the rows of general.csv say: means by task and method, pairs, sets lost, and a picture.

The best peer of a set is chosen afterwards, by the same scores: no one who has the data alone could
choose it, and of a dozen methods the best is a little better by luck.
"""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd

from feature_peers import OURS, family
from general_sets import HALVES
from tasks import TASKS, WITHOUT_PAIRS

#: A set is lost where sentree is so much below the best peer.
LOST = 0.10
#: Draws count where sentree finds so much without pairs.
CLEAR = 0.1
COLOURS = dict(zip(HALVES, ("#0072B2", "#E69F00"), strict=True))


def by_set(rows):
    """Mean ARI over draws: one row per set and task, one column per method."""
    keys = ["part", "set", "kind", "half", "task"]
    mean = rows.groupby([*keys, "method"], sort=False)["ARI"].mean()
    return mean.unstack("method")


def print_summary(rows):
    for part, of_part in rows.groupby("part", sort=False):
        table = means(by_set(of_part))
        table["CPU s"] = of_part.groupby(["task", "method"])["seconds"].mean()
        print(f"\n{part}: mean ARI by task and method")
        print(table.round(3).to_string(na_rep=""))
    table = pairs_against_none(rows)
    if len(table):
        print("\npairs against none: mean ARI of sentree, less that without pairs of the same set;")
        print(f"draws in which none gives more than {CLEAR}, and in how many pairs halve it")
        print(table.round(3).to_string())
    table = differences(by_set(rows))
    if len(table):
        print("\nsets by what sentree has above the best peer of the set")
        print(standing(table).round(3).to_string())
        print(f"\nmore than {LOST} below it, without the half that defaults are chosen on")
        print(losses(table).round(3).to_string(na_rep=""))


def means(scores):
    """Means of a part by task and method: of all sets, of each kind, and of each half."""
    long = scores.stack().rename("ARI").reset_index()
    groups = {"all": long}
    for column in ("kind", "half"):
        if long[column].nunique() > 1:
            groups |= dict(list(long.groupby(column)))
    table = {name: rows.groupby(["task", "method"])["ARI"].mean() for name, rows in groups.items()}
    table = pd.DataFrame(table)
    table.insert(0, "sets", long.groupby(["task", "method"])["ARI"].size())
    rank = {
        name: place for place, name in enumerate([*TASKS, OURS, *dict.fromkeys(long["method"])])
    }
    return table.sort_index(key=lambda names: names.map(rank))


def pairs_against_none(rows):
    """What sentree makes of pairs, by part, way to call it and number of pairs, soft and hard.

    Every draw is compared with the same draw of the task without pairs; means are of sets.
    """
    keys = ["part", "set", "draw", "method"]
    ours = rows[rows["method"].map(family) == OURS]
    none = ours[ours["task"].isin(WITHOUT_PAIRS)].drop_duplicates(keys)
    given = ours[ours["task"].map(lambda task: TASKS[task].pairs > 0)]
    both = given[[*keys, "task", "ARI"]].merge(
        none[[*keys, "ARI"]].rename(columns={"ARI": "none"}), on=keys
    )
    both["pairs"] = both["task"].map(lambda task: TASKS[task].pairs)
    both["kept"] = both["task"].map(lambda task: "hard" if TASKS[task].hard else "soft")
    both["draws"] = both["none"] > CLEAR
    both["halved"] = both["draws"] & (both["ARI"] < both["none"] / 2)
    groups = ["part", "method", "kept", "pairs"]
    sets = both.groupby([*groups, "set"])[["none", "ARI"]].mean()
    table = sets.groupby(groups).mean()
    table.insert(0, "sets", sets.groupby(groups).size())
    table["difference"] = table["ARI"] - table["none"]
    table = table.join(both.groupby(groups)[["draws", "halved"]].sum())
    return table.sort_index(level=["part", "method", "kept", "pairs"], ascending=[1, 1, 0, 1])


def differences(scores):
    """What sentree has above the best peer: a row for every set, task and way to call sentree."""
    ours = [name for name in scores if family(name) == OURS]
    peers = scores.drop(columns=ours).dropna(how="all")
    table = scores[ours].stack().rename("ARI").reset_index("method")
    best = pd.DataFrame({"best peer": peers.idxmax(axis=1), "its ARI": peers.max(axis=1)})
    table = table.join(best, how="inner")
    return table.assign(difference=table["ARI"] - table["its ARI"])


def standing(table):
    """Count the sets that are clearly lost and won, by part, task, way and half."""
    keys = ["part", "task", "method", "half"]
    return table.groupby(keys, sort=False)["difference"].agg(
        sets="size",
        mean="mean",
        lost=lambda values: (values < -LOST).sum(),
        won=lambda values: (values > LOST).sum(),
    )


def losses(table):
    kept = table[table.index.get_level_values("half") != HALVES[0]]
    kept = kept[kept["difference"] < -LOST].droplevel(["kind", "half"]).reset_index()
    return kept.sort_values(["part", "task", "set"]).set_index(["part", "task", "set"])


def draw_picture(rows, path):
    """Per task, the difference to the best peer of every set, sorted; halves by colour."""
    table = differences(by_set(rows[rows["part"] == "sets"]))
    tasks = [task for task in TASKS if task in table.index.unique("task")]
    if not tasks:
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    columns = 3
    lines = -(-len(tasks) // columns)
    figure, axes = plt.subplots(lines, columns, figsize=(11, 0.6 + 2.5 * lines), sharex=True,
                                sharey=True, layout="constrained", squeeze=False)  # fmt: skip
    for ax, task in zip(axes.flat, tasks, strict=False):
        draw_task(ax, table.xs(task, level="task"), task)
    for ax in axes.flat[len(tasks) :]:
        ax.set_axis_off()
    for ax in axes[:, 0]:
        ax.set_ylabel("ARI less that of\nthe set's best peer")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    figure.savefig(path, dpi=130)


def draw_task(ax, table, task):
    """Sets in order of the difference, with k given to sentree where the task has that."""
    way = max(table["method"])
    shown = table.loc[table["method"] == way, "difference"].sort_values()
    place = np.arange(len(shown))
    ax.axhline(0, color="0.6", lw=0.8)
    for half, colour in COLOURS.items():
        of_half = shown.index.get_level_values("half") == half
        ax.plot(place[of_half], shown[of_half], "o", ms=3, color=colour, label=f"{half} half")
    ax.set(title=f"{task}, {way}: mean {shown.mean():+.3f}", xticks=[])
    ax.spines[["top", "right"]].set_visible(False)
