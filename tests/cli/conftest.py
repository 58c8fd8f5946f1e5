import pytest

from flowers import IDS, IRIS, KNOWN, write_csv


@pytest.fixture
def flowers(tmp_path):
    header = ["id", "sepal length", "sepal width", "petal length", "petal width", "species"]
    write_csv(tmp_path / "flowers.csv", header, IDS, *IRIS.data.T, KNOWN)
    return tmp_path
