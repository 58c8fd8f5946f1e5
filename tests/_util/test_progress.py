"""Stages of long work, told by logging and shown in lines or on a bar."""

import io
import logging
import re

import pytest

from sentree._util.progress import Progress, in_words, shown, time_left

logger = logging.getLogger("sentree.some.module")


def work():
    logger.info("finding %d things", 3, extra={"stage": "finding"})
    logger.info("a detail")
    logger.info("half of them", extra={"share": 0.5})
    logger.info("sorting them", extra={"stage": "sorting"})
    logger.info("sorting them again", extra={"stage": "sorting"})


@pytest.mark.parametrize(
    ("verbose", "told"),
    [
        (0, []),
        (1, ["T finding 3 things", "T sorting them"]),
        (
            2,
            [
                "T finding 3 things",
                *("a detail", "half of them"),
                "T sorting them",
                "sorting them again",
            ],
        ),
    ],
)
def test_lines_on_standard_error(verbose, told, capsys):
    with shown(verbose):
        work()
    work()  # nobody listens any more
    out, err = capsys.readouterr()
    assert out == ""
    assert [re.sub(r"^ *\d+\.\d s  ", "T ", line).strip() for line in err.splitlines()] == told


def test_the_logger_is_left_as_it_was_and_root_hears_no_more_than_before(capsys):
    package, heard = logging.getLogger("sentree"), io.StringIO()
    before = package.level, package.propagate, list(package.handlers)
    root = logging.StreamHandler(heard)
    logging.getLogger().addHandler(root)
    first, second = Progress(1, False), Progress(1, False)
    try:
        with first.listening():
            with second.listening():
                work()
            assert package.handlers == [*before[2], first]
        assert (package.level, package.propagate, package.handlers) == before
        assert heard.getvalue() == ""
        package.setLevel(logging.INFO)  # users who ask for it hear it, once
        with first.listening():
            work()
        assert heard.getvalue().count("a detail") == 1
    finally:
        logging.getLogger().removeHandler(root)
        package.setLevel(before[0])
    assert list(first.times) == list(second.times) == ["finding", "sorting"]


def test_a_bar_shows_the_stage_and_goes_away(monkeypatch):
    import rich.console

    screen = io.StringIO()
    terminal = rich.console.Console
    monkeypatch.setattr(
        "rich.console.Console",
        lambda **_: terminal(file=screen, force_terminal=True, width=80),
    )
    with Progress(0, True).listening():
        work()
    drawn = screen.getvalue()
    assert "finding 3 things" in drawn
    assert "half of them" in drawn
    assert "a detail" not in drawn  # no room for it
    assert drawn.endswith("\x1b[1A\x1b[2K")  # up, and clear the line


@pytest.mark.parametrize(
    ("shares", "left"),
    [
        ([(0, 0.0)], None),
        ([(0, 0.0), (2, 0.1)], None),  # too early
        ([(0, 0.0), (10, 0.25)], 30),
        ([(0, 0.0), (1, 0.6), (20, 0.61), (40, 0.63)], 370),  # the first part was there already
        ([(0, 0.0), (10, 0.5), (30, 0.5)], None),  # it does not move
        ([(0, 0.0), (10, 0.5), (30, 1.0)], None),
    ],
)
def test_the_time_left_is_that_of_the_present_rate(shares, left):
    assert time_left(shares) == (None if left is None else pytest.approx(left))


def test_the_time_left_is_told_with_the_share(capsys, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("sentree._util.progress.perf_counter", lambda: clock[0])
    progress = Progress(2, False)
    progress.begin("looking", "look")
    for share in (0.1, 0.2, 0.3, 0.4):
        clock[0] += 6.0
        progress.note("some are found", share)
    told = capsys.readouterr().err.splitlines()
    assert told[1].strip() == "some are found"  # it is too early to tell
    assert told[2].strip() == "some are found; about 42 s left of this stage"
    assert len(told) == 3  # one line in ten seconds


def test_times_in_words():
    assert [in_words(t) for t in (0.04, 1.25, 9.96, 61, 125)] == [
        *("0.0 s", "1.2 s", "10 s", "61 s"),
        "2 min 5 s",
    ]
