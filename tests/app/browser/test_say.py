"""Statements through the page: the mouse on the map, buttons, lists and keys."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def digits(run_app):
    return run_app()


@pytest.fixture
def tab(digits, visit):
    """A tab with the digits, about which nothing is said."""
    tab = visit(digits)
    if not tab.api("state")["clusters"]:
        tab.api("example", {"name": "digits"})
        tab.page.locator(".guide-skip").click()
    while tab.api("state")["can_undo"]:
        tab.api("undo", {})
    tab.shown()
    return tab


def rows_of(tab, number):
    return np.flatnonzero(tab.array("labels", "cluster") == number)


def test_the_lasso_selects_what_is_inside(tab):
    cluster = tab.api("state")["clusters"][0]
    inside = tab.around(cluster["typical"][:3])
    assert set(cluster["typical"][:3]) <= set(inside)
    assert tab.page.inner_text("#say h2") == f"{len(inside)} rows selected"
    tab.picture("selected")
