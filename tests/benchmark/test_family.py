"""Nothing that a process started outlives the end of its family."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import suppress
from pathlib import Path

import pytest

from processes import alive, wait_until
from skldl._processes import _family
from skldl._processes._family import descendants, kill_family, kill_group

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="orphans are found on Linux only"
)

# what leads a family: a session of its own, in which it adopts orphans
LEADER = """
import os, sys, time
from skldl._processes._family import adopt_orphans

os.setsid()
adopt_orphans()

def tell():
    with open(sys.argv[1] + ".part", "w") as file:
        file.write(str(os.getpid()))
    os.rename(sys.argv[1] + ".part", sys.argv[1])
"""
# a process of a session of its own that starts the next one and ends, again and again
RELAY = """
if os.fork() == 0:
    os.setsid()
    tell()
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if os.fork() > 0:
            os._exit(0)
        time.sleep(float(sys.argv[2]))
    os._exit(0)
while True:  # it takes note of the end of what it adopted
    try:
        os.wait()
    except ChildProcessError:
        time.sleep(0.01)
"""
DAEMON = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        tell()
        time.sleep(60)
    os._exit(0)
time.sleep(60)
"""
GENERATIONS = """
if os.fork() == 0:
    if os.fork() == 0:
        tell()
    time.sleep(60)
time.sleep(60)
"""
ENDED = """
if os.fork() == 0:
    tell()
    os._exit(0)
time.sleep(60)
"""


@pytest.fixture
def lead(tmp_path):
    """A function that starts a leader, and gives it with the number that it tells."""
    leaders = []

    def start(code, *arguments):
        path = tmp_path / "number"
        program = textwrap.dedent(LEADER) + textwrap.dedent(code)
        command = [sys.executable, "-c", program, str(path), *arguments]
        leaders.append(subprocess.Popen(command))
        wait_until(path.exists)
        return leaders[-1], int(path.read_text())

    yield start
    for leader in leaders:
        leader.kill()
        leader.wait(10)


@pytest.mark.parametrize("pause", [0.0, 0.001, 0.05])
def test_none_escapes_while_others_are_killed(lead, pause):
    leader, session = lead(RELAY, str(pause))
    time.sleep(0.1)  # the relay runs
    kill_family(leader.pid)
    assert leader.wait(10) == -signal.SIGKILL
    left = living(session)
    kill_group(session)
    assert not left


def test_what_one_look_misses_the_next_one_finds(lead, monkeypatch):
    leader, daemon = lead(DAEMON)
    children, looks = _family._children, []

    def half_blind():
        looks.append(len(looks))
        return children() if len(looks) > 1 else {}

    monkeypatch.setattr(_family, "_children", half_blind)
    kill_family(leader.pid)
    wait_until(lambda: not alive(daemon))
    assert len(looks) > 2


def test_children_of_children_are_found(lead):
    leader, grandchild = lead(GENERATIONS)
    found = descendants(leader.pid)
    assert len(found) == 2
    assert found[1].pid == grandchild
    assert all(process.alive for process in found)
    assert {process.group for process in found} == {leader.pid}
    kill_family(leader.pid)
    assert leader.wait(10) == -signal.SIGKILL
    wait_until(lambda: not alive(grandchild))


def test_nobody_waits_for_the_ended(lead, monkeypatch):
    leader, ended = lead(ENDED)
    wait_until(lambda: not alive(ended))
    (process,) = descendants(leader.pid)
    assert (process.pid, process.alive) == (ended, False)
    children, looks = _family._children, []
    monkeypatch.setattr(_family, "_children", lambda: looks.append(1) or children())
    kill_family(leader.pid)
    assert len(looks) == 2
    assert leader.wait(10) == -signal.SIGKILL


def test_a_leader_does_not_stay_stopped(lead, monkeypatch):
    leader, _ = lead(ENDED)

    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(_family, "_children", interrupted)
    with pytest.raises(KeyboardInterrupt):
        kill_family(leader.pid)
    assert leader.wait(10) == -signal.SIGKILL


# a runner of two workers: one leaves a daemon and is idle then, the other one works
RUNNER = """
import sys
from faulty import Daemonizes, Slow
from skldl.benchmark import Plan, Split, run
from skldl.methods import Method

methods = [Method("slow", Slow(60)), Method("daemon", Daemonizes(sys.argv[1]))]
run(Plan(["synthetic"], methods, Split(n_splits=2), max_folds=1), n_jobs=2)
"""


def test_daemons_end_with_a_killed_runner(tmp_path):
    path, script = tmp_path / "pids", tmp_path / "runner.py"
    script.write_text(textwrap.dedent(RUNNER))
    helpers = str(Path(__file__).resolve().parents[1] / "helpers")
    runner = subprocess.Popen(
        [sys.executable, str(script), str(path)],
        env={**os.environ, "PYTHONPATH": helpers},
    )
    try:
        wait_until(lambda: path.exists() and path.read_text().endswith("\n"), 120)
        time.sleep(0.5)  # the worker is idle
    finally:
        runner.kill()
        runner.wait(10)
    daemon = int(path.read_text())
    try:
        wait_until(lambda: not alive(daemon))
    finally:
        with suppress(ProcessLookupError):
            os.kill(daemon, signal.SIGKILL)


def living(session):
    """List the processes of a session that have not ended."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] not in "ZX":
                found.append(int(entry.name))
    return found
