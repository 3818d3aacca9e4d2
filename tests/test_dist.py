"""The checks that make dist runs on wheel and sdist find what is wrong."""

import importlib.util
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "tools" / "check_dist.py"

pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="needs the repository")


@pytest.fixture(scope="module")
def checks():
    spec = importlib.util.spec_from_file_location("check_dist", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write_wheel(path, checks, *, leave_out="", add=(), version=None):
    fields = {name: "x" for name in checks.NEEDED_FIELDS if name != leave_out}
    fields["Version"] = version or checks.version_of_the_source()
    head = "".join(f"{name}: {value}\n" for name, value in fields.items())
    readme = (ROOT / "README.md").read_text("utf-8")
    names = [n for n in (*checks.PACKAGE_FILES, *add) if n != leave_out]
    with zipfile.ZipFile(path, "w") as wheel:
        for name in names:
            wheel.writestr(name, "")
        wheel.writestr("scikit_ldl-1.dist-info/METADATA", f"{head}\n{readme}")
        wheel.writestr("scikit_ldl-1.dist-info/licenses/LICENSE", "")
        command = "" if leave_out == "command" else "skldl = skldl.cli:main"
        wheel.writestr("scikit_ldl-1.dist-info/entry_points.txt", command)
    return path


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ({"leave_out": "Requires-Python"}, "no Requires-Python"),
        ({"leave_out": "skldl/citations/references.toml"}, "no skldl/citations"),
        ({"leave_out": "command"}, "command skldl is missing"),
        ({"add": ["skldl/data/SJAFFE.mat"]}, "SJAFFE.mat does not belong"),
        ({"add": ["tests/conftest.py"]}, "tests/conftest.py is not of the package"),
        ({"version": "9.9"}, "version is 9.9"),
    ],
)
def test_faults_of_a_wheel_are_found(checks, tmp_path, wrong, fault):
    assert checks.wheel_faults(write_wheel(tmp_path / "good.whl", checks)) == []
    faults = checks.wheel_faults(write_wheel(tmp_path / "bad.whl", checks, **wrong))
    assert len(faults) == 1
    assert fault in faults[0]


def test_faults_of_an_sdist_are_found(checks, tmp_path):
    (tmp_path / "file").write_text("")
    for name in ("good", "bad"):
        files = list(checks.SOURCE_FILES)
        files = files if name == "good" else [*files[1:], "left.sqlite"]
        with tarfile.open(tmp_path / f"{name}.tar.gz", "w:gz") as sdist:
            for file in files:
                sdist.add(tmp_path / "file", f"scikit_ldl-1/{file}")
    assert checks.sdist_faults(tmp_path / "good.tar.gz") == []
    missing, left = checks.sdist_faults(tmp_path / "bad.tar.gz")
    assert checks.SOURCE_FILES[0] in missing
    assert "left.sqlite" in left


def test_there_must_be_one_of_each(checks, tmp_path):
    with pytest.raises(SystemExit, match="one \\*.whl, it holds 0"):
        checks.main(tmp_path)


def test_what_must_be_in_the_sdist_is_in_the_repository(checks):
    for name in checks.SOURCE_FILES:
        assert (ROOT / name).is_file(), name
    compile(checks.readme_example((ROOT / "README.md").read_text("utf-8")), "x", "exec")
