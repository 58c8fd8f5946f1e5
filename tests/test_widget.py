"""The notebook's widget: the messages of the page, and what is read back."""

import re
import sys
from importlib import import_module

import numpy as np
import pytest

from sentree import SSEPartition
from sentree.app import Frame, Refused
from sentree.widget import Explorer, _page


class Recorded(Explorer):
    """An explorer whose replies are kept."""

    def ask(self, method, path, body=None):
        replies = []
        self.send = lambda *reply: replies.append(reply)
        self._asked(self, {"id": "1", "method": method, "path": path, "body": body}, [])
        (content, sent), *_ = [one for one in replies if one[0].get("id") == "1"]
        return content.get("error") or (content.get("reply") if sent is None else sent[0])


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(middle, 0.3, (20, 2)) for middle in (0, 3, 6)])


@pytest.fixture
def explorer(X):
    found = Recorded(X)
    assert len(found.labels) == 60  # the clusters are there
    yield found
    found.close()


def test_what_is_said_is_in_the_model(explorer):
    explorer.ask("POST", "/api/say", {"kind": "is", "rows": [0, 1], "class": "a"})
    assert explorer.constraints is explorer.model.constraints_
    assert explorer.constraints.label_index.tolist() == [0, 1]
    (said,) = explorer.ask("GET", "/api/state")["statements"]
    assert said["verdict"] == "kept"
    explorer.ask("POST", "/api/undo")
    assert len(explorer.constraints) == 0
    explorer.ask("POST", "/api/redo")
    explorer.ask("DELETE", f"/api/statements/{said['id']}")
    assert len(explorer.constraints) == 0


def test_arrays_and_files_come_as_bytes(explorer):
    labels = Frame.from_bytes(explorer.ask("GET", "/api/labels"))
    np.testing.assert_array_equal(labels.arrays["cluster"], explorer.labels)
    column = Frame.from_bytes(explorer.ask("GET", "/api/column?name=said"))
    assert column.header["kind"] == "category"
    assert explorer.ask("GET", "/api/export/labels.csv").count(b"\n") == 61


def test_refusals_are_told(explorer):
    assert "row" in explorer.ask("POST", "/api/say", {"kind": "same", "rows": [0, 99]})
    assert "come from the notebook" in explorer.ask("POST", "/api/open", {"path": "/etc/passwd"})


def test_the_selection_goes_both_ways(explorer):
    explorer.selection = [5, 2, 5]
    assert explorer.selection.tolist() == [2, 5]
    explorer.set_state({"_selected": memoryview(np.array([7], "<i4").tobytes())})
    assert explorer.selection.tolist() == [7]


def test_a_fitted_model_is_where_it_begins(X):
    model = SSEPartition(n_clusters=4, random_state=0).fit(X)
    found = Explorer(model)
    np.testing.assert_array_equal(found.labels, model.labels_)
    found.close()


def test_a_file_keeps_what_is_said(X, tmp_path):
    file = tmp_path / "mine.sentree-project"
    first = Recorded(X, file=file)
    first.ask("POST", "/api/say", {"kind": "different", "rows": [0, 1]})
    again = Recorded(X, file=file)  # the cell is run again: the first is closed
    assert len(again.constraints) == 1
    again.close()
    with pytest.raises(Refused, match="50 rows, but mine.sentree-project is about 60"):
        Explorer(X[:50], file=file)
    with pytest.raises(Refused, match="ends in .sentree-project"):
        Explorer(X, file=tmp_path / "mine.db")


def test_every_import_of_the_page_is_a_module_that_is_sent():
    modules = _page()["modules"]
    found = {
        one
        for text in modules.values()
        for one in re.findall(r"""^(?:import|export).* from ["'](.+)["']""", text, re.MULTILINE)
    }
    assert found
    assert found <= modules.keys()


def test_without_anywidget_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "sentree.widget")
    with pytest.raises(ImportError, match=r"pip install 'sentree\[notebook\]'"):
        import_module("sentree.widget")
