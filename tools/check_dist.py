"""Check a wheel and an sdist: metadata, contents, the README in a clean environment.

    python tools/check_dist.py dist

Needs the standard library alone. The wheel goes into an environment of its own, without
the source beside it, and the example of the README runs there.
"""

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from email import message_from_string
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: What a wheel must carry beside its modules.
PACKAGE_FILES = (
    "skldl/py.typed",
    "skldl/datasets/registry.json",
    "skldl/citations/references.toml",
    "skldl/benchmark/data/published.csv",
)
#: What an sdist must carry, so that it can be built, tested and cited.
SOURCE_FILES = (
    "pyproject.toml", "README.md", "LICENSE", "CITATION.cff", "CHANGELOG.md",
    "CONTRIBUTING.md", "Makefile", "constraints.txt", "tests/conftest.py",
    "docs/conf.py", "examples/make_votes.py", "src/skldl/__init__.py",
)  # fmt: skip
#: Kinds of files that are data or left-overs, and never belong into a release.
UNWANTED = (".mat", ".arff", ".npz", ".sqlite", ".pyc", ".tif")
NEEDED_FIELDS = (
    "Name", "Version", "Summary", "License", "Requires-Python", "Author", "Keywords",
    "Classifier", "Requires-Dist", "Description-Content-Type",
)  # fmt: skip


def version_of_the_source():
    """The version that the package says it has."""
    text = (ROOT / "src" / "skldl" / "_version.py").read_text("utf-8")
    return re.search(r'__version__ = "(.+)"', text)[1]


def only(folder, pattern):
    """The one file of a kind."""
    found = sorted(Path(folder).glob(pattern))
    if len(found) != 1:
        raise SystemExit(f"{folder} must hold one {pattern}, it holds {len(found)}.")
    return found[0]


def wheel_faults(path):
    """What is wrong with a wheel, one sentence each."""
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        (place,) = [n for n in names if n.endswith(".dist-info/METADATA")]
        metadata = message_from_string(wheel.read(place).decode())
        scripts = wheel.read(place.replace("METADATA", "entry_points.txt")).decode()
    faults = [f"The metadata have no {f}." for f in NEEDED_FIELDS if f not in metadata]
    if metadata["Version"] != version_of_the_source():
        faults.append(f"The version is {metadata['Version']}, not that of the source.")
    if metadata.get_payload() != (ROOT / "README.md").read_text("utf-8"):
        faults.append("The description is not the README.")
    if "skldl = skldl.cli:main" not in scripts:
        faults.append("The command skldl is missing.")
    faults += [f"The wheel has no {n}." for n in PACKAGE_FILES if n not in names]
    if not any(name.endswith("licenses/LICENSE") for name in names):
        faults.append("The wheel has no licence.")
    outside = [n for n in names if not n.startswith(("skldl/", "scikit_ldl-"))]
    return faults + [f"{n} is not of the package." for n in outside] + unwanted(names)


def sdist_faults(path):
    """What is wrong with an sdist, one sentence each."""
    with tarfile.open(path) as sdist:
        names = [name.partition("/")[2] for name in sdist.getnames()]
    missing = [n for n in SOURCE_FILES if n not in names]
    return [f"The sdist has no {n}." for n in missing] + unwanted(names)


def unwanted(names):
    """Files that must not be released."""
    return [
        f"{n} does not belong into a release." for n in names if n.endswith(UNWANTED)
    ]


def readme_example(text):
    """The first Python block of the README."""
    return re.search(r"```python\n(.*?)```", text, re.S)[1]


def run(*words, cwd):
    """Run a program; stop with its output if it fails."""
    # PYTHONPATH could bring in the source in place of the wheel
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    done = subprocess.run(words, cwd=cwd, env=clean, capture_output=True, text=True)
    if done.returncode:
        called = " ".join(map(str, words))
        raise SystemExit(f"{called} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def smoke_test(wheel):
    """Install the wheel where nothing else is, and run what the README shows."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(Path(folder) / "env", with_pip=True)
        scripts = (
            Path(folder) / "env" / ("Scripts" if sys.platform == "win32" else "bin")
        )
        work = Path(folder) / "work"
        work.mkdir()
        python = scripts / "python"
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
            "-c", ROOT / "constraints.txt", wheel, cwd=work)  # fmt: skip
        place = run(python, "-c", "import skldl; print(skldl.__file__)", cwd=work)
        if not Path(place.strip()).is_relative_to(Path(folder).resolve()):
            raise SystemExit(f"Not the wheel was imported, but {place.strip()}.")
        run(python, ROOT / "examples" / "make_votes.py", work, cwd=work)
        (work / "example.py").write_text(
            readme_example((ROOT / "README.md").read_text())
        )
        print(run(python, "example.py", cwd=work), end="")
        print(run(scripts / "skldl", "--version", cwd=work), end="")
        run(scripts / "skldl", "cite", "MSLP", cwd=work)


def main(folder="dist"):
    """Check both files; say what is wrong, or run the smoke test."""
    wheel, sdist = only(folder, "*.whl"), only(folder, "*.tar.gz")
    faults = wheel_faults(wheel) + sdist_faults(sdist)
    if faults:
        raise SystemExit("\n".join(faults))
    print(f"Metadata and contents of {wheel.name} and {sdist.name} are right.")
    smoke_test(wheel.resolve())
    print(
        "The wheel installs in a clean environment, and the example of the README runs."
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
