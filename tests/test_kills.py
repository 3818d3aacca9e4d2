"""A process that is killed loses nothing that was finished."""

import os

import pytest

import kills

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("kill", [kills.kill_comparisons, kills.kill_saves])
def test_a_few_kills(tmp_path, kill):
    assert kill(tmp_path, 3) > 0
