"""The search for clusters from several starts."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

from sentree import SSEPartition
from sentree.search import clusters


def test_restarts_do_not_depend_on_threads_and_never_raise_the_objective():
    random = np.random.default_rng(1)
    noise = random.normal(size=(400, 5))
    few, many, threads = (
        SSEPartition(resolution=1e9, n_init=n_init, n_jobs=n_jobs).fit(noise)
        for n_init, n_jobs in ((1, 1), (6, 1), (6, 2))
    )
    assert many.objective_ <= few.objective_ + 1e-9
    assert np.array_equal(many.labels_, threads.labels_)


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_ctrl_c_stops_all_restarts():
    """Searches that never end by themselves, but ask now and then whether they may go on."""
    script = textwrap.dedent("""
        import os, signal, sys, threading, time
        import numpy as np
        from sentree import SSEPartition
        from sentree.search import clusters
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
        begun = threading.Barrier(2)
        def endless(*args, progress, **options):
            if begun.wait() == 0:
                os.kill(os.getpid(), signal.SIGINT)
            while True:
                progress(0.0)
                time.sleep(0.001)
        clusters.multilevel = endless
        model = SSEPartition(2, n_init=5, n_jobs=2)
        try:
            model.fit(np.arange(20.0)[:, None], must_link=[(0, 1)])
        except KeyboardInterrupt:
            print("interrupted")
        for thread in set(threading.enumerate()) - {threading.main_thread()}:
            thread.join()
        print("all have ended")
    """)
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout == "interrupted\nall have ended\n", done.stdout + done.stderr


def test_a_restart_that_fails_stops_the_others(monkeypatch):
    def failing(*args, seed, progress, **options):
        if seed % 4 == 3:
            raise RuntimeError("failed")
        while True:
            progress(0.0)

    monkeypatch.setattr(clusters, "multilevel", failing)
    with pytest.raises(RuntimeError, match="failed"):
        SSEPartition(2, n_init=4, n_jobs=4, random_state=0).fit(np.arange(20.0)[:, None])
