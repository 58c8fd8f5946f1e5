"""The benchmark on questions: what it counts, and what its tables say, by hand."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))

from active import COLUMNS, read, unseen_index
from active_methods import METHODS, Problem, Step, links
from active_picture import panels
from active_summary import (
    answers_to,
    area,
    below_random,
    curves,
    filled,
    must_hold,
    needs,
    ratios,
    summary,
    targets,
)

GRID = ["0", "1", "3", "7"]  # log2(1 + answers) is 0, 1, 2, 3


def table(**curves_of):
    """One row for each method, or several for several seeds."""
    lines = []
    for method, seeds in curves_of.items():
        for seed, heights in enumerate(seeds):
            form = "choices" if method.endswith("choices") else "pairs"
            about = {"part": "made", "set": "toy", "half": "", "noise": 0.0, "seed": seed,
                     "method": method.replace("_", "-"), "form": form, "seconds": 0.1,
                     "budget": 3 if form == "choices" else 7, "stopped": np.nan}  # fmt: skip
            lines.append(about | dict(zip(GRID, heights, strict=False)))
    return pd.DataFrame(lines)


ROWS = table(
    ours=[(0.5, 0.9, 0.7, 0.95), (0.5, 0.92, 0.9, 0.95)],
    COBRAS=[(0.0, 0.2, 0.6, 0.92), (0.0, 0.2, 0.6, 0.92)],
    our_choices=[(0.5, 0.7, 0.8), (0.5, 0.7, 0.8)],
    random_pairs=[(0.5, 0.6, 0.7, np.nan), (0.5, 0.6, 0.7, np.nan)],
)


def needed():
    mean = curves(ROWS)
    return answers_to(mean, targets(mean)).droplevel(["part", "set", "noise"])


def test_the_last_index_stays_up_to_what_a_method_may_ask():
    assert filled(ROWS).iloc[-1].tolist() == [0.5, 0.6, 0.7, 0.7]
    assert np.isnan(filled(ROWS).iloc[4, 3])  # three choices are all it has


def test_answers_to_nine_tenths():
    assert needed().to_dict() == pytest.approx(
        {"ours": 1, "COBRAS": 7, "our-choices": np.nan, "random-pairs": np.nan}, nan_ok=True
    )


def test_where_nobody_reaches_it_the_target_is_95_percent_of_the_best():
    low = table(ours=[(0.1, 0.4, 0.39, 0.39)], COBRAS=[(0.1, 0.2, 0.38, 0.2)])
    mean = curves(low)
    assert targets(mean).tolist() == pytest.approx([0.38])
    assert answers_to(mean, targets(mean)).tolist() == [1, 3]


def test_no_answers_count_as_one():
    mean = curves(table(COBRAS=[(0.95, 0.95, 0.95, 0.95)]))
    assert answers_to(mean, targets(mean)).tolist() == [1]


def test_the_area_is_over_the_logarithm():
    """Trapezes of width 1 each: a third of their heights' sum."""
    height = area(curves(ROWS)).droplevel(["part", "set", "noise"])
    assert height["COBRAS"] == pytest.approx((0.1 + 0.4 + 0.76) / 3)
    assert height["our-choices"] == pytest.approx((0.6 + 0.75) / 2)


def test_who_does_not_reach_the_target_is_charged_twice_what_it_may_ask():
    mean = curves(ROWS)
    share = ratios(ROWS, answers_to(mean, targets(mean))).iloc[0]
    assert share.to_dict() == pytest.approx(
        {"ours": 1 / 7, "COBRAS": 1, "our-choices": 2, "random-pairs": 2}
    )  # choices are charged twice what COBRAS needs, which is more than twice three
    early = ROWS.assign(**{"3": ROWS["3"].where(ROWS["method"] != "COBRAS", 0.95)})
    mean = curves(early)
    share = ratios(early, answers_to(mean, targets(mean))).iloc[0]
    assert share["random-pairs"] == pytest.approx(14 / 3)


