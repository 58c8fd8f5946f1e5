"""What the curves of active.csv say: answers to a target, areas, ratios to COBRAS, random pairs.

Curves are means over seeds. The target of a set is an adjusted Rand index of .9, or 95 % of the
best that any method reaches where none reaches .9. Answers to it are the least number of answers
whose mean reaches it, 1 at least. COBRAS is followed to 1,000 answers, or until a tenth of the rows
is left, and charged as many where it does not reach it. In ratios to COBRAS, a method that does not
reach it is charged twice what it may ask, or twice what COBRAS is charged if that is more. Both
count against the method. The area is the mean height of a curve over the logarithm of 1 + answers,
so that the first answers count most.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

TARGET, SHARE = 0.9, 0.95
RIVAL, RANDOM = "COBRAS", "random-pairs"
SET = ["part", "set", "noise"]
#: The digits must be found; where modules are impure the curve must rise, and not fall by much.
DIGITS, DIGITS_TARGET = "OpticalDigits", 0.95
IMPURE, RISING, FALL = ("heart", "Yale", "australian"), (0, 10, 25, 50, 100, 200), 0.05
#: Areas differ beyond chance where they do so by this many standard errors, and by so much.
ERRORS, LEAST_LOSS = 2.0, 0.01


def grid(rows):
    """Numbers of answers that the columns are about."""
    return [name for name in rows if name.isdecimal()]


def measured(rows):
    """Return the curves as they are, with numbers of answers as columns."""
    return rows[grid(rows)].set_axis([int(name) for name in grid(rows)], axis=1)


def filled(rows):
    """Curves in which the last index stays where few rows are left, up to what a method may ask."""
    curve = measured(rows)
    allowed = np.array(curve.columns)[None] <= rows["budget"].to_numpy()[:, None]
    return curve.ffill(axis=1).where(allowed)


def curves(rows, of=filled):
    """Mean curves over seeds: a row for every set, share of wrong answers and method."""
    keys = [rows[name] for name in [*SET, "method"]]
    return of(rows).groupby(keys, sort=False).mean()


def area(curve):
    """Mean height of each curve over log(1 + answers)."""
    place = np.log1p(np.array(curve.columns, dtype=float))
    height = curve.to_numpy(dtype=float)
    width = np.diff(place) * ~np.isnan(height[:, 1:])
    middle = (height[:, 1:] + height[:, :-1]) / 2
    return pd.Series(np.nansum(middle * width, axis=1) / width.sum(axis=1), curve.index)


def targets(mean):
    """What is to be reached on every set."""
    best = mean.max(axis=1).groupby(level=SET, sort=False).max()
    return best.where(best < TARGET, TARGET / SHARE) * SHARE


def answers_to(mean, target):
    """Answers until the mean curve reaches a target; NaN where it does not."""
    wanted = mean.index.droplevel("method").map(target)
    there = mean.to_numpy() >= np.asarray(wanted, dtype=float)[:, None] - 1e-9
    first = np.maximum(np.array(mean.columns)[there.argmax(axis=1)], 1)
    return pd.Series(np.where(there.any(axis=1), first, np.nan), mean.index)


def needs(rows, mean, target):
    """Answers to the target; those of COBRAS also beyond what others may ask."""
    needed = answers_to(mean, target)
    further = answers_to(curves(rows, measured), target)
    return needed.where(needed.index.get_level_values("method") != RIVAL, further)


def ratios(rows, needed):
    """Answers as a share of those of COBRAS, by set and method."""
    by_set = needed.unstack("method")
    if RIVAL not in by_set:
        return by_set.iloc[:, :0]
    followed = curves(rows, measured).apply(pd.Series.last_valid_index, axis=1)
    rival = needed.fillna(followed).unstack("method")[RIVAL]
    most = rows.groupby([*SET, "method"], sort=False)["budget"].first().unstack("method")
    charged = (2 * most).div(rival, axis=0).clip(lower=2).where(most.notna())
    return by_set.assign(**{RIVAL: rival}).div(rival, axis=0).fillna(charged)


def table_of_methods(rows, mean, needed):
    """One row a method: area, sets reached, ratios to COBRAS, seconds, where it ended by itself."""
    told = rows.drop_duplicates("method").set_index("method")["form"]
    share = ratios(rows, needed)
    by_method = rows.groupby("method", sort=False)
    table = pd.DataFrame({
        "form": told,
        "sets": needed.groupby(level="method", sort=False).size(),
        "area": area(mean).groupby(level="method", sort=False).mean(),
        "reached": needed.notna().groupby(level="method", sort=False).sum(),
        f"answers / {RIVAL}, mean": share.mean(),
        "median": share.median(),
        "mean where reached": share.where(needed.unstack("method").notna()).mean(),
        "s / question": by_method["seconds"].median(),
        "ended by itself": by_method["stopped"].apply(lambda at: at.notna().mean()),
        "after, median": by_method["stopped"].median(),
    })  # fmt: skip
    return table.loc[list(dict.fromkeys(rows["method"]))]


def below_random(rows):
    """Sets where a method of pairs is below random pairs beyond chance: loss of area and its error.

    Seeds are compared one by one, since both methods have the same rows there.
    """
    scored = rows.assign(area=area(filled(rows)))
    scored = scored[scored["form"] == "pairs"]
    by_seed = scored.pivot_table("area", [*SET, "seed"], "method", sort=False)
    if RANDOM not in by_seed:
        return pd.DataFrame()
    loss = -by_seed.sub(by_seed[RANDOM], axis=0).drop(columns=RANDOM)
    groups = loss.groupby(level=SET, sort=False)
    error = (groups.std() / np.sqrt(groups.count())).fillna(0.0)
    worse = groups.mean() > np.maximum(ERRORS * error, LEAST_LOSS)
    return groups.mean().where(worse).stack().rename("loss").reset_index()


def must_hold(rows, mean, needed):
    """What sentree's own questions must reach, and what they do; rows with right answers only."""
    share, worse = ratios(rows, needed), below_random(rows)
    curve = mean.droplevel(["part", "noise"])
    lines = []
    for name, at_most, within in (("structural-pairs", 0.5, 75), ("structural-choices", 0.25, 20)):
        if name not in curve.index.get_level_values("method"):
            continue
        if name in share:
            ratio = share[name].mean()
            wish = f"answers / {RIVAL} at most {at_most}, mean of sets"
            lines.append((name, wish, f"{ratio:.2f}", ratio <= at_most))
        if name.endswith("pairs") and RANDOM in set(rows["method"]):
            lost = worse[worse["method"] == name]["set"].tolist() if len(worse) else []
            told = ", ".join(lost) or "none"
            lines.append((name, "sets below random pairs beyond chance: none", told, not lost))
        if (DIGITS, name) in curve.index:
            reached = curve.loc[(DIGITS, name)].loc[:within].max()
            wish = f"{DIGITS}: {DIGITS_TARGET} within {within} answers"
            lines.append((name, wish, f"{reached:.3f}", reached >= DIGITS_TARGET))
        for impure in IMPURE:
            if (impure, name) in curve.index:
                height = curve.loc[(impure, name)].dropna()
                fall = (height.cummax() - height).max()
                told = ", ".join(f"{height[at]:.2f} at {at}" for at in RISING if at in height)
                lines.append((name, f"{impure}: rises, falls by {FALL} at most on the way",
                              f"{told}; largest fall {fall:.2f}",
                              height.iloc[-1] > height.iloc[0] and fall <= FALL))  # fmt: skip
    table = pd.DataFrame(lines, columns=["questions", "must hold", "measured", "holds"])
    return table.assign(holds=table["holds"].map({True: "yes", False: "no"}))


