"""The schema at /api/openapi.json, and random requests made from it."""

from types import SimpleNamespace

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from app_server import running
from flowers import IDS, IRIS, write_csv
from sentree.app import Service
from sentree.app.server import routes

SCHEMA = routes(SimpleNamespace(subscribe=None), None).openapi()
#: Every path but the stream without end, with its method, and whether requests fit the schema.
OPERATIONS = [
    (method, path, fits)
    for path, methods in SCHEMA["paths"].items()
    for method, told in methods.items()
    for fits in ([True, False] if "requestBody" in told else [True])
    if path != "/api/events"
]
CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
HOW = settings(
    max_examples=5,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("flowers")
    write_csv(folder / "flowers.csv", ["id", "a", "b", "c", "d"], IDS, *IRIS.data.T)
    service = Service(folder)
    service.open(folder / "flowers.csv")
    assert service.wait(60)
    with running(service, folder) as found:
        yield found


@pytest.mark.parametrize(("method", "path", "fits"), OPERATIONS)
def test_random_requests_get_described_answers(server, method, path, fits):
    """Nothing fails inside, and answers are as the schema says: status, type and fields."""
    operation = schemathesis.openapi.from_dict(SCHEMA)[path][method]
    mode = schemathesis.GenerationMode("positive" if fits else "negative")

    @HOW
    @given(operation.as_strategy(generation_mode=mode))
    def check(case):
        reply = case.call(base_url=server.url, cookies=server.cookies)
        case.validate_response(reply, checks=CHECKS)

    check()


def test_every_answer_is_described():
    for path, methods in SCHEMA["paths"].items():
        for method, told in methods.items():
            assert told["responses"]["200"]["content"], (method, path)
            assert "4XX" in told["responses"], (method, path)
            assert told["description"].endswith("."), (method, path)
