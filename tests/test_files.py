"""Files are written whole or not at all."""

import ast
import stat
from pathlib import Path

import numpy as np
import pytest

import skldl
from skldl._files import replacing, write_bytes, write_text
from skldl.benchmark import Plan, Split, Store, run
from skldl.ldl import MeanDistribution
from skldl.models import save_model
from skldl.report import write_report

PACKAGE = Path(skldl.__file__).parent


def test_writes_whole_files_and_makes_folders(tmp_path):
    path = write_text(tmp_path / "a" / "b.txt", "ü")
    assert path.read_text(encoding="utf-8") == "ü"
    (tmp_path / "plain.txt").touch()  # what any program would get
    expected = stat.S_IMODE((tmp_path / "plain.txt").stat().st_mode)
    assert stat.S_IMODE(path.stat().st_mode) == expected
    write_text(path, "new")
    assert path.read_text() == "new"
    assert [p.name for p in path.parent.iterdir()] == ["b.txt"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = write_text(tmp_path / "a.txt", "old")
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "\ud800")  # cannot be encoded
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
@pytest.mark.parametrize("linked", [False, True])
def test_a_file_keeps_its_mode(tmp_path, mode, linked):
    target = tmp_path / "target"
    target.write_text("old")
    target.chmod(mode)
    path = tmp_path / "link" if linked else target
    if linked:
        path.symlink_to(target)
    for write, content in ((write_text, "new"), (write_bytes, b"newer")):
        write(path, content)
        assert stat.S_IMODE(target.stat().st_mode) == mode
    assert target.read_bytes() == b"newer"
    assert path.is_symlink() == linked


def test_nobody_else_reads_a_file_that_is_being_written(tmp_path):
    with replacing(tmp_path / "a.txt") as file:
        (half,) = tmp_path.iterdir()
        assert stat.S_IMODE(half.stat().st_mode) == 0o600
        file.write("x")


@pytest.mark.filterwarnings("ignore")
def test_private_files_of_the_package_stay_private(tmp_path):
    pytest.importorskip("pyarrow")
    D = np.full((4, 2), 0.5)
    model = MeanDistribution().fit(D, D)
    plan = Plan(["toy"], ["MeanDistribution"], Split(n_splits=2))
    with Store(tmp_path / "s.sqlite") as store:
        run(plan, store, engine="serial")
        writers = {
            "m.skldl": lambda path: save_model(model, path, y=D),
            "t.csv": store.export,
            "t.parquet": store.export,
            "r.html": lambda path: write_report(store, path),
        }
        for name, write in writers.items():
            (tmp_path / name).touch(mode=0o600)
            write(tmp_path / name)
            assert (tmp_path / name).stat().st_size > 100, name
            assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600, name


def test_a_private_store_stays_private(tmp_path):
    path = tmp_path / "s.sqlite"
    path.touch(mode=0o600)
    with Store(path) as store:
        store.note_run("x", {})  # a log and shared memory stand beside it
        modes = {stat.S_IMODE(p.stat().st_mode) for p in tmp_path.iterdir()}
    assert modes == {0o600}


# downloads into the data home, devices, and a temporary copy for workers
ELSEWHERE = {"datasets/_home.py", "datasets/_git_blob.py", "_processes/_memory.py",
             "_processes/_stdout.py"}  # fmt: skip


def _opens_to_write(call: ast.Call) -> bool:
    """Whether a call writes to a path, not to a file that `replacing` has opened."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name in ("write_text", "write_bytes"):
        return isinstance(call.func, ast.Attribute)
    if name == "open":
        modes = [a.value for a in call.args if isinstance(a, ast.Constant)]
        return any(str(mode)[:1] in ("w", "a", "x") for mode in modes)
    if name in ("to_csv", "to_parquet", "to_excel", "savefig", "savez"):
        return bool(call.args) and getattr(call.args[0], "id", "") != "file"
    return False


def test_all_outputs_are_written_in_one_way():
    faults = [
        f"{path}:{call.lineno}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.relative_to(PACKAGE).as_posix() not in ELSEWHERE
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and _opens_to_write(call)
    ]
    assert faults == []
