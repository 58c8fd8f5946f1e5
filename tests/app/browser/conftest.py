"""A real Chromium that looks at a real ``sentree app``."""

import os

import pytest

from live_page import App, Tab, browser


@pytest.fixture(scope="session")
def chromium():
    """The browser; one for all tests of a worker. In CI it must be there."""
    with browser() as found:
        if isinstance(found, str):
            if os.environ.get("SENTREE_CI"):
                pytest.fail(f"{found}: in CI it must be there (.ci/run installs it)")
            pytest.skip(found)
        yield found


@pytest.fixture(scope="session")
def run_app(tmp_path_factory):
    """Start ``sentree app`` in a folder of its own; it ends with the session."""
    running = []

    def run(*arguments, folder=None):
        running.append(App(folder or tmp_path_factory.mktemp("app"), *arguments))
        return running[-1]

    yield run
    for app in running:
        app.end()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    item.went_wrong = report.failed or getattr(item, "went_wrong", False)
    return report


@pytest.fixture
def visit(chromium, request):
    """Open tabs; what a tab complains about fails the test."""
    tabs, contexts = [], {}

    def open_tab(app, *, again=False, tour=False, **options):
        """Go to an app; ``again``: another tab of the same browser, with its cookies.

        Without ``tour`` the browser has seen it. Where another program opens the data, it depends
        on the time whether the page shows it.
        """
        if not again or app not in contexts:
            usual = {"viewport": {"width": 1400, "height": 900}, "reduced_motion": "reduce"}
            contexts[app] = chromium.new_context(**usual | options)
            if not tour:
                contexts[app].add_init_script("localStorage.setItem('sentree-guide-seen', 'yes')")
        tabs.append(Tab(contexts[app].new_page(), app))
        return tabs[-1]

    yield open_tab
    for number, tab in enumerate(tabs, 1):
        tab.picture(f"end-of-{request.node.name}-{number}", always=request.node.went_wrong)
    for context in {id(tab.page.context): tab.page.context for tab in tabs}.values():
        context.close()
    assert [trouble for tab in tabs for trouble in tab.troubles] == []


@pytest.fixture(scope="session")
def digits(run_app):
    """The program for all tests of a worker that need the digits only."""
    return run_app()


@pytest.fixture
def tab(digits, visit, request):
    """A tab with the digits, about which nothing is said.

    Further options of the browser by ``pytest.mark.parametrize``.
    """
    tab = visit(digits, **getattr(request, "param", {}))
    version = 0
    if not tab.api("state")["clusters"]:
        version = tab.api("example", {"name": "digits"})["version"]
    while tab.api("state")["can_undo"]:
        version = tab.api("undo", {})["version"]
    tab.shown(version)
    return tab
