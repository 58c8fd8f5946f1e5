import os
import signal
import threading

# Before NumPy is loaded: tests run side by side, and threads that wait for one another spin.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

# What tests start heeds Ctrl-C, also where whoever runs the tests ignores it (``make test &``).
if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)

import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

# The same examples in every run, so that a red run repeats; HYPOTHESIS=random looks further. How
# long an example takes on a busy machine says nothing, so no test may fail of it.
untimed = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("repeatable", derandomize=True, **untimed)
settings.register_profile("random", derandomize=False, **untimed)
settings.load_profile("random" if os.environ.get("HYPOTHESIS") == "random" else "repeatable")


def pytest_collection_modifyitems(items):
    """Begin with what takes longest, so that no worker waits for it at the end.

    Tests of one file stay together: what a file's tests share is else made again and again.
    """
    items.sort(key=lambda item: (item.get_closest_marker("slow") is None, item.location[0]))


@pytest.fixture
def pyplot():
    """Pyplot without a window or figures; those of the test are closed after it."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.close("all")  # of tests that left some open
    yield plt
    plt.close("all")
