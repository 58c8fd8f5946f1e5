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


@pytest.fixture(scope="module")
def run_app(tmp_path_factory):
    """Start ``sentree app`` in a folder of its own; it ends with the module."""
    running = []

    def run(*arguments, folder=None):
        running.append(App(folder or tmp_path_factory.mktemp("app"), *arguments))
        return running[-1]

    yield run
    for app in running:
        app.end()


@pytest.fixture
def visit(chromium, request):
    """Open tabs; what a tab complains about fails the test."""
    tabs, contexts = [], {}

    def open_tab(app, *, again=False, **options):
        """Go to an app; ``again``: another tab of the same browser, with its cookies."""
        if not again or app not in contexts:
            usual = {"viewport": {"width": 1400, "height": 900}, "reduced_motion": "reduce"}
            contexts[app] = chromium.new_context(**usual | options)
        tabs.append(Tab(contexts[app].new_page(), app))
        return tabs[-1]

    yield open_tab
    for number, tab in enumerate(tabs, 1):
        tab.picture(f"end-of-{request.node.name}-{number}")
    for context in {id(tab.page.context): tab.page.context for tab in tabs}.values():
        context.close()
    assert [trouble for tab in tabs for trouble in tab.troubles] == []
