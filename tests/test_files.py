"""Files are written whole or not at all."""

import stat

import pytest

from skldl._files import write_text


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