def markdown(table, index=True):
    """Write a table as Markdown."""
    table = table.reset_index() if index else table
    cells = [[_cell(value) for value in line] for line in table.to_numpy(dtype=object).tolist()]
    head = [str(name) for name in table.columns]
    lines = [head, ["---"] * len(head), *cells]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(value):
    if isinstance(value, float):
        if np.isnan(value):
            return "–"
        return f"{value:.0f}" if value == round(value) and abs(value) >= 1 else f"{value:.3g}"
    return str(value)


def summary(rows):
    """Return all tables as Markdown, one section for every share of wrong answers."""
    rules = " ".join(__doc__.split("\n\n")[1].split())
    text = ["# Questions: answers to the right clusters", "", rules, ""]
    for noise, part in rows.groupby("noise"):
        mean = curves(part)
        target = targets(mean)
        needed = needs(part, mean, target)
        text += [f"## {100 * noise:g} % of the answers wrong", "",
                 markdown(table_of_methods(part, mean, needed)), ""]  # fmt: skip
        rules = must_hold(part, mean, needed)
        if noise == 0 and len(rules):
            text += ["What must hold:", "", markdown(rules, index=False), ""]
        by_set = needed.unstack("method").droplevel("noise")
        by_set.insert(0, "target", target.droplevel("noise"))
        text += ["Answers to the target:", "", markdown(by_set), ""]
        worse = below_random(part)
        if len(worse):
            worse = worse.pivot_table("loss", ["part", "set"], "method", sort=False)
            text += ["Area below that of random pairs into sentree's own search, by more than two "
                     f"standard errors and {LEAST_LOSS}:", "", markdown(worse), ""]  # fmt: skip
    return "\n".join(text)
