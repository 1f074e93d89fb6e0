"""What the tests of engines share."""

import pytest

from engine_roads import ENGINES


@pytest.fixture(scope="session", params=ENGINES)
def engine(request):
    """The name of an engine: a test that asks for it is run on every one."""
    return request.param
