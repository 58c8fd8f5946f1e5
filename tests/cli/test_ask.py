"""``sentree ask``: questions in the terminal, answered by lines, by keys, or by the truth."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_digits

import sentree
from command import executable
from flowers import IDS, IRIS, SPECIES, call, rows_of, write_csv
from sentree.active import IsClass, Question
from sentree.cli.ask_dialogue import change
from sentree.cli.ask_keys import understood
from sentree.profiles.shown import Rows

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="termios")
RANDOM = ("--strategy", "random")
PAIRS = (*RANDOM, "--form", "pair")
FILES = {"flowers-clusters.csv", "flowers-constraints.json", "flowers.answers.jsonl", "flowers.csv"}


@pytest.fixture
def flowers(tmp_path):
    header = ["id", "sepal length", "sepal width", "petal length", "petal width", "species"]
    write_csv(tmp_path / "flowers.csv", header, IDS, *IRIS.data.T, SPECIES)
    return tmp_path


def ask(folder, *more, replies="", code=0, data="flowers.csv"):
    dropped = ("--drop", "species") if data == "flowers.csv" and "--oracle" not in more else ()
    return call(folder, "ask", data, *dropped, *more, code=code, input=replies)


def answers_in(path):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [line for line in lines if "answer" in line]


def test_answers_become_clusters_constraints_and_a_file(flowers):
    done = ask(flowers, *PAIRS, "--model", "m.npz", replies="y\nnope\nn\nu\n=rose\n")
    assert "Do these two belong together?" in done.stdout
    assert "'nope' is no answer here: y, n, u" in done.stdout
    assert "4 answers" in done.stdout
    assert "4 answers saved in flowers.answers.jsonl" in done.stdout
    replies = [line["reply"] for line in answers_in(flowers / "flowers.answers.jsonl")]
    assert replies == [0, "new", "unsure", {"class": "rose"}]
    same, different, _, rose = answers_in(flowers / "flowers.answers.jsonl")
    written = json.loads((flowers / "flowers-constraints.json").read_text())
    assert written["must_link"] == [[IDS[same["point"]], IDS[same["options"][0]]]]
    assert written["cannot_link"] == [[IDS[different["point"]], IDS[different["options"][0]]]]
    assert len(rows_of(flowers / "flowers-clusters.csv")) == 150
    known = sentree.load(flowers / "m.npz").constraints_
    assert known.counts["must_link"] == known.counts["cannot_link"] == known.counts["labels"] == 1
    assert known.label_index.tolist() == [rose["point"]]
    again = ("--constraints", "flowers-constraints.json", "--out", "again.csv")
    done = call(flowers, "cluster", "flowers.csv", "--drop", "species", *again)
    assert "known: 1 must-link, 1 cannot-link, 1 label, 1 class" in done.stdout


def test_it_goes_on_where_it_stopped_or_begins_anew(flowers):
    ask(flowers, *PAIRS, replies="n\nn\nq\nn\n")
    first = answers_in(flowers / "flowers.answers.jsonl")
    assert len(first) == 2  # nothing after q
    done = ask(flowers, *PAIRS, replies="n\n")
    assert "going on after 2 answers in flowers.answers.jsonl" in done.stdout
    assert "2 answers so far" in done.stdout
    assert answers_in(flowers / "flowers.answers.jsonl")[:2] == first
    assert "3 answers;" in ask(flowers, *PAIRS, "--max-answers", "3", replies="n\n").stdout
    assert {path.name for path in flowers.iterdir()} == FILES
    done = ask(flowers, *PAIRS, "--fresh", replies="n\n")
    assert "earlier answers are kept in flowers.answers.backup1.jsonl" in done.stdout
    assert len(answers_in(flowers / "flowers.answers.backup1.jsonl")) == 3
    (again,) = answers_in(flowers / "flowers.answers.jsonl")
    assert (again["point"], again["options"]) == (first[0]["point"], first[0]["options"])


def test_undo_asks_the_same_again(flowers):
    done = ask(flowers, *PAIRS, replies="undo\nn\nz\ny\n")
    assert "There is no answer to take back." in done.stdout
    assert "→ took back: different" in done.stdout
    first, second = answers_in(flowers / "flowers.answers.jsonl")
    assert (first["point"], first["options"]) == (second["point"], second["options"])
    assert list(json.loads((flowers / "flowers-constraints.json").read_text())) == ["must_link"]


def test_choices_show_the_row_above_the_groups(flowers):
    done = ask(flowers, *RANDOM, replies="n\nn\n?\n7\n1\nq\n")
    told = done.stdout
    assert "Which group does flower" in told
    assert "0  none of them: a new group" in told
    assert "'7' is no answer here: 1 to" in told
    assert "the row belongs to that group" in told
    assert "→ group 1" in told
    last = answers_in(flowers / "flowers.answers.jsonl")[-1]
    line = next(
        x for x in told.splitlines() if x.startswith(f"Which group does {IDS[last['point']]}")
    )
    values = told.partition(line)[2].splitlines()
    shown = next(x for x in values if x.startswith("  ?")).split()[1:]
    assert sorted(shown) == sorted(f"{x:.1f}" for x in IRIS.data[last["point"]])


def test_answers_that_cannot_be_are_asked_for_again(flowers):
    done = ask(flowers, *RANDOM, "--hard", "--min-size", "60", replies="0\n0\n1\n")
    assert "That is not possible: --min-size 60 cannot hold" in done.stdout
    replies = [line["reply"] for line in answers_in(flowers / "flowers.answers.jsonl")]
    assert replies == ["new", 0]


def test_square_rows_are_drawn(tmp_path):
    np.save(tmp_path / "digits.npy", load_digits().data[:200])
    done = ask(tmp_path, *PAIRS, replies="q\n", data="digits.npy")
    drawn = [line for line in done.stdout.splitlines() if set(line) & set("▀▄█")]
    assert len(drawn) >= 8
    assert "row " in done.stdout
    plain = ask(tmp_path, *PAIRS, "--no-images", replies="q\n", data="digits.npy").stdout
    assert "columns that agree" in plain
    assert "▀" not in plain


def test_an_oracle_shows_the_curve_and_keeps_no_answers(flowers):
    done = ask(flowers, "--oracle", "species", *RANDOM, "--max-answers", "7", "--json")
    told = json.loads(done.stdout)
    assert (told["answers"], told["session"]) == (7, None)
    assert [point["answers"] for point in told["curve"]] == list(range(8))
    found = [int(row["cluster"]) for row in rows_of(flowers / "flowers-clusters.csv")]
    assert told["clusters"] == len(set(found))
    assert "ARI  (on rows never asked about)" in done.stderr
    assert not (flowers / "flowers.answers.jsonl").exists()
    features = ask(flowers, "--oracle", "species", "--max-answers", "0", *RANDOM).stdout
    assert "150 samples, 4 features" in features


def test_the_truth_leads_to_all_of_it(tmp_path):
    rng = np.random.default_rng(0)
    centres = np.repeat([[0, 0], [3.2, 0], [12, 0], [15.2, 0], [6, 12]], 25, axis=0)
    x, y = rng.normal(centres, 0.6).round(2).T
    kind = np.repeat(list("aabbc"), 25)  # the data alone cannot know which belong together
    write_csv(tmp_path / "t.csv", ["x", "y", "kind"], x, y, kind)
    options = ("--oracle", "kind", "--max-answers", "12", "--json")
    told = json.loads(call(tmp_path, "ask", "t.csv", *options).stdout)
    assert told["curve"][0]["ari"] < 0.7
    assert told["curve"][-1]["ari"] == 1
    assert told["clusters"] == 3
    written = [row["cluster"] for row in rows_of(tmp_path / "t-clusters.csv")]
    assert len(set(zip(written, kind, strict=True))) == 3


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        (["--oracle", "specie"], 1, "no column 'specie'; did you mean 'species'?"),
        (["--noise", "0.1"], 2, "--noise is about simulated answers: give --oracle"),
        (["--form", "triple"], 2, "--form must be one of choice, pair; got 'triple'"),
        (["--strategy", "best"], 2, "--strategy must be one of structural, uncertainty, random"),
        (["--session", "flowers.csv"], 2, "flowers.csv is read by this command"),
        (["--write-constraints", "c.txt"], 2, "must end with .json, .csv, .tsv"),
        (["--json", "--out", "-"], 2, "both write to standard output"),
        (["--session", "none/a.jsonl"], 2, "there is no folder none"),
    ],
)
def test_what_is_wrong_is_said(flowers, more, code, message):
    assert message in ask(flowers, *more, code=code).stderr


def test_files_that_are_not_there_or_of_other_data(flowers):
    assert "nothing.csv" in call(flowers, "ask", "nothing.csv", code=1, input="").stderr
    assert "answers are read from standard input" in call(flowers, "ask", "-", code=2).stderr
    ask(flowers, *PAIRS, replies="n\n")
    text = (flowers / "flowers.csv").read_text()
    (flowers / "flowers.csv").write_text(text.replace("5.1", "5.2"))
    done = ask(flowers, *PAIRS, code=1)
    assert "flowers.answers.jsonl has answers about other data" in done.stderr
    assert "--fresh" in done.stderr
    assert "going on" not in ask(flowers, *PAIRS, "--session", "other.jsonl").stdout


def test_a_graph_and_distances(tmp_path):
    edges = [("ann", "bob"), ("bob", "cid"), ("ann", "cid"), ("dan", "eve"), ("cid", "dan")]
    (tmp_path / "g.csv").write_text("source,target\n" + "".join(f"{i},{j}\n" for i, j in edges))
    done = ask(tmp_path, "--graph", *PAIRS, replies="y\nq\n", data="g.csv")
    assert "linked to" in done.stdout
    np.save(tmp_path / "d.npy", np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0))))
    done = ask(tmp_path, "--distances", *PAIRS, replies="q\n", data="d.npy")
    assert "nearest" in done.stdout


def test_rows_that_are_left_out_and_text(tmp_path):
    rng = np.random.default_rng(0)
    size = rng.normal(np.repeat([0, 9], 30), 1).round(1)
    kind = np.where(rng.random(60) < 0.5, "red", "blue")
    told = [f"a long story about number {k // 2} and more" for k in range(60)]
    paid = ["" if k == 3 else f"€ {k},00" for k in range(60)]
    write_csv(tmp_path / "t.csv", ["size", "kind", "told", "paid"], size, kind, told, paid)
    done = ask(tmp_path, *PAIRS, "--skip-missing", "-k", "2", replies="n\nq\n", data="t.csv")
    assert "a long story about number" in done.stdout
    assert "paid" in done.stdout
    (said,) = json.loads((tmp_path / "t-constraints.json").read_text())["cannot_link"]
    asked = answers_in(tmp_path / "t.answers.jsonl")[0]
    rows = [row + (row >= 3) for row in (asked["point"], *asked["options"])]
    assert list(map(int, said)) == rows


PAIR, CHOICE = Question(0, (1,)), Question(0, (1, 2, 3))


@pytest.mark.parametrize(
    ("text", "question", "reply"),
    [
        *(("y", PAIR, 0), ("n", PAIR, "new"), ("U", PAIR, "unsure"), ("Yes ", PAIR, 0)),
        *(("3", CHOICE, 2), ("0", CHOICE, "new"), ("n", CHOICE, "new"), ("new", CHOICE, "new")),
        *(("z", CHOICE, "undo"), ("undo", PAIR, "undo"), ("q", PAIR, "quit"), ("?", PAIR, "help")),
        *(("is Rose red", PAIR, IsClass("Rose red")), ("=7", CHOICE, IsClass(7))),
        *(("4", CHOICE, None), ("y", CHOICE, None), ("is ", PAIR, None), ("", PAIR, None)),
    ],
)
def test_what_keys_mean(text, question, reply):
    if reply is None:
        with pytest.raises(ValueError, match="no answer here|missing"):
            understood(text, question, classes=(7,))
    else:
        assert understood(text, question, classes=(7,)) == reply


@pytest.mark.parametrize(
    ("after", "told"),
    [
        ([0, 0, 0, 1, 1, 1], "no row moved"),
        ([1, 1, 1, 0, 0, 0], "no row moved"),  # other numbers for the same
        ([0, 0, 1, 1, 1, 1], "1 row moved to cluster 1"),
        ([0, 0, 0, 1, 1, 2], "1 row moved to cluster 2; 3 clusters instead of 2"),
        (
            [0, 0, 2, 1, 1, 0],
            "2 rows moved: 1 to cluster 0, 1 to cluster 2; 3 clusters instead of 2",
        ),
    ],
)
def test_what_an_answer_changed(after, told):
    assert change(np.array([0, 0, 0, 1, 1, 1]), np.array(after)) == told


def test_how_unusual_a_difference_is():
    import pandas as pd

    n = 200
    table = pd.DataFrame(
        {
            "size": np.arange(n, dtype=float),
            "rare": ["odd"] + ["plain"] * (n - 1),
            "open": np.arange(n) % 2 == 0,
            "day": pd.date_range("2020-01-01", periods=n, freq="D"),
            "gap": [np.nan, *np.arange(n - 1.0)],
            "town": [f"town {k % 20}" for k in range(n)],
        }
    )
    rows = Rows(table, None)
    size, rare, opened, day, gap, town = rows.fields([0, 1])
    # Two of the numbers 0 … 199 differ by less than d with chance of about 1 - (1 - d / 200)².
    assert size.difference(0.0, 100.0) == pytest.approx(0.75, abs=0.08)
    assert size.difference(5.0, 5.0) == 0
    assert rare.difference("odd", "plain") == pytest.approx(0.99, abs=0.01)
    assert [opened.text(x) for x in rows.cells([0, 1], opened)] == ["yes", "no"]
    assert day.text(table["day"][0]) == "2020-01-01"
    assert gap.text(np.nan) == "–"
    assert gap.difference(np.nan, 3.0) == 0.5
    # Two of 20 towns agree by chance in one of 20 pairs; half of the others count.
    assert town.difference("town 1", "town 2") == pytest.approx(0.525, abs=0.02)
    assert Rows(table[["size"]][:2]).fields([0, 1])[0].difference(0.0, 1.0) == 0.5
    assert rows.title(7) == "row 7"


@pytest.mark.slow
def test_single_keys_and_an_interrupt_in_a_terminal(flowers):
    pty = pytest.importorskip("pty")
    command = [*map(str, executable()), "ask", "flowers.csv", "--drop", "species", *PAIRS]
    main, side = pty.openpty()
    streams = {"stdin": side, "stdout": side, "stderr": side}
    with subprocess.Popen(command, cwd=flowers, **streams, start_new_session=True) as running:
        os.close(side)
        _until_prompt(main)
        os.write(main, b"n")
        assert b"different" in _until_prompt(main)
        running.send_signal(signal.SIGINT)
        told = _until_end(main).decode()
        assert running.wait() == 130
    os.close(main)
    assert "stopped: 1 answer saved in flowers.answers.jsonl; the same command goes on" in told
    assert [line["reply"] for line in answers_in(flowers / "flowers.answers.jsonl")] == ["new"]


def _until_prompt(stream):
    told = b""
    while not told.endswith(b"> "):
        told += os.read(stream, 1024)
    return told


def _until_end(stream):
    told = b""
    try:
        while piece := os.read(stream, 1024):
            told += piece
    except OSError:  # Linux says so when the other side is closed
        pass
    return told
