"""A mutant counts as killed only if a test that ran says so."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[1] / "bench"
ASK = """
import sys
import tomllib
from pathlib import Path
import mutants
work = Path(sys.argv[1])
print(mutants.failures(work, [str(work / "test_a.py")], 60.0, *sys.argv[2:]))
"""
CASES = {
    "passes": ("def test_it(): pass", (), "[]"),
    "fails": ("def test_it(): assert False", (), "['test_a.py::test_it']"),
    "cannot be imported": ("import no_such_module", (), "['test_a.py']"),
    "has no such test": ("def test_it(): pass", ("-k", "other"), "[]"),
    "does not start": ("def test_it(): pass", ("--no-such-option",), "['unknown']"),
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="mutants run in forked processes")
@pytest.mark.skipif(not BENCH.exists(), reason="bench is not part of the package")
@pytest.mark.parametrize("case", CASES)
def test_ends_of_tests(tmp_path, case):
    text, options, expected = CASES[case]
    (tmp_path / "test_a.py").write_text(text)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    done = subprocess.run(
        [sys.executable, "-c", ASK, str(tmp_path), *options],
        env={**os.environ, "PYTHONPATH": str(BENCH)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == expected


@pytest.mark.skipif(not BENCH.exists(), reason="bench is not part of the package")
def test_changes_without_an_effect_are_of_lines_that_exist():
    entries = tomllib.loads((BENCH / "mutants_without_effect.toml").read_text())
    for entry in entries["mutant"]:
        source = (BENCH.parent / "src/skldl" / entry["module"]).read_text()
        assert entry["code"] in map(str.strip, source.splitlines())
        assert entry["reason"].endswith(".")
