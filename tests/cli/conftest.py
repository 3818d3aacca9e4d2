"""Tables of votes and a model of them, made once."""

import pytest

from skldl.auto._candidates import PRESETS
from skldl.cli import main
from votes_table import LABELS, run, votes


@pytest.fixture(scope="session")
def tables(tmp_path_factory):
    """A folder with training, test and new rows, and a model."""
    folder = tmp_path_factory.mktemp("tables")
    whole = votes()
    whole[:300].to_csv(folder / "votes.csv", index=False)
    whole[300:].to_csv(folder / "test.csv", index=False)
    whole[300:].drop(columns=LABELS.split(",")).to_csv(folder / "new.csv", index=False)
    run("fit", folder / "votes.csv", "-l", LABELS, "--normalize", "--ignore",
        "id,name", "-m", "standard+SABFGS(reg=0.01)",
        "-o", folder / "model.skldl")  # fmt: skip
    return folder


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """AutoLDL, which fit takes by default, tries two candidates in two folds."""
    monkeypatch.setitem(PRESETS, "medium", (2, 2))


@pytest.fixture
def refused(capsys):
    """Run the whole program; give its code and its only message."""

    def call(*arguments):
        with pytest.raises(SystemExit) as stopped:
            main([str(a) for a in arguments])
        message = capsys.readouterr().err
        assert "Traceback" not in message
        return stopped.value.code, message

    return call
