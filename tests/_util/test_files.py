"""Files that are written whole or not at all."""

import os
import stat

import pytest

from sentree._util import files


@pytest.fixture
def umask():
    """Set the umask, and set it back."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


def mode(path):
    return oct(stat.S_IMODE(path.stat().st_mode))


@pytest.mark.parametrize(("mask", "expected"), [(0o022, "0o644"), (0o077, "0o600")])
def test_a_new_file_follows_the_umask(tmp_path, umask, mask, expected):
    umask(mask)
    assert mode(files.write(tmp_path / "a.csv", "x\n")) == expected


def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path):
    path = files.write(tmp_path / "a.csv", "old")
    path.chmod(0o640)
    assert mode(files.write(path, "new")) == "0o640"
    assert path.read_text() == "new"


def test_nothing_is_left_where_writing_fails(tmp_path):
    path = files.write(tmp_path / "a.csv", "old")
    with pytest.raises(OSError, match="full"), files.replacing(path):
        raise OSError("the disk is full")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
