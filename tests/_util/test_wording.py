"""One voice for errors: Python is told parameters, the command line options, of what was called."""

import ast
import importlib
import inspect
import pickle
import re
import string
from pathlib import Path

import numpy as np
import pytest
import typer.main
from typer.testing import CliRunner

import sentree
from sentree import ConstraintConflict, Constraints, SSEHierarchy, SSEPartition, TablePreparer, io
from sentree._util.wording import Either, Elsewhere, Param, Text, own_remedies, remedies, text_of
from sentree.cli import app
from sentree.cli.wording import ELSEWHERE
from sentree.io.convert import convert

COMMANDS = typer.main.get_command(app).commands
SOURCES = sorted(Path(sentree.__file__).parent.rglob("*.py"))


def options_of(command):
    return {one.name: one for one in COMMANDS[command].params if one.param_type_name == "option"}


def found(name):
    """Return what a full name stands for."""
    module, parts = importlib.import_module("sentree"), name.split(".")[1:]
    for part in parts:
        module = getattr(module, part)
    return module


def calls(*names):
    """Yield the calls of some classes in the sources."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", None) in names:
                yield node


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


# What messages are made of.


def test_a_clause_that_cannot_be_said_is_left_out():
    text = Text("x is empty", (": say ", Param("id_column", "x"), (" of ", Elsewhere("f"))), "!")
    assert text == "x is empty: say id_column='x' of f!"
    assert text.said(lambda one: "--id x" if isinstance(one, Param) else None) == (
        "x is empty: say --id x!"
    )
    assert text.said(lambda one: None) == "x is empty!"
    assert text.renamed({"id_column": "key"}) == "x is empty: say key='x' of f!"
    assert text.renamed({}) == "x is empty!"
    text = Text(Either(("say ", Param("header", True)), "name the columns"), ".")
    assert text == "say header=True."
    assert text.said(lambda one: None) == text.renamed({}) == "name the columns."


def test_texts_join_and_are_pickled():
    inner = Text("n: ", Param("n_clusters", 3))
    text = Text("wrong ", inner)
    again = pickle.loads(pickle.dumps(io.InputError(text)))
    assert str(again) == "wrong n: n_clusters=3"
    assert text_of(again).references == [Param("n_clusters", 3)]
    assert text_of(ValueError("a", "b")).references == []


def test_errors_name_parameters_as_they_are_called_where_they_arrive():
    @own_remedies
    def outer(source_format):
        with remedies({"format": "source_format"}):
            raise io.InputError("bad", ("; say ", Param("format", ...)), (", ", Param("header")))

    with pytest.raises(io.InputError, match=r"^bad; say source_format=\.\.\.$"):
        outer("csv")


# What is named is there.


def test_what_messages_point_to_is_there():
    named = {node.args[0].value for node in calls("Elsewhere")}
    assert named >= set(ELSEWHERE)
    for name in named:
        assert callable(found(name)), name
    for node in calls("Param"):
        for of in (one.value.value for one in node.keywords if one.arg == "of"):
            assert node.args[0].value in inspect.signature(found(of)).parameters


def test_every_parameter_that_is_named_is_one_and_has_an_option():
    public = [getattr(io, name) for name in io.__all__]
    public += [convert, io.Columns.only, io.Names.rows, SSEHierarchy, TablePreparer]
    public += [importlib.import_module("sentree.paper.reproduce.session").prepare]
    parameters = {name for one in public for name in inspect.signature(one).parameters}
    options = {name for command in COMMANDS for name in options_of(command)}
    called = {"take": "labels", "name": "column"}  # see cli/inputs.py, cli/score.py
    names = {node.args[0].value for node in calls("Param") if not node.keywords}
    assert len(names) > 10
    assert names <= parameters
    assert {called.get(name, name) for name in names} <= options


def test_the_command_line_points_to_commands_and_options_that_there_are():
    for text in ELSEWHERE.values():
        fields = {field for _, field, _, _ in string.Formatter().parse(text) if field}
        assert any(fields <= set(options_of(command)) for command in COMMANDS)
        assert set(re.findall(r"sentree (\w+)", text)) <= set(COMMANDS)


def test_no_option_is_named_outside_of_the_command_line():
    # An example; options of git; a command that is written down.
    others = ("_util/wording.py", "paper/reproduce/store.py", "app/exports.py")
    for path in SOURCES:
        if "cli" not in path.parts and not path.as_posix().endswith(others):
            assert not re.search(r"[\"' (]--[a-z]{2}", path.read_text()), path


def test_no_finished_message_is_changed():
    assert ".replace(" not in inspect.getsource(sentree.cli.console)


# What readers say, and what commands say of the same files.

FILES = {
    "text.csv": "x,kind\n1,a\n2,b\n3,b\n",
    "cell.csv": "x,y\n1,1\n2,two\n3,3\n",
    "gap.csv": "x,y\n1,1\n2,\n3,3\n",
    "hollow.csv": "x,y\n1,\n2,\n3,\n",
    "patients.csv": "id,x,patient\na,1,5\nb,2,9\nc,3,7\n",
    "donors.csv": "x,donor_id\n1,5\n2,5\n3,7\n",
    "zips.csv": "x,zip\n1,01\n2,01\n3,02\n",
    "twice.csv": "name,x\nbob,1\nbob,2\nann,3\n",
    "nobody.csv": "name,x\nbob,1\n,2\nann,3\n",
    "ragged.csv": "x,y\n1,2\n3,4,5\n",
    "bars.csv": "x|y\n1|2\n3|4\n",
    "heads.csv": "0,1,2\n1,2,3\n4,5,6\n",
    "mixed.csv": "a,1\nb,2\nc,3\n",
    "nul.csv": "x,y\n1,\0\n",
    "zip.csv": "PK\3\4",
    "no.npy": "x,y\n1,2\n",
    "what.foo": "x,y\n1,2\n",
    "a.graphml": "<graphml/>",
    "tree.nwk": "((a,b),c);",
}
READERS = {
    "read_samples": io.read_samples,
    "read_graph": io.read_graph,
    "read_columns": io.read_columns,
    "read_parents": io.read_parents,
    "read_tree": io.read_tree,
    "read_labels": lambda name: io.read_labels(name, io.Names(3, source="iris.csv")),
    "read_pairs": lambda name: io.read_pairs(name, io.Names(3, source="iris.csv")),
    "read_not_labels": lambda name: io.read_not_labels(name, io.Names(3, source="iris.csv")),
    "read_constraints": lambda name: io.read_constraints(name, io.Names(3, source="iris.csv")),
    "layer": lambda name: io.read_samples(name, layer="X"),
    "convert": lambda name: convert(name, "out.npz"),
    "convert a graph": lambda name: convert(name, "out.foo"),
    "convert a tree": lambda name: convert(name, "out.csv", id_column="x"),
}


@pytest.mark.parametrize("reader", READERS)
def test_python_is_told_parameters_of_what_it_called(folder, reader):
    plain = {"layer": "read_samples"}.get(reader, reader.split()[0])
    own = inspect.signature(convert if plain == "convert" else getattr(io, plain)).parameters
    texts = []
    for name, content in FILES.items():
        (folder / name).write_text(content)
        try:
            READERS[reader](name)
        except io.InputError as error:
            texts.append(text_of(error))
    assert len(texts) > 3
    for text in texts:
        assert "--" not in text
        for one in text.references:
            assert str(one) in text
            assert not isinstance(one, Param) or one.of or one.name in own, text


CALLS = {
    "cluster": ["FILE"],
    "cluster by labels": ["good.csv", "--labels", "FILE"],
    "cluster by pairs": ["good.csv", "--must-link", "FILE"],
    "cluster by statements": ["good.csv", "--constraints", "FILE"],
    "cluster on a map": ["good.csv", "--map", "FILE", "--plot", "a.png"],
    "cluster of a graph": ["FILE", "--graph"],
    "cluster of a layer": ["FILE", "--layer", "X"],
    "tree": ["FILE"],
    "tree by ontology": ["good.csv", "--labels", "id", "--ontology", "FILE"],
    "check": ["FILE", "good.csv"],
    "check of data": ["species", "FILE"],
    "convert": ["FILE", "out.npz"],
    "convert to anything": ["FILE", "out.foo"],
    "convert a tree": ["FILE", "out.csv", "--id", "x"],
    "score": ["FILE", "good.csv"],
    "score by truth": ["good.csv", "FILE"],
    "score a tree": ["FILE", "good.csv", "--tree"],
}


@pytest.mark.parametrize("call", CALLS)
def test_commands_name_their_own_options(folder, call):
    command = call.split()[0]
    options = {flag for one in options_of(command).values() for flag in one.opts}
    options |= {flag for one in options_of(command).values() for flag in one.secondary_opts}
    (folder / "good.csv").write_text("id,x,y\na,1,2\nb,3,1\nc,2,5\n")
    about_data = {"--id", "--drop", "--layer", "--format", "--separator", "--header"}
    refused = 0
    for name, content in FILES.items():
        (folder / name).write_text(content)
        arguments = [name if one == "FILE" else one for one in CALLS[call]]
        done = CliRunner().invoke(app, [command, *arguments])
        if done.exit_code == 0:
            continue
        refused += 1
        message = done.output[done.output.index("error: ") :]
        named = set(re.findall(r"--[a-z-]+", message))
        assert named <= options, message
        assert not re.search(r"[a-z_]+=\S|sentree\.\w", message), message
        if " by " in call or " on " in call:
            assert not named & (about_data - {"--id"}), message
    assert refused > 3


def test_a_column_called_as_a_parameter_keeps_its_name(folder):
    (folder / "a.csv").write_text("n_clusters,x\nfew,1\nmany,2\nmany,3\n")
    done = CliRunner().invoke(app, ["cluster", "a.csv", "--prepare", "none"])
    assert "must be finite numbers, but column 'n_clusters' has 'few' in line 2. " in done.output
    assert done.output.rstrip().endswith(
        "say --labels n_clusters; if it names the samples, --id n_clusters; else leave out with "
        "--drop n_clusters"
    )


def test_a_column_with_a_comma_in_its_name_can_be_dropped(folder):
    (folder / "a.csv").write_text('"a,b",x,y\nu,1,2\nu,2,1\nv,3,3\n')
    done = CliRunner().invoke(app, ["convert", "a.csv", "a.npz"])
    assert """leave it out with --drop '"a,b"', say --id a,b if it names""" in done.output
    done = CliRunner().invoke(app, ["convert", "a.csv", "a.npz", "--drop", '"a,b"'])
    assert "3 samples and 2 features" in done.output
    done = CliRunner().invoke(app, ["convert", "a.csv", "b.npz", "--drop", '"a,b",y'])
    assert "3 samples and 1 features" in done.output


def test_the_same_error_in_both_voices(folder):
    (folder / "a.csv").write_text("my class,x\nu,1\nu,2\nv,3\n")
    with pytest.raises(io.InputError) as caught:
        io.read_samples("a.csv")
    assert str(caught.value) == (
        "a.csv: features must be finite numbers, but column 'my class' has 'u' in line 2. raw=True "
        "reads the table as it is, for prepare='auto' of the estimators. If a column holds known "
        "classes, say take=['my class']; if it names the samples, id_column='my class'; else leave "
        "out with drop=['my class']"
    )
    done = CliRunner().invoke(app, ["cluster", "a.csv", "--prepare", "none"])
    assert done.output == (
        "error: a.csv: features must be finite numbers, but column 'my class' has 'u' in line 2. "
        "--prepare auto makes numbers of text and dates, and fills gaps. If a column holds known "
        "classes, say --labels 'my class'; if it names the samples, --id 'my class'; else leave "
        "out with --drop 'my class'\n"
    )


def test_warnings_and_refusals_of_the_search_in_both_voices(folder):
    X = np.random.default_rng(0).normal(size=(12, 2))
    lines = "\n".join(f"{x},{y}" for x, y in X)
    (folder / "a.csv").write_text(f"x,y\n{lines}\n")
    (folder / "c.json").write_text('{"triplets": [[0, 1, 2]]}')
    with pytest.warns(UserWarning, match="here: SSEHierarchy takes them"):
        SSEPartition(2).fit(X, constraints=Constraints.from_triplets([(0, 1, 2)]))
    done = CliRunner().invoke(app, ["cluster", "a.csv", "-k", "2", "-c", "c.json"])
    assert "are ignored here: 'sentree tree' takes them\n" in done.output
    with pytest.raises(ValueError, match="^n_clusters=13 is more than the 12 samples"):
        SSEPartition(13).fit(X)
    done = CliRunner().invoke(app, ["cluster", "a.csv", "-k", "13"])
    assert "error: --n-clusters 13 is more than the 12 samples" in done.output
    with pytest.raises(
        ValueError,
        match="n_clusters, min_size, max_size, init, .* need height",
    ):
        SSEHierarchy(2, height=1).fit(X)
    done = CliRunner().invoke(app, ["tree", "a.csv", "--height", "1", "-k", "2"])
    assert "--max-size, --init, finer labels and hard constraints need --h" in done.output


def test_too_few_clusters_for_hard_constraints_in_both_voices(folder):
    (folder / "a.csv").write_text("x,y\n" + "1,2\n3,4\n2,2\n" * 3)
    (folder / "c.json").write_text('{"apart": [[0, 1, 2]]}')
    done = CliRunner().invoke(app, ["cluster", "a.csv", "-k", "2", "-c", "c.json", "--hard"])
    assert "\n  --n-clusters 2\n" in done.output
    given = Constraints.from_groups(apart=[[0, 1, 2]], hard=True)
    with pytest.raises(ConstraintConflict, match="n_clusters=2$") as caught:
        SSEPartition(2).fit(np.arange(18.0).reshape(9, 2), constraints=given)
    assert "n_clusters=2" in caught.value.conflicts[0].chain
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_more_contradictions_are_listed_by_a_command(folder):
    (folder / "a.csv").write_text("x,y\n" + "1,2\n3,4\n" * 4)
    (folder / "c.json").write_text(
        '{"must_link": [[0, 1], [2, 3]], "cannot_link": [[0, 1], [2, 3]]}'
    )
    done = CliRunner().invoke(app, ["cluster", "a.csv", "-c", "c.json"])
    assert "(1 more: 'sentree check' lists them)" in done.output
