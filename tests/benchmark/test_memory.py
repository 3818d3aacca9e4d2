"""Memory of processes, also on systems that do not tell everything."""

import math
import multiprocessing as mp
import sys
from pathlib import Path

import numpy as np
import pytest

from skldl._processes import _memory as memory
from skldl.benchmark import Plan, Split, run


@pytest.fixture
def silent_system(monkeypatch):
    """Neither /proc nor the module resource."""

    def unknown(path, *_, **__):
        raise FileNotFoundError(path)

    monkeypatch.setitem(sys.modules, "resource", None)
    monkeypatch.setattr(Path, "read_text", unknown)
    monkeypatch.setattr(Path, "write_text", unknown)


def test_peak_of_new_memory_is_seen():
    held = memory.reset_peak()
    block = np.ones(2**23)  # 64 MB
    assert 60 < memory.peak_since(held) < 200
    assert block.all()
    assert memory.tells_memory()


def test_unknown_memory_is_not_zero(silent_system):
    held = memory.reset_peak()
    assert math.isnan(held)
    assert math.isnan(memory.peak_since(held))
    assert not memory.tells_memory()
    assert memory.resident_mb(1) == 0.0


def test_a_silent_system_can_compare(monkeypatch):
    monkeypatch.setattr("skldl.benchmark._job.reset_peak", lambda: float("nan"))
    plan = Plan(["synthetic"], ["AAkNN"], Split(n_splits=2))
    rows = run(plan, engine="serial")
    assert (rows["status"] == "ok").all()
    assert rows["peak_mb"].isna().all()


def test_limits_that_cannot_be_kept_are_refused(monkeypatch):
    plan = Plan(["synthetic"], ["AAkNN"], Split(n_splits=2))
    monkeypatch.setattr("skldl._processes._pool.tells_memory", lambda: False)
    with pytest.raises(ValueError, match="memory_limit cannot be kept"):
        run(plan, memory_limit=100)
    monkeypatch.setattr(mp, "get_all_start_methods", lambda: ["spawn"])
    with pytest.raises(ValueError, match="engine='serial' or engine='dask'"):
        run(plan)
