"""A folder with the tables and models that examples name; tests run in a copy of it."""

import shutil

import pytest

from command import make_files


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    make_files(folder)
    return folder


@pytest.fixture
def folder(made, tmp_path, monkeypatch):
    """Fresh copies of the files, in the working folder."""
    for file in made.iterdir():
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path
