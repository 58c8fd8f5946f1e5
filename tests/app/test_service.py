"""The service: what a page asks for, and what follows from what is said."""

import pytest

from sentree.app import Service


@pytest.fixture
def service(tmp_path):
    made = Service(tmp_path)
    made.example("iris")
    assert made.wait(60)
    yield made
    made.close()


def test_what_is_said_is_followed_and_can_be_undone(service):
    before = service.labels().arrays["cluster"].copy()
    service.say({"kind": "is", "rows": [0, 1], "class": "setosa"})
    made = service.say({"kind": "same", "rows": [60, 120]})
    assert made["id"] == 2
    assert service.wait(60)
    labels = service.labels().arrays["cluster"]
    assert labels[60] == labels[120]
    service.undo()
    service.undo()
    assert service.wait(60)
    assert (service.labels().arrays["cluster"] == before).all()
