"""``--save-command`` and ``sentree run``."""

import tomllib

import pytest

import sentree
from flowers import call, rows_of


@pytest.fixture
def saved(flowers):
    (flowers / "runs").mkdir()
    (flowers / "same.csv").write_text("flower000,flower001\n")
    done = call(
        *(flowers, "cluster", "flowers.csv", "-l", "species", "-k", "3", "--must-link", "same.csv"),
        *("--drop", "sepal length", "--drop", "sepal width", "--out", "runs/out.csv", "--append"),
        *("--penalty", "0.5", "--header", "--save-command", "runs/iris.toml"),
    )
    assert "'sentree run runs/iris.toml' repeats this" in done.stderr
    return flowers


def test_the_file_is_readable_and_its_paths_are_its_own(saved):
    text = (saved / "runs/iris.toml").read_text()
    assert text.startswith("# Repeat this command: sentree run iris.toml\n")
    assert tomllib.loads(text) == {
        "command": "cluster",
        "version": sentree.__version__,
        "data": "../flowers.csv",
        "labels": "species",  # a column, no path
        "must-link": "../same.csv",
        "n-clusters": 3,
        "penalty": 0.5,
        "drop": ["sepal length", "sepal width"],
        "header": True,
        "out": "out.csv",
        "append": True,
    }


def test_it_repeats_the_run_from_any_folder(saved):
    before = (saved / "runs/out.csv").read_text()
    for folder, file in ((saved, "runs/iris.toml"), (saved / "runs", "iris.toml")):
        (saved / "runs/out.csv").unlink()
        call(folder, "run", file)
        assert (saved / "runs/out.csv").read_text() == before


def test_options_given_now_count(saved):
    call(saved, "run", "runs/iris.toml", "-k", "4", "--out", "four.csv", "--drop", "petal width")
    rows = rows_of(saved / "four.csv")
    assert len({row["cluster"] for row in rows}) == 4
    call(saved, "run", "runs/iris.toml", "--model", "m.npz", "--drop=petal width", "--quiet")
    names = sentree.load(saved / "m.npz").feature_names_in_.tolist()
    assert names == ["sepal length", "sepal width", "petal length"]


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        (("n-clusters", "n-cluster"), 2, "has no 'n-cluster'; did you mean 'n-clusters'?"),
        (('"cluster"', '"clusters"'), 2, "command must be one of cluster, tree"),
        (("append = true", 'append = "yes"'), 2, "append must be true or false, got 'yes'"),
        (("penalty = 0.5", "penalty = [1, 2]"), 2, "penalty must be one value"),
        (("penalty = 0.5", 'penalty = "much"'), 2, "--penalty"),
        (('data = "../flowers.csv"', ""), 2, "'data' is missing"),
        (('data = "', "data = "), 1, "is no TOML"),
        (("header", "quiet"), 0, ""),
        ((f'"{sentree.__version__}"', '"0.0.1"'), 0, "written by sentree 0.0.1"),
    ],
)
def test_files_that_were_edited(saved, change, code, message):
    path = saved / "runs/iris.toml"
    text = path.read_text()
    assert change[0] in text
    path.write_text(text.replace(*change))
    assert message in call(saved, "run", "runs/iris.toml", code=code).stderr


def test_every_command_of_data_has_it(saved):
    call(saved, "cluster", "flowers.csv", "-l", "species", "--model", "m.npz", "-q")
    commands = (
        ("predict", "m.npz", "flowers.csv", "-q"),
        ("check", "species", "flowers.csv"),
        ("score", "runs/out.csv", "flowers.csv", "--truth-column", "species"),
        ("convert", "flowers.csv", "f.parquet"),
        ("describe", "m.npz", "flowers.csv", "--compare", "0", "1"),
        ("tree", "flowers.csv", "-l", "species", "-q", "-o", "t.nwk"),
    )
    for command in commands:
        first = call(saved, *command, "--save-command", "c.toml")
        assert call(saved, "run", "c.toml").stdout == first.stdout
    done = call(saved, "convert", "flowers.csv", "f.csv.gz", "--save-command", "c.txt", code=2)
    assert ".toml" in done.stderr
    assert not (saved / "f.csv.gz").exists()
