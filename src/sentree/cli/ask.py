"""``sentree ask``: questions in the terminal, and clusters that follow the answers."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sentree.cli import options as o
from sentree.cli.console import INTERRUPTED, Console, Misuse

if TYPE_CHECKING:
    from sentree.active import ActiveSession
    from sentree.cli.fitting import Task
    from sentree.profiles.shown import Rows


@o.grouped
def ask(
    data: o.Data,
    *,
    session: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Where answers are kept, each at once; an earlier session goes on. Else "
            "DATA.answers.jsonl beside the clusters.",
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin anew; the earlier answers are kept as a backup.")
    ] = False,
    max_answers: Annotated[
        int | None, typer.Option(min=0, help="Stop after so many answers, earlier ones included.")
    ] = None,
    strategy: Annotated[
        str, typer.Option(help="Which questions are asked: structural, uncertainty or random.")
    ] = "structural",
    form: Annotated[
        str, typer.Option(help="Questions as a 'choice' among groups, or about a 'pair' of rows.")
    ] = "choice",
    images: Annotated[
        bool | None,
        typer.Option("--images/--no-images", help="Whether rows are square images; else detected."),
    ] = None,
    oracle: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Let the classes in this column answer, to see how many answers it would take; "
            "the column is no feature.",
        ),
    ] = None,
    noise: Annotated[
        float, typer.Option(min=0, max=1, help="Share of the answers of --oracle that are wrong.")
    ] = 0.0,
    said: o.Statements,
    constraints: o.ConstraintFile = None,
    search: o.Search,
    resolution: o.Resolution = None,
    n_init: o.NInit = 1,
    graph: o.IsGraph = False,
    table: o.Table,
    preparation: o.Preparation,
    out: o.Out = None,
    write_constraints: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="What the answers say, for --constraints: JSON or CSV. Else "
            "DATA-constraints.json beside the clusters.",
        ),
    ] = None,
    append: o.Append = False,
    wanted: o.Results,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the summary as JSON; questions are on stderr.")
    ] = False,
    verbosity: o.Verbosity,
) -> None:
    """Ask you about the samples, so that a few answers lead to the right clusters.

    Keys: y, n (pairs), 1-9, 0 for a new group (choices), =NAME for a class, u unsure, z undo,
    q save and leave, ? help. Every answer is saved at once; the same command goes on where it
    stopped. Where the input is no terminal, each line is an answer.

    Examples:

      sentree ask customers.csv

      sentree ask digits.csv --form pair --max-answers 50 --report digits.html

      sentree ask flowers.csv --oracle species --noise 0.05

      sentree cluster customers.csv --constraints customers-constraints.json
    """
    from sentree.cli import outputs as results
    from sentree.cli.fitting import Task

    out = out or results.default_name(data, results.table_named("clusters", data, append))
    files = _Files(data, out, session, write_constraints, oracle is not None)
    said = replace(said, constraints=constraints)
    aside = () if oracle is None else (oracle,)
    task = Task(data, graph, table, said, search, wanted, append, preparation, aside)
    with verbosity.console(to_stderr=as_json or out == "-") as talk:
        results.check_table("--out", out)
        results.check_suffix("--write-constraints", files.constraints, (".json", ".csv", ".tsv"))
        results.check_illustrations(wanted)
        _check(data, oracle, noise, strategy, form, as_json and out == "-")
        samples, known, places = task.read([out, *files], talk)

        with talk.step("getting ready to cluster", "start"):
            from sentree import SSEPartition
            from sentree.active import ActiveSession, Truth
            from sentree.profiles.shown import rows_of

            more = {"resolution": resolution, "n_init": n_init}
            fitted = task.fit(SSEPartition, samples, known, **more)
        answers = files.open(fresh, talk)
        with talk.step("reading earlier answers", "answers"), _naming_options():
            how: dict[str, Any] = {"strategy": strategy, "form": form, "random_state": search.seed}
            asked = ActiveSession(fitted, file=answers, **how)
        if asked.n_answers:
            talk.say(f"going on after {_many(asked.n_answers)} in {answers} (--fresh begins anew)")
        curve = None
        try:
            if oracle is None:
                rows = rows_of(samples, search.distances)
                _talk_with(asked, rows, images, max_answers, talk, as_json or out == "-")
            else:
                truth = _classes(samples, oracle)
                replies = Truth(truth, noise=noise, random_state=search.seed)
                curve = _simulate(asked, replies, truth, max_answers, talk)
        except KeyboardInterrupt:
            typer.echo(f"\nstopped: {_saved(asked, answers)}", err=True)
            raise typer.Exit(INTERRUPTED) from None
        _finish(task, asked, samples, places, files, talk)
        if as_json:
            typer.echo(json.dumps(_summary(asked, files, curve), indent=2))


class _Files:
    """The files of a session beside the clusters."""

    def __init__(
        self, data: str, out: str, session: str | None, constraints: str | None, simulated: bool
    ) -> None:
        from sentree.cli.outputs import default_name

        folder = Path() if out == "-" else Path(out).parent
        stem = "standard-input" if data == "-" else default_name(data, "")[:-1]
        self.out = out
        self.answers = session
        if session is None and not simulated:  # what is simulated is not to be taken for answers
            self.answers = str(folder / f"{stem}.answers.jsonl")
        self.constraints = constraints or str(folder / f"{stem}-constraints.json")

    def __iter__(self) -> Iterator[str | None]:
        return iter((self.answers, self.constraints))

    def open(self, fresh: bool, console: Console) -> Path | None:
        """Return the file of the answers, after setting earlier ones aside if asked for."""
        if self.answers is None:
            return None
        path = Path(self.answers)
        if fresh and path.exists():
            stem = path.name.removesuffix(".jsonl")
            number = 1
            while (backup := path.with_name(f"{stem}.backup{number}.jsonl")).exists():
                number += 1
            path.rename(backup)
            console.say(f"earlier answers are kept in {backup}")
        return path


def _check(
    data: str, oracle: str | None, noise: float, strategy: str, form: str, both: bool
) -> None:
    """Refuse options that are wrong, or contradict each other."""
    for option, given, known in (
        ("strategy", strategy, ("structural", "uncertainty", "random")),
        ("form", form, ("choice", "pair")),
    ):
        if given not in known:
            raise Misuse(f"--{option} must be one of {', '.join(known)}; got {given!r}")
    if oracle is None and noise:
        raise Misuse("--noise is about simulated answers: give --oracle as well")
    if oracle is None and data == "-":
        raise Misuse("answers are read from standard input, so DATA cannot be '-': give a file")
    if both:
        raise Misuse("--json and --out - both write to standard output: give --out a file")


@contextmanager
def _naming_options() -> Iterator[None]:
    """Tell which options help where the file of a session is refused."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{error}: --session, or --fresh to begin anew") from None


