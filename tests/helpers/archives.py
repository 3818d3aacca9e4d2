"""Model files changed on purpose, with a list of parts that fits again."""

import hashlib
import json
import zipfile

from skldl._files import DAMAGE
from skldl.models._contents import CONTENTS, write_contents


def parts_of(path):
    """Parts of a model file by name, without the list of them."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name != CONTENTS]
        return {name: archive.read(name) for name in names}


def write_parts(path, parts):
    """A model file of these parts, whose list fits, as an attacker would write it."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    with zipfile.ZipFile(path, "a") as archive:
        try:
            write_contents(archive)
        except DAMAGE:
            listed = {
                name: {"sha256": hashlib.sha256(content).hexdigest()}
                for name, content in parts.items()
            }
            archive.writestr(CONTENTS, json.dumps(listed))
    return path


def rewrite(path, changes):
    """The same file with some parts changed; None leaves one out."""
    parts = parts_of(path) | changes
    return write_parts(path, {n: c for n, c in parts.items() if c is not None})
