"""What a column holds is found by looking at its values."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from sentree.prepare.dates import date_format, days, from_days
from sentree.prepare.numbers import NumberFormat, number_format
from sentree.prepare.reading import read
from sentree.prepare.scales import in_order

NAN = np.nan
NUMBERS = {
    "plain": (["1", "-2.5", "+3", "1e3"], [1, -2.5, 3, 1000]),
    "thousands": (["1,500", "12,000", "7"], [1500, 12000, 7]),
    "English": (["1,500.2", "3", "1,000,000"], [1500.2, 3, 1e6]),
    "German": (["1.500,2", "3", "0,25"], [1500.2, 3, 0.25]),
    "points of thousands": (["1.500.200", "3.000"], [1500200, 3000]),
    "decimal commas": (["1,5", "2,25", "1,500"], [1.5, 2.25, 1.5]),
    "nought before a comma": (["0,125", "1,500"], [0.125, 1.5]),
    "spaces": (["1 500", "12\u00a0000", "1\u202f000\u202f000"], [1500, 12000, 1e6]),
    "apostrophes": (["1'500.5", "2"], [1500.5, 2]),
    "per cent": (["10 %", "2.5%"], [10, 2.5]),
    "euros": (["€ 12", "€ 1,500.20", "-€ 3", "€-4"], [12, 1500.2, -3, -4]),
    "euros after": (["12 €", "1.500,20 €"], [12, 1500.2]),
    "kilograms": (["12 kg", "1.5 kg", "3kg"], [12, 1.5, 3]),
    "bookkeepers": (["(5)", "7", "(1,200)"], [-5, 7, -1200]),
    "minus signs": (["\u22125", "3"], [-5, 3]),
    "infinite": (
        ["inf", "3", "1", "2", "4", "5", "6", "7", "8", "9"],
        [NAN, 3, 1, 2, *range(4, 10)],
    ),
}


@pytest.mark.parametrize("case", NUMBERS)
def test_numbers_in_text(case):
    texts, expected = NUMBERS[case]
    form = number_format(texts)
    np.testing.assert_array_equal(form.read(texts), expected)
    assert NumberFormat(*form) == form  # as it comes out of a file


def test_what_is_written_without_the_unit_is_no_number_of_the_column():
    form = number_format(["3 kg"] * 20)
    np.testing.assert_array_equal(form.read(["3 kg", "3", "500 g", "x\ny"]), [3, NAN, NAN, NAN])


@pytest.mark.parametrize(
    "texts", [["red", "blue"], ["A1", "B2"], ["12:30", "1:15"], ["1-5", "6-9"]]
)
def test_words_are_no_numbers(texts):
    assert number_format(texts) is None


@pytest.mark.parametrize(
    ("texts", "expected", "note"),
    [
        (["2020-01-31", "2020-02-01"], ["2020-01-31", "2020-02-01"], ""),
        (["2020/1/31", "2020.02.01"], ["2020-01-31", "2020-02-01"], ""),
        (["2020-01-31 06:00", "2020-01-31T3:30:15Z"], ["2020-01-31T06", "2020-01-31T03:30:15"], ""),
        (["31/1/2020", "1/2/2020"], ["2020-01-31", "2020-02-01"], ""),
        (["1/31/2020", "2/1/2020"], ["2020-01-31", "2020-02-01"], ""),
        (["31.1.20", "1.2.71"], ["2020-01-31", "1971-02-01"], ""),
        (["1/31/2020 1:05 PM", "2/1/2020 11:00 AM"], ["2020-01-31T13:05", "2020-02-01T11"], ""),
        (["1/2/2020", "3/4/2020"], ["2020-01-02", "2020-03-04"], "month first, though no date"),
        (["1.2.2020", "3.4.2020"], ["2020-02-01", "2020-04-03"], "day first, though no date"),
        (["31 Jan 2020", "February 1, 2020"], ["2020-01-31", "2020-02-01"], ""),
        (["1-Feb-20", "31-Jan-2020"], ["2020-02-01", "2020-01-31"], ""),
        (
            ["2020-01-31", "1.2.2020", "Feb 2, 2020"],
            ["2020-01-31", "2020-02-01", "2020-02-02"],
            "3 f",
        ),
    ],
)
def test_dates_in_text(texts, expected, note):
    found, form, said = date_format(texts)
    dates = np.array(expected, dtype="datetime64[ns]")
    np.testing.assert_array_equal(from_days(found), dates)
    np.testing.assert_array_equal(form.read(texts), found)
    np.testing.assert_array_equal(days(pd.Series(dates)), found)
    assert note in said if note else not said


def test_days_before_months_and_months_before_days_in_one_column_are_told():
    cells = read(pd.Series(["31/1/2020", "1/31/2020", "2/3/2020"] * 3))
    assert cells.kind == "category"
    assert cells.notes == ("most with the day first, some with the month",)


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        (["High", "low", "Medium"], ["low", "Medium", "High"]),
        (["L", "S", "M", "XL"], ["S", "M", "L", "XL"]),
        (["Agree", "Strongly agree", "Disagree"], ["Disagree", "Agree", "Strongly agree"]),
        (["65+", "18-24", "25-64", "<18"], ["<18", "18-24", "25-64", "65+"]),
        ([">=7", "1 to 4", "4 to 7"], ["1 to 4", "4 to 7", ">=7"]),
        (["low", "high"], None),
        (["low", "high", "red"], None),
        (["1-5", "3-8", "9-10"], None),
        (["moderate", "medium", "low"], None),
    ],
)
def test_levels_with_an_order(levels, expected):
    assert in_order(levels) == expected


OBJECTS = {
    "boolean": [True, False, None],
    "number": [1, 2.5, Decimal("3.5"), None],
    "date": [datetime.date(2020, 1, 31), datetime.datetime(2020, 2, 1, 12), None],
    "other": [[1], [2], [1]],
    "empty": [None, float("nan"), "?"],
}


@pytest.mark.parametrize("kind", OBJECTS)
def test_objects(kind):
    cells = read(pd.Series(OBJECTS[kind], dtype=object))
    assert cells.kind == kind
    if kind == "date":
        np.testing.assert_array_equal(cells.numbers, [18292, 18293.5, NAN])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["yes", "No", "NO"], "boolean"),
        (["t", "f", ""], "boolean"),
        (["yes", "no", "maybe"], "category"),
        (["0", "1", "1"], "number"),
        (["007", "012", "007"], "category"),
        (["1", "2", "x"], "category"),
        ([*"123456789", "x"], "number"),
    ],
)
def test_kinds_of_text(values, kind):
    assert read(pd.Series(values)).kind == kind


def test_a_few_cells_that_are_no_numbers_are_missing_and_told():
    cells = read(pd.Series([*"123456789", "x", "10", "11"]))
    assert np.isnan(cells.numbers).sum() == 1
    assert cells.notes == ("1 cell no number and so missing, such as 'x'",)


def test_long_columns_of_names_are_told_by_some_of_their_cells():
    names = pd.Series([f"name {k}" for k in range(5000)])
    assert read(names).kind == "ids"
    assert read(names + " of a rather long title").kind == "text"
    assert read(pd.Series([f"{k} €" for k in range(5000)])).kind == "number"