def test_cobras_is_followed_beyond_what_others_may_ask():
    rows = table(ours=[(0.5, 0.5, 0.92, 0.5)], COBRAS=[(0.0, 0.2, 0.6, 0.92)]).assign(budget=3)
    mean = curves(rows)
    assert targets(mean).tolist() == pytest.approx([0.9])
    assert needs(rows, mean, targets(mean)).tolist() == [3, 7]
    rows.loc[1, "7"] = 0.8  # it does not get there, and is charged seven
    needed = needs(rows, mean, targets(mean))
    assert np.isnan(needed.iloc[1])
    assert ratios(rows, needed).iloc[0].to_dict() == pytest.approx({"ours": 3 / 7, "COBRAS": 1})


def test_sets_below_random_pairs_are_listed():
    worse = below_random(ROWS)
    assert worse["method"].tolist() == ["COBRAS"]
    assert worse["loss"].iloc[0] == pytest.approx((0.55 + 0.65 + 0.7) / 3 - (0.1 + 0.4 + 0.76) / 3)


def test_what_must_hold():
    rows = table(structural_pairs=[(0.5, 0.7, 0.6, 0.96)], COBRAS=[(0.0, 0.2, 0.6, 0.92)])
    rows["set"] = "heart"
    mean = curves(rows)
    rules = must_hold(rows, mean, answers_to(mean, targets(mean)))
    assert rules["measured"].tolist() == ["1.00", "0.50 at 0; largest fall 0.10"]
    assert rules["holds"].tolist() == ["no", "no"]
    rows = ROWS.assign(method=ROWS["method"].replace("COBRAS", "structural-pairs"))
    mean = curves(rows)
    rules = must_hold(rows, mean, answers_to(mean, targets(mean)))
    assert rules.to_numpy().tolist() == [
        ["structural-pairs", "sets below random pairs beyond chance: none", "toy", "no"]
    ]


def test_the_summary_and_the_picture_have_all_methods():
    text = summary(ROWS)
    assert "| toy | 0.9 | 1 | 7 | – | – |" in text
    assert panels(ROWS)["mean of all sets"].loc["ours", 1] == pytest.approx(0.91)


def test_only_rows_never_asked_about_count():
    y = np.repeat([0, 1], 30)
    labels = y.copy()
    labels[:9] = 1
    assert unseen_index(y, Step(5, labels, np.arange(9), 0.0)) == 1
    assert unseen_index(y, Step(5, labels, np.array([], dtype=int), 0.0)) < 1
    assert np.isnan(unseen_index(y, Step(5, labels, np.arange(41), 0.0)))  # 19 rows are left


def test_answers_that_contradict_earlier_ones_do_not_count():
    pairs = [(0, 1), (2, 3), (1, 2), (0, 3), (4, 3), (4, 2)]
    told = links(pairs, [True, True, False, True, True, False], 5)
    assert told == {"must_link": [(0, 1), (2, 3), (4, 3)], "cannot_link": [(1, 2)]}


def test_an_oracle_lies_about_its_share_of_pairs_and_always_the_same():
    y = np.zeros(200, dtype=int)
    problem = Problem(None, y, 0.1, 3, [0])
    answers = [problem.oracle(i, j) for i in range(60) for j in range(i)]
    assert 0.08 < 1 - np.mean(answers) < 0.12
    assert answers == [problem.oracle(j, i) for i in range(60) for j in range(i)]


@pytest.mark.parametrize("name", ["COBRAS", "COBRA-25", "min-max", "NPU", "random-pairs",
                                  "random-choices"])  # fmt: skip
def test_methods_yield_a_step_for_each_number_of_answers(name):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 15)
    X = rng.normal(size=(45, 2)) + 9 * np.eye(3)[y][:, :2]
    steps = list(METHODS[name].run(Problem(X, y, 0.0, 0, [0, 2, 6])))
    assert [step.answers for step in steps] == [0, 2, 6]
    assert all(step.labels.shape == (45,) for step in steps)
    assert steps[0].asked.size == 0
    sizes = [step.asked.size for step in steps]
    assert sizes == sorted(sizes)
    assert steps[2].asked.max() < 45


def test_what_is_written_is_read(tmp_path):
    line = dict.fromkeys(COLUMNS, "") | {"set": "toy", "noise": 0.05, "seed": 1, "0": 0.5}
    pd.DataFrame([line]).to_csv(tmp_path / "active.csv", index=False)
    found = read(tmp_path / "active.csv").iloc[0]
    assert found["half"] == ""
    assert np.isnan(found["stopped"])
    assert (found["noise"], found["seed"], found["0"]) == (0.05, 1, 0.5)