def _classes(samples: Any, column: str) -> Any:
    """Return the true classes."""
    from sentree import io

    values = io.clean_labels(samples.columns[column])
    if len({value for value in values if value is not None}) < 2:
        raise io.InputError(f"--oracle {column}: there are fewer than two classes to tell apart")
    return values


def _talk_with(
    session: ActiveSession,
    rows: Rows,
    images: bool | None,
    most: int | None,
    talk: Console,
    to_stderr: bool,
) -> None:
    """Ask a person until nothing is left to ask, the budget is spent, or the person leaves."""
    from rich.console import Console as Terminal

    from sentree.cli.ask_dialogue import Dialogue
    from sentree.cli.ask_images import Images
    from sentree.cli.ask_keys import Keys
    from sentree.cli.ask_view import View

    terminal = Terminal(file=sys.stderr if to_stderr else sys.stdout, highlight=False)
    drawn = Images.of(rows, images)
    if images and drawn is None:
        talk.warn("--images: rows are no squares of numbers; they are shown as a table")
    Dialogue(session, View(terminal, rows, drawn), Keys(terminal), talk).run(most)


def _simulate(
    session: ActiveSession, oracle: Any, truth: Any, most: int | None, talk: Console
) -> list[dict[str, Any]]:
    """Let the truth answer, and tell how good the clusters are on the way."""
    from sentree.cli.ask_curve import Curve

    curve = Curve(truth, talk)
    curve.add(session)
    while most is None or session.n_answers < most:
        with talk.progress.without_bar():
            question = session.ask()
            if question is None:
                break
            session.answer(oracle(question), question)
        curve.add(session)
    curve.end()
    return curve.points


def _finish(
    task: Task, session: ActiveSession, samples: Any, places: Any, files: _Files, talk: Console
) -> None:
    """Say what was found, and write it as 'sentree cluster' does."""
    from sentree import io
    from sentree.cli import outputs as results
    from sentree.cli.ask_dialogue import how_sure, what_answers_say

    fitted = session.result()
    talk.say()
    talk.say(f"{_many(session.n_answers)}; {how_sure(session.remaining)}")
    results.tell(fitted, samples, talk)
    task.write_clusters(files.out, fitted, samples, talk)
    io.write_constraints(files.constraints, what_answers_say(session), samples)
    talk.wrote(files.constraints, "what the answers say, for --constraints")
    if files.answers is not None:
        talk.say(_saved(session, files.answers))
    task.write(fitted, samples, places, talk)


def _saved(session: ActiveSession, answers: Any) -> str:
    """Say where answers are, and how to go on."""
    if answers is None:
        return f"{_many(session.n_answers)}, which no file keeps (--session names one)"
    many = _many(session.n_answers)
    return f"{many} saved in {answers}; the same command goes on from there"


def _many(count: int) -> str:
    return f"{count} answer{'s' * (count != 1)}"


def _summary(session: ActiveSession, files: _Files, curve: Any) -> dict[str, Any]:
    """Return what a session came to, as plain values."""
    replies = [answer.reply for answer in session.answers]
    remaining = session.remaining
    found: dict[str, Any] = {
        "answers": session.n_answers,
        "unsure": replies.count("unsure"),
        "clusters": int(session.labels_.max()) + 1,
        "certainty": round(remaining.certainty, 4),
        "about_more_answers": remaining.answers,
        "out": files.out,
        "constraints": files.constraints,
        "session": files.answers,
    }
    return found if curve is None else found | {"curve": curve}
