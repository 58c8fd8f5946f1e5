"""Tables as people have them, on the command line."""

import numpy as np
import pandas as pd
import pytest

from flowers import call

N = 60


@pytest.fixture
def shop(tmp_path):
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1], N // 2)
    frame = pd.DataFrame(
        {
            "customer": [f"K{k}" for k in range(N)],
            "spent": [f"€ {x:,.2f}" for x in np.exp(5 + 3 * group + rng.normal(size=N) / 4)],
            "visits": (group * 20 + rng.integers(5, 9, N)).astype(str),
            "plan": np.array(["basic", "pro"])[group],
            "note": [f"called again about item number {k}" for k in range(N)],
        }
    )
    frame.loc[[3, 40], "visits"] = ["?", ""]
    frame.to_csv(tmp_path / "shop.csv", index=False)
    return tmp_path


def clusters(folder, name="shop-clusters.csv"):
    return pd.read_csv(folder / name)


def test_one_command_takes_the_table_as_it_is(shop):
    done = call(shop, "cluster", "shop.csv", "-k", "2", "--model", "m.npz")
    assert "shop.csv: 60 samples, 4 columns; ids from customer" in done.stdout
    assert (
        "prepared: 4 columns made 4 features: 2 numbers (spent, visits), 1 category (plan); gaps "
        "filled in visits\nleft out: note (text)\n"
    ) in done.stdout
    found = clusters(shop)
    assert (found["cluster"] == np.repeat([0, 1], N // 2)).all()
    new = "plan,visits,spent,extra\npro,27,€ 9000.00,1\nbasic,NA,€ 150.10,2\n"
    (shop / "new.csv").write_text(new)
    done = call(shop, "predict", "m.npz", "new.csv")
    assert "not used, since the model does not know them: extra" in done.stdout
    assert clusters(shop, "new-predicted.csv")["cluster"].tolist() == [1, 0]
    (shop / "less.csv").write_text("plan,visits\npro,27\nbasic,3\n")
    done = call(shop, "predict", "m.npz", "less.csv", code=1)
    assert "has no column 'spent'" in done.stderr


def test_without_preparation_all_columns_are_told_with_the_remedy(shop):
    done = call(shop, "cluster", "shop.csv", "--prepare", "none", code=1)
    for word in ("'spent' has '€ ", "'visits' has '?' in line 5", "'plan' has", "'note' has"):
        assert word in done.stderr
    assert "--prepare auto makes numbers of text and dates, and fills gaps" in done.stderr


def test_rows_with_gaps_are_skipped_and_told(shop):
    (shop / "pairs.csv").write_text("K3,K4\nK5,K6\n")
    done = call(
        shop, "cluster", "shop.csv", "-k", "2", "--skip-missing", "--must-link", "pairs.csv"
    )
    assert "skipped: 2 of 60 rows, which have gaps and get no cluster" in done.stdout
    assert "1 constraint about rows with gaps left out, too" in done.stderr
    found = clusters(shop)
    assert found["customer"].tolist() == [f"K{k}" for k in range(N)]
    assert np.flatnonzero(found["cluster"].isna()).tolist() == [3, 40]
    assert found["cluster"].dropna().tolist() == [0] * 29 + [1] * 29
    call(shop, "tree", "shop.csv", "--skip-missing", "--out", "t.json", "--clusters", "c.csv")
    assert clusters(shop, "c.csv")["cluster"].isna().sum() == 2
    (shop / "gaps.csv").write_text("x,y\n1,\n,2\n3,4\n")
    done = call(shop, "cluster", "gaps.csv", "--skip-missing", code=1)
    assert "only 1 of 3 rows have no gaps" in done.stderr


@pytest.mark.parametrize(
    ("switches", "code", "words"),
    [
        (["--drop-text"], 0, "left out: note (text); plan (categories)"),
        (["--no-encode"], 1, "categories in 'plan', which are not encoded (--no-encode): leave"),
        (["--no-impute"], 1, "gaps in 'visits', which are not filled (--no-impute)"),
        (["--log", "--impute", "--encode"], 0, "prepared: "),
        (["--prepare", "some"], 2, "--prepare must be 'auto' or 'none', got 'some'"),
        (["--prepare", "none", "--no-log"], 2, "--log is about how a table is prepared"),
        (["--graph", "--skip-missing"], 2, "does not go with DATA that is no table"),
    ],
)
def test_single_switches(shop, switches, code, words):
    done = call(shop, "cluster", "shop.csv", *switches, code=code)
    assert words in done.stdout + done.stderr


def test_verbose_tells_of_every_column(shop):
    done = call(shop, "cluster", "shop.csv", "--verbose")
    assert "kept, in €" in done.stderr
    assert "2 columns of 0 and 1" in done.stderr


def test_levels_that_look_like_numbers_are_levels_in_any_file(tmp_path):
    rng = np.random.default_rng(0)
    kind = np.repeat([0, 1, 2], 40)
    code = np.array(["007", "1.50", "TRUE"])[kind]
    table = pd.DataFrame({"code": code, "x": rng.normal(size=120) / 10 + kind})
    table.to_csv(tmp_path / "all.csv", index=False)
    call(tmp_path, "cluster", "all.csv", "-k", "3", "--model", "model.npz", code=0)
    found = pd.read_csv(tmp_path / "all-clusters.csv")["cluster"].to_numpy()
    for one in range(3):
        table[kind == one].to_csv(tmp_path / "part.csv", index=False)
        call(tmp_path, "predict", "model.npz", "part.csv", "--out", "found.csv", code=0)
        again = pd.read_csv(tmp_path / "found.csv")["cluster"].to_numpy()
        assert again.tolist() == found[kind == one].tolist()
