"""Shared parts of the tests of the package `referee`. scripts/test sets the paths of program and recorded games."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def program() -> str:
    """The program `referee`, built from these sources."""
    named = os.environ.get("REFEREE_PROGRAM", str(ROOT / "target" / "debug" / "referee"))
    assert os.access(named, os.X_OK), f"{named}: build it first, or name it in REFEREE_PROGRAM"
    return named


@pytest.fixture(scope="session")
def originals() -> Path:
    """Recorded games of the original programs. They are not part of the project."""
    named = os.environ.get("REFEREE_DATA")
    if not named:
        pytest.skip("REFEREE_DATA names no folder with recorded games")
    return ROOT / named


@pytest.fixture(scope="session")
def game_log(program: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of a game of football between house bots."""
    folder = tmp_path_factory.mktemp("games")
    words = "football greedy random sweeper still -p 2 --max-turns 30 --seed 7 --dir games --turn-ms 20000 --first-ms 60000"
    subprocess.run([program, "play", *words.split()], cwd=folder, check=True, capture_output=True)
    [log] = (folder / "games" / "logs").glob("*.csv")
    return log
