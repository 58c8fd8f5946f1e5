import numpy as np
import pytest

from sentree.io import InputError, Names

IDS = Names(4, np.array(["ant", "Bee", " cow", "7"], dtype=object), "name", "zoo.csv")
NUMBERS = Names(150, source="iris.csv")


def test_rows_by_id_and_by_number():
    assert IDS.rows(["7", " cow", "ant"], "links").tolist() == [3, 2, 0]
    assert IDS.rows([7, "ant "], "links").tolist() == [3, 0]
    assert IDS.rows(["3", 0], "links", by="row").tolist() == [3, 0]
    assert NUMBERS.rows(["149", 0, 3.0, np.int64(4)], "links").tolist() == [149, 0, 3, 4]
    assert IDS.rows([], "links").dtype == np.int64
    assert IDS.key().tolist() == ["ant", "Bee", " cow", "7"]
    assert NUMBERS.key().tolist() == list(range(150))


@pytest.mark.parametrize(
    ("names", "values", "by", "message"),
    [
        (
            IDS,
            ["ant", "bee"],
            "auto",
            "links: there is no sample 'bee' in zoo.csv; did you mean 'Bee'",
        ),
        (IDS, ["amt"], "auto", "did you mean 'ant'"),
        (IDS, ["zzzzzz"], "auto", "its ids are like 'ant'.*take it out, or .* with id_column="),
        (IDS, [0, 1], "auto", "all values of links could be row numbers.*by='row'"),
        (IDS, [0, 4], "auto", "no sample '0' in zoo.csv"),
        (IDS, [4], "row", "row 4, but zoo.csv has 4 rows, counted from 0 to 3"),
        (IDS, ["ant"], "row", "'ant' is no row number; with by='row'"),
        (NUMBERS, [150], "auto", "row 150, but iris.csv has 150 rows, counted from 0"),
        (NUMBERS, [-1], "auto", "row -1, but"),
        (NUMBERS, ["ant"], "auto", "'ant' is no row number; iris.csv has no ids.*id_column="),
        (NUMBERS, ["1.5"], "auto", "'1.5' is no row number"),
        (NUMBERS, [True], "auto", "True is no row number"),
        (NUMBERS, ["0"], "id", "names samples by id, but iris.csv has no ids"),
        (IDS, ["ant"], "name", "by 'id' or by 'row'"),
    ],
)
def test_what_is_not_there(names, values, by, message):
    with pytest.raises(InputError, match=message):
        names.rows(values, "links", by=by)


def test_the_place_is_named():
    with pytest.raises(InputError, match="^line 1: there is no sample 'x'"):
        IDS.rows(["ant", "x"], "links", where=lambda k: f"line {k}")


def test_a_suggestion_among_very_many_ids():
    names = Names(60_000, np.array([f"cell_{k}" for k in range(60_000)], dtype=object))
    with pytest.raises(InputError, match="did you mean 'cell_"):
        names.rows(["cel_12345"])
