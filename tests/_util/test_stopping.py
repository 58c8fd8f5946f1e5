"""Work that another thread stops."""

import numpy as np
import pytest

from sentree._util.stopping import check, stoppable
from sentree.graph.exact_search import exact_neighbors
from sentree.graph.spaces import make_space


class Enough(Exception):
    pass


def test_it_asks_whom_the_thread_says_and_forgets_it():
    asked = []
    check()  # nobody
    with stoppable(lambda: asked.append("outer")):
        with stoppable(lambda: asked.append("inner")):
            check()
        check()
    check()
    assert asked == ["inner", "outer"]


def test_a_search_for_neighbours_asks():
    def stop():
        raise Enough

    space = make_space(np.arange(8.0)[:, None], "euclidean")
    with pytest.raises(Enough), stoppable(stop):
        exact_neighbors(space, 2)
