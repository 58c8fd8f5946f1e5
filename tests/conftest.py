import os

# Before NumPy is loaded: tests run side by side, and threads that wait for one another spin.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

# The same examples in every run, so that a red run repeats; HYPOTHESIS=random looks further.
settings.register_profile("repeatable", derandomize=True)
settings.register_profile("random", derandomize=False)
settings.load_profile("random" if os.environ.get("HYPOTHESIS") == "random" else "repeatable")


def pytest_collection_modifyitems(items):
    """Begin with what takes longest, so that no worker waits for it at the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture
def pyplot():
    """Pyplot without a window; figures are closed after the test."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    yield plt
    plt.close("all")
